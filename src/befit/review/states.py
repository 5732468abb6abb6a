"""The one way of a study: draft, open (or paused), closed, unblinded. No step back.

The mapping is opened by `unblind` alone, and that asks for a closed study.
Breaking the blinding early closes the study in the same step, for good, and
stamps every result.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from befit.core.record import Json
from befit.errors import ForbiddenError, StoreError, UsageError
from befit.review.records import Sealed, Study
from befit.review.seal import commit, find_key, unseal
from befit.storage.reviews import Part, Reviews

_MAPPING = "mapping"


def study_of(reviews: Reviews, study_id: str, /) -> Study:
    """Return a study; StoreError where there is none."""
    return Study.model_validate(reviews.study(study_id))


_STEPS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "created": (("",), "draft"),
    "opened": (("draft", "paused"), "open"),
    "paused": (("open",), "paused"),
    "closed": (("open", "paused"), "closed"),
    "blind broken": (("draft", "open", "paused"), "closed"),
    "unblinded": (("closed",), "unblinded"),
}
"""Entry of the audit trail -> the states it may follow on, the state after it."""


def check_trail(reviews: Reviews, study: Study, /) -> None:
    """Check that a study came to its state by the steps its audit trail tells.

    Raises:
        StoreError: the trail was altered, or the study's state was written past it.
    """
    state = ""
    for event in reviews.events(study.id):
        before, after = _STEPS.get(event.kind, ((state,), state))
        if state not in before:
            raise StoreError(
                f"entry {event.number} of the audit trail of {study.id} cannot be",
                why=f"'{event.kind}' does not follow on a study that is {state or 'not there'}",
            )
        state = after
    if state != study.state:
        raise StoreError(
            f"study {study.id} is {study.state}, but its audit trail has it {state}",
            why="its state was written past befit",
            do="do not use this study: nobody knows who was blind when they voted",
        )


def find_study(reviews: Reviews, words: str = "latest", /) -> Study:
    """Return the study meant by `latest`, an id or its unique beginning.

    Raises:
        UsageError: none or several are meant.
    """
    known = [Study.model_validate(body) for body in reviews.studies()]
    if not known:
        raise UsageError("there is no study yet", do="make one with `befit review create`")
    if words == "latest":
        return known[0]
    start = words if words.startswith("v-") else f"v-{words}"
    found = [study for study in known if study.id.startswith(start)]
    if len(found) != 1:
        ids = ", ".join(study.id for study in (found or known)[:5])
        raise UsageError(f"'{words}' is the beginning of {len(found)} studies", do=f"one of: {ids}")
    return found[0]


def open_study(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Study:
    """Open a study (or go on after a pause); from now on votes are taken."""
    before = study_of(reviews, study_id)
    changes = {"state": "open", "opened_at": before.opened_at or at}
    return _changed(reviews, study_id, changes, ("draft", "paused"), (at, by, "opened"))


def pause(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Study:
    """Pause a study: nobody can vote until it is opened again."""
    return _changed(reviews, study_id, {"state": "paused"}, ("open",), (at, by, "paused"))


def close(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Study:
    """Close a study for good: what was voted stands."""
    changes = {"state": "closed", "closed_at": at}
    return _changed(reviews, study_id, changes, ("open", "paused"), (at, by, "closed"))


def unblind(
    reviews: Reviews, study_id: str, /, *, at: str, by: str, key_file: Path | None = None
) -> tuple[Study, Sealed]:
    """Open the mapping of a closed study, after checking it against what was committed to.

    Raises:
        ForbiddenError: the study is not closed, or the key is not at hand.
        StoreError: the mapping is not the one that was committed to.
    """
    study = study_of(reviews, study_id)
    if study.state == "unblinded":
        return study, mapping_of(reviews, study)
    if study.state != "closed":
        raise ForbiddenError(
            f"study {study_id} is {study.state}: it cannot be unblinded before it is closed",
            why="whoever knows who is who is no longer blind",
            do="befit review close",
        )
    check_trail(reviews, study)
    key = find_key(reviews.folder, study_id, given=key_file)
    mapping, commitment = unseal(reviews.sealed(study_id), key, published=study.commitment)
    changes = {
        "state": "unblinded",
        "unblinded_at": at,
        "commitment": commitment.model_dump(mode="json"),
    }
    opened = _changed(reviews, study_id, changes, ("closed",), (at, by, "unblinded"))
    # from now on it is no secret: results are made without the key
    reviews.put(study_id, _MAPPING, [Part(_MAPPING, mapping.model_dump(mode="json"))])
    return opened, mapping


def mapping_of(reviews: Reviews, study: Study, /) -> Sealed:
    """Return the mapping of a study that was unblinded, checked against the commitment.

    Raises:
        ForbiddenError: it was not unblinded.
        StoreError: the mapping is not the one that was committed to.
    """
    body = reviews.part(study.id, _MAPPING, _MAPPING)
    if study.state != "unblinded" or body is None:
        raise ForbiddenError(f"study {study.id} was not unblinded", do="befit review unblind")
    check_trail(reviews, study)
    mapping = Sealed.model_validate(body)
    if commit(mapping, salt=study.commitment.salt).sha256 != study.commitment.sha256:
        raise StoreError(
            f"the mapping of study {study.id} is not the one that was committed to",
            why="it was altered after unblinding",
        )
    return mapping


def break_blind(
    reviews: Reviews, study_id: str, /, *, reason: str, at: str, by: str,
    key_file: Path | None = None,
) -> tuple[Study, Sealed]:  # fmt: skip
    """Close a study early and unblind it; the reason is audited and stamps every result.

    Raises:
        UsageError: no reason is given.
        ForbiddenError: it is closed already, or the key is not at hand.
    """
    if not reason.strip():
        raise UsageError("breaking the blinding needs a reason", do="--reason '...'")
    find_key(reviews.folder, study_id, given=key_file)  # before anything is closed for nothing
    changes = {"state": "closed", "closed_at": at, "broken": reason.strip()}
    _changed(reviews, study_id, changes, ("draft", "open", "paused"), (at, by, "blind broken"))
    return unblind(reviews, study_id, at=at, by=by, key_file=key_file)


def begin_cycle(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Study:
    """Begin a recalibration: reviewers rate gold and some of their own items again.

    Raises:
        UsageError: one is on.
    """
    before = study_of(reviews, study_id)
    if before.cycle_open:
        raise UsageError(
            f"recalibration {before.cycle} of study {study_id} is on",
            do="end it first: befit review recalibrate --end",
        )
    changes = {"cycle": before.cycle + 1, "cycle_open": True}
    states = ("open", "closed", "unblinded")
    return _changed(reviews, study_id, changes, states, (at, by, "recalibration begun"))


def end_cycle(reviews: Reviews, study_id: str, /, *, at: str, by: str) -> Study:
    """End a recalibration.

    Raises:
        UsageError: none is on.
    """
    if not study_of(reviews, study_id).cycle_open:
        raise UsageError(
            f"study {study_id} has no recalibration that is on",
            do="begin one: befit review recalibrate",
        )
    states = ("open", "paused", "closed", "unblinded")
    return _changed(
        reviews, study_id, {"cycle_open": False}, states, (at, by, "recalibration ended")
    )


def _changed(
    reviews: Reviews,
    study_id: str,
    changes: Mapping[str, Json],
    only_from: tuple[str, ...],
    event: tuple[str, str, str],
) -> Study:
    at, by, kind = event
    reason = {key: value for key, value in changes.items() if key in {"broken", "cycle"}}
    body = reviews.change(study_id, changes, only_from=only_from, event=(at, by, kind, reason))
    return Study.model_validate(body)
