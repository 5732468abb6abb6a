"""Whether a ballot fits its study, and what a calibration item tells after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from befit.core.record import Json
from befit.errors import UsageError
from befit.review.pages import Feedback
from befit.review.pick import Asked, calibration_size, calibration_state
from befit.review.records import Ballot, Item, Study
from befit.review.settings import Verdict
from befit.storage.review_work import Assigned


def check_ballot(ballot: Ballot, study: Study, *, required: bool) -> None:
    """Refuse a ballot that does not fit.

    Args:
        ballot: what was sent.
        study: its study.
        required: a comment is asked for on this item.

    Raises:
        UsageError: what is missing or wrong, in words for the reviewer.
    """
    settings = study.settings
    if settings.kind == "pairs":
        _check_verdict(ballot, required=required)
    elif ballot.verdict not in {None, "cannot_judge"}:
        raise UsageError("this study asks for no comparison")
    elif ballot.verdict is None and not ballot.rubric and not ballot.observations:
        raise UsageError("rate at least one row, or write down what you saw")
    unknown = [one.tag for one in ballot.tags if one.tag not in settings.tags]
    if unknown:
        raise UsageError(f"there is no tag '{unknown[0][:60]}'")
    rows = {row.name for row in settings.rubric}
    for name in ballot.rubric:
        if name not in rows:
            raise UsageError(f"there is no row '{name[:60]}'")


def _check_verdict(ballot: Ballot, *, required: bool) -> None:
    if ballot.verdict is None:
        raise UsageError("choose a verdict first")
    if ballot.verdict == "cannot_judge" and ballot.cannot is None:
        raise UsageError("say why it cannot be judged")
    if not ballot.comment.strip() and (required or ballot.verdict == "both_bad"):
        why = "when both are bad" if ballot.verdict == "both_bad" else "on this item"
        raise UsageError(f"write a short reason {why}")


def shown_verdict(outcome: Verdict, *, flipped: bool) -> Verdict:
    """Return a verdict with x on the left for the sides as shown."""
    turned: dict[Verdict, Verdict] = {"left": "right", "right": "left"}
    return turned.get(outcome, outcome) if flipped else outcome


def feedback_of(asked: Asked, assigned: Assigned, item: Item, mine: Sequence[Assigned]) -> Feedback:
    """Return what a calibration item tells."""
    expected = item.expected or "tie"
    size = calibration_size(asked.study, asked.pool)
    done = [one for one in mine if one.purpose == "calibration" and one.state == "done"]
    passed: bool | None = None
    retry = False
    if size and len(done) % size == 0:
        verdict, attempts = calibration_state(asked.study, asked.pool, mine)
        passed = verdict is True
        retry = verdict is None and attempts == 1
    return Feedback(
        right=assigned.outcome == expected,
        expected=shown_verdict(expected, flipped=bool(assigned.flipped)),
        why=item.why,
        passed=passed,
        retry=retry,
    )


def read_ballot(ballot: Ballot | Mapping[str, Json]) -> Ballot:
    """Return a ballot that was sent.

    Raises:
        UsageError: it cannot be read, and where.
    """
    if isinstance(ballot, Ballot):
        return ballot
    try:
        return Ballot.model_validate(dict(ballot))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"the vote cannot be read: {where}: {first['msg']}") from None


def outcome_of(ballot: Ballot, *, flipped: bool) -> str | None:
    """Return the verdict with x on the left."""
    return None if ballot.verdict is None else shown_verdict(ballot.verdict, flipped=flipped)
