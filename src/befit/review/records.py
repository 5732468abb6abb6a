"""What a study is made of, as it is stored: frozen, and checked when read.

Three floors of knowledge. `Sealed` says which candidate is behind an answer; it
is encrypted, and opened only after closing. `Item`, `Held` are what the server
works with: texts and random codes. What a reviewer gets is in `pages.py`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.message import Message
from befit.core.record import Json, Record
from befit.review.settings import Group, Settings, Verdict

State = Literal["draft", "open", "paused", "closed", "unblinded"]
Purpose = Literal["calibration", "work", "gold", "attention", "mirror", "cycle", "adjudication"]
Stage = Literal["calibration", "work", "cycle"]
Side = Literal["left", "right"]
NoteState = Literal["open", "confirmed", "revised", "withdrawn"]


class Commitment(Record):
    """What was published before the first vote: the hash of the sealed mapping with a salt.

    The salt is told at unblinding; until then the hash says nothing of the mapping.
    """

    sha256: str
    salt: str = ""


class ScenarioInfo(Record):
    """What a result has to know of a scenario."""

    name: str
    critical: bool = False
    dimension: str = ""


class Study(Record):
    """A study: its settings, its state, and what was committed to."""

    id: str
    project: str
    run_id: str
    """The run whose answers are shown; empty where the answers came from a file."""
    created_at: str
    settings: Settings
    state: State = "draft"
    scenarios: tuple[ScenarioInfo, ...] = ()
    commitment: Commitment
    guess_names: tuple[str, ...] = ()
    """What reviewers may answer to "which model is it?": all candidates, in alphabetical order."""
    n_pairs: int = 0
    """Pairs (or answers) in the pool."""
    n_excluded: int = 0
    """Pairs left out because an answer tells who it is."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """Why else pairs fell away -> how many."""
    opened_at: str = ""
    closed_at: str = ""
    unblinded_at: str = ""
    broken: str = ""
    """Why the blinding was broken early; it stamps every result."""
    elsewhere: str = ""
    """The file the votes came from, where they were not made here."""
    cycle: int = 0
    """The recalibration that was begun last; 0 before the first."""
    cycle_open: bool = False
    """Reviewers are asked to rate gold and earlier items again."""


class Held(Record):
    """One answer as it is shown: masked, its style made even, without any trace of its author."""

    turns: tuple[Message, ...]
    """What the user said and what was answered, in order; only `user` and `assistant`."""
    repeats: tuple[str, ...] = ()
    """Further answers to the same question, where repeats are shown."""
    told: tuple[str, ...] = ()
    """Classes of self-identification found (and masked, or only flagged)."""
    style: dict[str, float] = Field(default_factory=dict)
    """Characters, headers, bold, list marks of the untouched text, for style control."""


class Item(Record):
    """Something to judge: two answers to one question, or one answer (`y` empty)."""

    id: str
    scenario: str
    sample: str
    """Random name of the sample: equal for items on the same sample."""
    x: str
    """Id of an answer (`Held`)."""
    y: str = ""
    cell: str = ""
    """`a|b`: random codes of the two candidates, x first; for choosing and balancing."""
    marked_turn: int | None = None
    """The user turn (0-based) that points a mistake out."""
    expected: Verdict | None = None
    """For calibration, gold and attention items: the right verdict with x on the left."""
    why: str = ""
    """Feedback of a calibration item."""
    source: Json = None
    """The text fields are taken from, shown beside a field table."""


class SealedAnswer(Record):
    """Who gave an answer."""

    candidate: str
    fingerprint: str = ""
    key_ids: tuple[str, ...] = ()


class Sealed(Record):
    """The mapping: who is behind the answers, the codes and the random sample names."""

    answers: dict[str, SealedAnswer]
    codes: dict[str, str]
    samples: dict[str, str]


class Reviewer(Record):
    """A person with a link. The link's token is stored as a hash only."""

    id: str
    name: str
    group: Group
    token_sha256: str
    expires_at: str = ""
    revoked: bool = False
    created_at: str = ""
    adjudicator: bool = False
    """Gets the items others disagree on, blind as well, instead of work of their own."""


class Tagged(Record):
    """A tag given to an answer, or to both."""

    tag: str
    side: Literal["left", "right", "both"]


class Observation(Record):
    """One thing seen, as it becomes a record sheet."""

    side: Side = "left"
    dimension: str = Field(default="", max_length=100)
    tag: str = Field(default="", max_length=100)
    seen: str = Field(min_length=1, max_length=4000)
    severity: Literal[1, 2, 3, 4] = 2
    """1 cosmetic, 2 minor, 3 major, 4 blocking."""


class Ballot(Record):
    """What a reviewer sends: sides are those shown. `verdict` is None only in rating studies."""

    verdict: Verdict | None = None
    strength: Literal["slightly", "clearly"] | None = None
    cannot: Literal["need expertise", "broken", "identity visible"] | None = None
    tags: tuple[Tagged, ...] = ()
    rubric: dict[str, dict[Side, Literal[1, 2, 3, 4] | None]] = Field(default_factory=dict)
    """Row name -> side -> value; None is "not applicable"."""
    comment: str = Field(default="", max_length=8000)
    identity_visible: bool = False
    observations: tuple[Observation, ...] = Field(default=(), max_length=20)
    active_seconds: float | None = Field(default=None, ge=0)
    """Seconds the page was in front, where the browser can tell."""


class Vote(Record):
    """A ballot as it landed; `flipped` says that x was shown on the right."""

    assignment: str
    revision: int
    reviewer: str
    item: str
    purpose: Purpose
    flipped: bool
    ballot: Ballot
    shown_at: str
    voted_at: str
    withdrawn: bool = False
    cycle: int = 0

    @property
    def outcome(self) -> Verdict | None:
        """The verdict with x on the left, whatever was shown."""
        turned: dict[str, Verdict] = {"left": "right", "right": "left"}
        verdict = self.ballot.verdict
        return turned.get(verdict, verdict) if self.flipped and verdict else verdict

    def side_of(self, x_or_y: Literal["x", "y"]) -> Side:
        """The side on which x (or y) was shown."""
        return "right" if (x_or_y == "x") == self.flipped else "left"


class Guess(Record):
    """An answer to "which model is it?" about one shown side; "" is "no idea"."""

    assignment: str
    side: Side
    named: str = ""


class Change(Record):
    """One step in the life of a record sheet; in its history, what stood before the step."""

    at: str
    author: str
    state: NoteState
    why: str = ""
    severity: int | None = None
    seen: str | None = None


class RecordSheet(Record):
    """A qualitative observation on one trial, kept and looked at again in every cycle."""

    id: str
    trial: str
    """Key id of the trial; empty while the study it came from is still blind."""
    candidate: str
    """Empty while the study it came from is still blind."""
    scenario: str = ""
    sample: str = ""
    dimension: str = ""
    tag: str = ""
    seen: str = Field(min_length=1, max_length=4000)
    severity: Literal[1, 2, 3, 4] = 2
    author: str
    created_at: str
    state: NoteState = "open"
    due_at: str
    """When it has to be looked at again."""
    cycle: int = 0
    study: str = ""
    answer: str = ""
    """Id of the shown answer, for records made in a study."""
    history: tuple[Change, ...] = ()
