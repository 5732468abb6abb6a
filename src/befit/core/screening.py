"""Screening: what is asked of public benchmarks, and what came of it, as it is stored in a run.

Settings are written by people (the `screening:` section of a project, or a file
of its own). A `Screening` is the frozen outcome: it is part of the run's
manifest, so that a report says for ever what was known when the run began.
All numbers are in the unit of the table (percent stay percent, Elo stays Elo).
"""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 - fields here are called `date`
from typing import Literal

from pydantic import Field, model_validator

from befit.core.estimate import Estimate
from befit.core.record import Record

Outcome = Literal["cleared", "excluded", "cannot_tell"]
Level = Literal["benchmark", "skill", "composite"]
ASSUMED_ITEMS = 100
"""Items assumed of a benchmark of which nothing is known; the report says so."""


class CutOff(Record):
    """A floor with a margin: only what is shown to lie below `at - margin` is excluded."""

    at: float
    margin: float = Field(default=0.0, ge=0)

    @property
    def line(self) -> float:
        """The value that is tested."""
        return self.at - self.margin


class BenchmarkSettings(Record):
    """What is known of one benchmark and asked of it; whatever is unset is read from the table.

    `scale` gives the fixed anchors: worst and best possible value. Without anchors
    a benchmark has no place in a composite and no assumed noise.
    """

    items: int | None = Field(default=None, gt=0)
    """Items it has, where the table does not say."""
    scale: Literal["percent", "fraction"] | tuple[float, float] | None = None
    """`percent`, `fraction`, or [worst, best]: the fixed anchors."""
    skill: str | None = None
    """What it measures, for cut-offs by skill."""
    languages: tuple[str, ...] | None = None
    """Languages it touches."""
    modality: tuple[str, ...] | None = None
    """What it shows: `text`, `image` ..."""
    date: str | None = None
    """When its results were published."""
    source: str | None = None
    """Where they come from."""
    cut_off: float | None = None
    """Floor, in the unit of the table."""
    margin: float = Field(default=0.0, ge=0)
    """Only what is shown to lie this far below the cut-off is excluded."""
    aggregate: bool | None = None
    """An average of other benchmarks: in no composite by default."""
    ignore: bool = False
    """Leave the column out."""

    @model_validator(mode="after")
    def _anchors(self) -> BenchmarkSettings:
        if isinstance(self.scale, tuple) and not self.scale[0] < self.scale[1]:
            raise ValueError("'scale' is [worst, best], the best above the worst")
        return self

    @property
    def anchors(self) -> tuple[float, float] | None:
        """Worst and best possible value, where stated."""
        if self.scale == "percent":
            return (0.0, 100.0)
        if self.scale == "fraction":
            return (0.0, 1.0)
        return self.scale


class CompositeSettings(Record):
    """A weighted mean of benchmarks on their anchors (0 to 100). No weights: all equal."""

    weights: dict[str, float] = Field(default_factory=dict)
    """Benchmark -> weight; all with a scale, equally, where empty."""
    cut_off: float | None = None
    """Floor, 0 to 100."""
    margin: float = Field(default=0.0, ge=0)
    """As for a benchmark."""


class SkillSettings(Record):
    """A floor for the mean of all benchmarks of a skill, on their anchors (0 to 100)."""

    cut_off: float | None = None
    """Floor, 0 to 100."""
    margin: float = Field(default=0.0, ge=0)
    """As for a benchmark."""


class ScreeningSettings(Record):
    """The `screening:` section: tables, what is known of their benchmarks, and cut-offs."""

    table: str | tuple[str, ...] = ()
    """Path of a table, a log, a folder of logs, or several."""
    source: str | None = None
    """Where the results come from, where the table does not say."""
    date: str | None = None
    """When they were published, where the table does not say."""
    models: tuple[str, ...] = ()
    """Only these; all where empty."""
    benchmarks: dict[str, BenchmarkSettings] = Field(default_factory=dict)
    """Name of the column -> what is known of it and asked of it."""
    skills: dict[str, SkillSettings] = Field(default_factory=dict)
    """Skill -> floor for the mean of its benchmarks."""
    composites: dict[str, CompositeSettings] = Field(default_factory=dict)
    """Name -> weighted means of benchmarks, side by side."""
    assumed_items: int = Field(default=ASSUMED_ITEMS, gt=0)
    """Items assumed of a benchmark whose number nobody states."""
    one_composite_excludes: bool = False
    """Let a single composite exclude a model; by default at least two must agree."""
    cut_dates: dict[str, Date] = Field(default_factory=dict)
    """Model -> day its training data ends, for the date split of results per item."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The paths as a tuple."""
        return (self.table,) if isinstance(self.table, str) else self.table


