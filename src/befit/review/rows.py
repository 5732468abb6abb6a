"""Votes as rows: what the analysis of a study reads, whoever sent them.

A row speaks of x and y (the item's own order), never of the sides shown, so that
nothing after this file has to turn a vote around. Candidates are codes here;
names come with the mapping, after closing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from befit.review.pick import Pool
from befit.review.records import Ballot, Held, Item, Purpose, Reviewer
from befit.review.settings import Group, Verdict
from befit.storage.review_work import Assigned, StoredVote
from befit.storage.reviews import Reviews

SCORE: dict[str, float] = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}
"""What an outcome (x on the left) is worth to x; "cannot judge" is missing, not a half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The newest revision of one vote."""

    id: str
    reviewer: str
    group: Group
    item: str
    scenario: str
    sample: str
    x: str
    """Code (later: name) of the candidate behind x; "" for gold and the like."""
    y: str
    purpose: Purpose
    outcome: Verdict | None
    """With x on the left."""
    shown: Verdict | None
    """As it was shown and pressed."""
    flipped: bool = False
    ballot: Ballot = field(default_factory=Ballot)
    seconds: float | None = None
    """From showing to voting, or those the browser counted."""
    voted_at: float = 0.0
    characters: int = 0
    """Length of all text shown."""
    mirror_of: str | None = None
    cycle: int = 0
    expected: Verdict | None = None
    style: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Style count -> (of x, of y)."""
    flagged: bool = False
    """An answer may tell who it is, or the reviewer said so."""

    @property
    def score(self) -> float | None:
        """1 x won, 0 y won, 0.5 tie or both bad; None where it could not be judged."""
        return None if self.outcome is None else SCORE.get(self.outcome)


def read_rows(reviews: Reviews, study_id: str, pool: Pool, /) -> list[Row]:
    """Return all votes of a study that stand, in order of time."""
    people = {
        name: Reviewer.model_validate(body)
        for name, body in reviews.parts(study_id, "reviewer").items()
    }
    answers = {
        name: Held.model_validate(body) for name, body in reviews.parts(study_id, "answer").items()
    }
    lengths = {name: _length(held) for name, held in answers.items()}
    assigned = {one.id: one for one in reviews.work.of(study_id)}
    return [
        _row(vote, assigned[vote.assignment], people[vote.reviewer],
             pool.item(assigned[vote.assignment].item), answers, lengths)
        for vote in reviews.work.votes(study_id)
    ]  # fmt: skip


def _length(held: Held) -> tuple[int, int]:
    asked = sum(len(m.text) for m in held.turns if m.role == "user")
    told = sum(len(m.text) for m in held.turns if m.role == "assistant")
    return asked, told + sum(len(text) for text in held.repeats)


def _row(
    vote: StoredVote,
    assigned: Assigned,
    person: Reviewer,
    item: Item,
    answers: Mapping[str, Held],
    lengths: Mapping[str, tuple[int, int]],
) -> Row:
    ballot = Ballot.model_validate(vote.body)
    sides = [name for name in (item.x, item.y) if name in answers]
    codes = item.cell.split("|")
    seconds = ballot.active_seconds
    if seconds is None and assigned.shown_at is not None:
        seconds = max(0.0, vote.voted_at - assigned.shown_at)
    style = {}
    if len(sides) == 2:  # noqa: PLR2004 - a pair
        one, two = (answers[name].style for name in sides)
        style = {name: (one[name], two[name]) for name in one if name in two}
    return Row(
        id=assigned.id,
        reviewer=person.id,
        group=person.group,
        item=item.id,
        scenario=item.scenario,
        sample=item.sample,
        x=codes[0],
        y=codes[1] if len(codes) > 1 else "",
        purpose=assigned.purpose,  # type: ignore[arg-type]  # written from a Purpose
        outcome=assigned.outcome,  # type: ignore[arg-type]  # written from a Verdict
        shown=ballot.verdict,
        flipped=bool(assigned.flipped),
        ballot=ballot,
        seconds=seconds,
        voted_at=vote.voted_at,
        characters=lengths[sides[0]][0] + sum(lengths[name][1] for name in sides) if sides else 0,
        mirror_of=assigned.mirror_of,
        cycle=assigned.cycle,
        expected=item.expected,
        style=style,
        flagged=ballot.identity_visible
        or ballot.cannot == "identity visible"
        or any(answers[name].told for name in sides),
    )


def work_of(rows: Iterable[Row], *, without: frozenset[str] = frozenset()) -> list[Row]:
    """Return the votes that count in a result: work, judged, of reviewers not excluded."""
    return [
        row
        for row in rows
        if row.purpose == "work" and row.score is not None and row.reviewer not in without
    ]


def median_seconds(rows: Sequence[Row]) -> float | None:
    """Return the median time of votes, None where none is known."""
    known = [row.seconds for row in rows if row.seconds is not None]
    return median(known) if known else None
