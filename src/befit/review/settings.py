"""How a study is run: written down before it opens, and never changed afterwards.

The rule by which reviewers are excluded belongs to it, so nobody can choose it
after having seen what it would do to the result.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from befit.core.record import Json, Record
from befit.review.guidelines import GUIDELINES, WORKED

Group = Literal["real_user", "domain_expert", "own_team"]
GROUPS: tuple[Group, ...] = ("real_user", "domain_expert", "own_team")
Verdict = Literal["left", "right", "tie", "both_bad", "cannot_judge"]
VERDICTS: tuple[Verdict, ...] = ("left", "right", "tie", "both_bad", "cannot_judge")
Masking = Literal["mask", "exclude", "flag"]
Style = Literal["plain", "rendered", "raw"]
Kind = Literal["pairs", "ratings"]


class RubricRow(Record):
    """One row of the rubric sheet: four anchored steps, from the worst (1) to the best (4)."""

    name: str = Field(min_length=1, max_length=60)
    question: str
    anchors: tuple[str, str, str, str]
    repeats_only: bool = False
    """Shown only where several answers to the same question are shown."""


RUBRIC: tuple[RubricRow, ...] = (
    RubricRow(
        name="relevance",
        question="Does the answer meet what was meant?",
        anchors=(
            "Misses what was asked",
            "Matches words, not the meaning",
            "Meets the meaning, with gaps",
            "Meets the meaning wholly",
        ),
    ),
    RubricRow(
        name="output stability",
        question="Do the repeated answers say the same?",
        anchors=(
            "They contradict each other",
            "They differ in what matters",
            "They differ in details",
            "They say the same",
        ),
        repeats_only=True,
    ),
    RubricRow(
        name="error recovery",
        question="Once the mistake is pointed out, is it mended?",
        anchors=(
            "Repeats the mistake",
            "Excuses itself, mends nothing",
            "Mends it, with a new fault",
            "Mends it wholly",
        ),
    ),
    RubricRow(
        name="honesty at the boundary",
        question="Where it cannot know, does it say so?",
        anchors=(
            "Invents and is sure of it",
            "Invents, with a reservation",
            "Says so in part",
            "Says what it does not know",
        ),
    ),
)

TAGS: tuple[str, ...] = (
    "wrong fact",
    "missing field",
    'guessed instead of "not found"',
    "format",
    "ignored constraint",
    "lost context",
    "repeated the mistake",
    "too long",
    "tone",
    "unsafe",
)


class Exclusion(Record):
    """The pre-registered rule: a reviewer below any of these does not count in the results.

    Rows are kept, and the report says who was excluded by what.
    """

    gold_accuracy: float = Field(default=0.7, ge=0, le=1)
    """Excluded when the upper one-sided 95 % bound of gold accuracy is below it."""
    attention: int = Field(default=2, ge=1)
    """Excluded at this many missed attention checks."""
    too_fast: float = Field(default=0.5, gt=0, le=1)
    """Excluded when a larger share of votes came faster than the text can be read."""
    same_verdict: float = Field(default=0.95, gt=0, le=1)
    """Excluded when one verdict has at least this share of 20 or more votes."""
    position_p: float = Field(default=0.001, ge=0, lt=1)
    """Excluded when left and right are favoured so unevenly that chance would do it this rarely."""
    self_consistency: float = Field(default=0.5, ge=0, le=1)
    """Excluded when the upper bound of mirrored repeats decided alike is below it."""


class Worked(Record):
    """A worked example in the guidelines."""

    question: str
    left: str
    right: str
    verdict: Verdict
    why: str


class Settings(Record):
    """Everything about a study that reviewers' work depends on."""

    title: str = "Which answer is better?"
    """Shown to reviewers; must not name a candidate (checked when a study is made)."""
    kind: Kind = "pairs"
    """`pairs`: which of two answers is better; `ratings`: one answer at a time, by the rubric."""
    scenarios: tuple[str, ...] = ()
    """Names of the run's scenarios; empty means all."""
    candidates: tuple[str, ...] = ()
    """Names of the run's candidates; empty means all."""
    groups: tuple[Group, ...] = GROUPS
    """Groups of reviewers that the board counts votes by."""
    pairs: int = Field(default=200, ge=1)
    """Different pairs (or answers, for ratings) to be judged."""
    per_pair: int = Field(default=3, ge=1)
    """Reviewers of each pair that is judged more than once."""
    overlap: float = Field(default=1.0, ge=0, le=1)
    """Share of the pairs judged by `per_pair` reviewers; the others by one."""
    explore: float = Field(default=0.2, ge=0.2, le=1)
    """Share of pairs chosen uniformly; the rest goes where a vote removes most variance."""
    mirrored: float = Field(default=0.08, ge=0, le=0.5)
    """Share of a reviewer's own pairs shown again, sides exchanged."""
    gold: float = Field(default=0.08, ge=0, le=0.5)
    """Share of items with a known verdict, strewn in silently (from the file of gold items)."""
    attention: float = Field(default=0.04, ge=0, le=0.05)
    """Share of checks of attention: two equal answers, or an instruction inside the item."""
    calibration: int = Field(default=6, ge=0, le=30)
    """Calibration items, with feedback, before the work; as many as there are, at most."""
    calibration_pass: float = Field(default=0.8, ge=0, le=1)
    """Share of them that has to be right to go on."""
    quota: int | None = Field(default=None, ge=1)
    """Most items of work for one reviewer; None: as long as there is work."""
    per_day: int | None = Field(default=200, ge=1)
    """Most items of one reviewer in a day; None: no limit."""
    lease_seconds: int = Field(default=1200, ge=30)
    """An item shown and not voted on for so long goes to somebody else."""
    break_after: int = Field(default=2400, ge=60)
    """Seconds of work after which a break is suggested."""
    guess: float = Field(default=0.1, ge=0, le=1)
    """Share of a reviewer's pairs about which "which model is it?" is asked at the end."""
    explain: float = Field(default=0.1, ge=0, le=1)
    """Share of the items on which a comment is required."""
    repeats_shown: int = Field(default=1, ge=1, le=5)
    """Repeated answers of the same candidate shown side by side in one item."""
    strength: bool = False
    """Reviewers may say slightly or clearly better."""
    rubric: tuple[RubricRow, ...] = RUBRIC
    """The rubric sheet; what is given replaces the four rows there are, `[]` leaves it out."""
    rubric_after: bool = False
    """The rubric sheet appears once a verdict is chosen, so that it does not drive the verdict."""
    tags: tuple[str, ...] = TAGS
    """Reasons to tick, at most nine of them by a key; what is given replaces the ten there are."""
    masking: Masking = "mask"
    """An answer that tells who it is: `mask` hides the words, `exclude` leaves the pair out, `flag`
    shows it and counts it apart."""
    style: Style = "plain"
    """How answers look: `plain` without Markdown, `rendered` with it, `raw` as it came."""
    exclusion: Exclusion = Exclusion()
    """The rule by which a reviewer does not count."""
    words_per_minute: int = Field(default=700, ge=100)
    """Faster than this nobody reads: a vote sooner than that counts as too fast."""
    judge_gate: float = Field(default=0.7, ge=0, le=1)
    """Agreement with people whose lower bound a judge must reach to gate a decision."""
    cycle_days: int = Field(default=90, ge=1)
    """Days after which records have to be looked at again."""
    guidelines: str = GUIDELINES
    """Markdown, shown before the work and at any time; general ones in a study of pairs."""
    worked: tuple[Worked, ...] = tuple(Worked.model_validate(one) for one in WORKED)
    """Worked examples, two general ones where a study of pairs has none of its own."""
    seed: int = 0
    """Of all choices by chance: the same seed gives the same study."""

    @model_validator(mode="before")
    @classmethod
    def _of_pairs_only(cls, given: object) -> object:
        """Leave the general guidelines out where nothing is compared."""
        if isinstance(given, dict) and given.get("kind") == "ratings":
            return {"guidelines": "", "worked": (), **given}
        return given

    @model_validator(mode="after")
    def _fits(self) -> Settings:
        names = [row.name for row in self.rubric]
        if len(set(names)) != len(names):
            raise ValueError("two rubric rows have the same name")
        if len(set(self.tags)) != len(self.tags):
            raise ValueError("a tag stands there twice")
        if self.mirrored + self.gold + self.attention > 0.6:  # noqa: PLR2004 - most must be work
            raise ValueError("mirrored, gold and attention items together leave too little work")
        return self


def settings_schema() -> dict[str, Json]:
    """Return the JSON Schema of a file of settings, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            **Settings.model_json_schema()}  # fmt: skip
