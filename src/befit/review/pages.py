"""What a reviewer gets: everything a page needs, and nothing that says who answered.

These have no field for a candidate, a model, a trial, a latency or a cost, and
every name in them is random and belongs to one reviewer, item and side. Text in
them is hostile and has to be escaped by whoever shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from befit.core.record import Json
from befit.review.records import Ballot, Side, Stage
from befit.review.settings import RubricRow, Style, Verdict, Worked

Stop = Literal[
    "done", "nothing now", "paused", "closed", "not open", "calibration failed",
    "enough for today", "guesses",
]  # fmt: skip
"""Why there is no next item. `guesses`: the work is done, the last questions are not."""


def stage_of(purpose: str) -> Stage:
    """Return the stage a purpose belongs to: gold, attention and mirrors look like work."""
    return "calibration" if purpose == "calibration" else "cycle" if purpose == "cycle" else "work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """What the first page and the instructions drawer show."""

    title: str
    kind: Literal["pairs", "ratings"]
    name: str
    guidelines: str
    """Markdown, of the study's owner."""
    worked: tuple[Worked, ...]
    tags: tuple[str, ...]
    rubric: tuple[RubricRow, ...]
    calibration: int
    """Items with feedback before the work; 0 where there are none."""
    pass_share: float
    commitment: str
    """Hash of the sealed mapping, for whoever wants to check it later."""
    open: bool
    state: Literal["draft", "open", "paused", "closed"]
    """Unblinded is closed to reviewers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a reviewer is."""

    stage: Stage
    done: int
    """In this stage."""
    total: int
    """In this stage; an estimate while others take items as well."""
    minutes_left: int | None
    """By this reviewer's own median; None before three votes."""
    break_due: bool
    done_today: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of the input; `media(reviewer, token)` has its bytes."""

    token: str
    kind: str
    """Media type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: what the user said and what was answered."""

    user: str
    answer: str
    pictures: tuple[Picture, ...] = ()
    """Of the user."""
    drawn: tuple[Picture, ...] = ()
    """Of the answer."""
    marked: bool = False
    """The turn in which the user points a mistake out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One side."""

    side: Side
    token: str
    turns: tuple[Turn, ...]
    repeats: tuple[str, ...] = ()
    """Further answers to the same question; with them the stability row is asked."""
    flagged: bool = False
    """It may tell who it is; masked where the study says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One row of a field table; None where the side has no such field."""

    name: str
    left: str | None
    right: str | None

    @property
    def differs(self) -> bool:
        """Whether the sides differ."""
        return self.left != self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One item as a reviewer sees it. `right` is None in rating studies."""

    token: str
    """96 random bits of this reviewer and item; goes into addresses and forms."""
    stage: Stage
    number: int
    kind: Literal["pairs", "ratings"]
    left: Answer
    right: Answer | None
    source: str
    """Text the fields are taken from, beside a field table; "" where there is none."""
    fields: tuple[FieldRow, ...]
    """Where both sides are JSON objects; else empty."""
    style: Style
    verdicts: tuple[Verdict, ...]
    tags: tuple[str, ...]
    rubric: tuple[RubricRow, ...]
    rubric_after: bool
    """Only once a verdict is chosen."""
    strength: bool
    comment_required: bool
    """In any case on "both bad" and "cannot judge"."""
    ballot: Ballot | None
    """The vote as it stands, when it is being edited."""
    draft: Json
    """As saved by `save_draft`; None where there is none."""
    draft_number: int
    revision: int
    """Of the vote, withdrawn ones counted; 0 where there is none."""
    editable: bool
    """Whether a vote on it is taken now."""
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a page was made from: so a second device at the same link overwrites nothing unseen."""

    page: str
    """Random, of this page alone."""
    revision: int
    draft: int

    def fits(self, revision: int, draft: tuple[int, Json] | None) -> bool:
        """Whether nobody else went on since: no further vote, no draft of another page."""
        if revision != self.revision:
            return False
        if draft is None or draft[0] <= self.draft:
            return True
        return isinstance(draft[1], dict) and draft[1].get("page") == self.page


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """There is no next item, and why."""

    stop: Stop
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a calibration item tells after the vote; nothing else ever does."""

    right: bool
    expected: Verdict
    """For the sides as they were shown."""
    why: str
    passed: bool | None
    """Whether the calibration is passed; None while it goes on."""
    retry: bool
    """It was not passed, and may be tried once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A vote landed (or had landed before)."""

    token: str
    revision: int
    feedback: Feedback | None
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A line of the list of what was voted, for going back."""

    token: str
    number: int
    stage: Stage
    verdict: Verdict | None
    editable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessPage:
    """The question "which model is it?", asked at the end of one side of an earlier item.

    `names` are all candidates in alphabetical order, the same for everybody; this
    is the only place where a reviewer reads them.
    """

    token: str
    """Goes into the form; not the token of the item."""
    side: Side
    left: Answer
    right: Answer | None
    names: tuple[str, ...]
    number: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture without metadata."""

    kind: str
    body: bytes