class Verdict(Record):
    """One model against one cut-off, in the unit of the table."""

    model: str
    on: str
    level: Level
    estimate: Estimate
    cut_off: CutOff
    outcome: Outcome
    by_a_hair: bool
    """The line is nearly as close as the noise."""
    items_needed: int | None
    """Items in all that would settle it, if the value seen is the true one."""
    noise: str
    """Where the interval comes from, in words."""
    source: str
    date: str


class ModelOutcome(Record):
    """All cut-offs together for one model."""

    model: str
    outcome: Outcome
    reasons: tuple[str, ...]


class BenchmarkInfo(Record):
    """One column: what it covers and what it can still tell."""

    name: str
    n_models: int
    items: int | None
    anchors: tuple[float, float] | None
    skill: str | None
    languages: tuple[str, ...]
    modality: tuple[str, ...]
    aggregate: bool
    source: str
    date: str
    best: str
    best_share: float | None
    """Share of the ceiling that the best model reaches."""
    top_spread: float | None
    """Best minus fifth, in the table's unit."""
    top_noise: float | None
    """The spread that so many equal models would show by chance (95 %)."""
    saturated: bool | None
    correlation: float | None
    """Median rank correlation with the other benchmarks; None with too few common models."""


class RankEntry(Record):
    """One model in the rank groups of one benchmark."""

    model: str
    estimate: Estimate
    letters: str
    noise: str


class Neighbours(Record):
    """Two models that stand next to each other on a benchmark."""

    upper: str
    lower: str
    gap: float
    noise: float | None
    """Half-width of the gap's 95 % interval; None where no noise is known."""
    run_noise: float | None
    """The part of it that repeated evaluations show (95 %); None without repeats."""
    within_noise: bool | None


class RankGroups(Record):
    """Who can be told from whom on one benchmark; letters, never places."""

    benchmark: str
    paired: Literal["all", "some", "none"]
    entries: tuple[RankEntry, ...]
    neighbours: tuple[Neighbours, ...]
    n_left_out: int


class CompositeEntry(Record):
    """One model's composite (0 to 100) and how it fares over all weights."""

    model: str
    low: float
    high: float
    """Both ends are the composite itself unless cells are missing."""
    n_missing: int
    p_first: float | None = None
    p_top3: float | None = None
    ranks: tuple[int, int] | None = None
    """Central 95 % of its ranks over drawn weights and scores."""
    central_weights: dict[str, float] = Field(default_factory=dict)
    """Mean weights of the draws in which it is first."""


class Flip(Record):
    """The smallest change of one weight that puts another model first."""

    benchmark: str
    stated: float
    weight: float
    winner: str


class Segment(Record):
    """Who is first while one weight lies between two values."""

    low: float
    high: float
    winner: str


class Sweep(Record):
    """Who is first as one weight goes from 0 to 1 and the others keep their proportions."""

    benchmark: str
    stated: float
    segments: tuple[Segment, ...]


class Composite(Record):
    """A composite with its doubts."""

    name: str
    weights: dict[str, float]
    stated: bool
    """Whether the weights were stated; else they are equal."""
    entries: tuple[CompositeEntry, ...]
    """Complete models by composite, then the incomplete ones."""
    n_left_out: int
    first: str | None
    tau_mean: float | None
    """Kendall's tau between the stated ranking and that of drawn weights and scores."""
    tau_low: float | None
    flip: Flip | None
    sweeps: tuple[Sweep, ...]


class Disagreement(Record):
    """Two metrics or composites that order models differently."""

    a: str
    b: str
    n_models: int
    n_pairs: int
    n_disagree: int
    correlation: float | None
    examples: tuple[tuple[str, str], ...]
    """Pairs (above on `a`, above on `b`), the largest disagreements first."""
    cut_offs: tuple[str, ...]
    """Models that one clears and the other excludes."""


class Evidence(Record):
    """Signs that a model saw public items in training; a level of evidence, never a verdict."""

    model: str
    level: Literal["none", "weak", "strong", "not_enough"]
    gap: Estimate
    """Original minus perturbed, on the same items."""
    beyond_references: Estimate
    """That gap minus the mean gap of the reference models."""
    p_value: float | None
    """One-sided, Holm-adjusted over the models looked at."""
    date_split: Estimate
    """Loss on items newer than the cut, beyond that of the references."""
    references: tuple[str, ...]
    signs: tuple[str, ...]


class Screening(Record):
    """Everything screening found, frozen."""

    made_on: str
    tables: tuple[str, ...]
    table_hash: str
    n_models: int
    verdicts: tuple[Verdict, ...] = ()
    models: tuple[ModelOutcome, ...] = ()
    benchmarks: tuple[BenchmarkInfo, ...] = ()
    groups: tuple[RankGroups, ...] = ()
    composites: tuple[Composite, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    uncovered: tuple[str, ...] = ()
    """Languages and modalities that scenarios need and no benchmark touches."""
    contamination: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def survivors(self) -> tuple[str, ...]:
        """Models that nothing excludes."""
        return tuple(one.model for one in self.models if one.outcome != "excluded")
