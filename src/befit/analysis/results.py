"""What the analysis hands on: frozen results in which every number is an estimate.

The report, the command line and the Python interface all read these; none of
them computes anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from befit.analysis.dose_result import Doses
from befit.analysis.engineering_detail import EngineeringDetail
from befit.analysis.over_time_result import TimeCurve
from befit.analysis.recall_result import RecallCell
from befit.analysis.split_result import InstanceCell, Sweep
from befit.analysis.wording_result import Wordings
from befit.core.estimate import Estimate
from befit.core.written import many

COVERAGE = 0.95
"""With values for less than this share of the planned samples a candidate is not ranked."""
IN_CLUSTERS = "in clusters as large as these"
"""What a number of samples supposes where the samples measured share clusters."""

DifferenceVerdict = Literal["better", "worse", "not_distinguishable", "not_ranked"]
APART = frozenset({"better", "worse"})
"""Verdicts that tell two candidates apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One candidate's estimate in one row of the matrix."""

    candidate: str
    estimate: Estimate
    letters: str
    """Rank group letters within the row; "" without a comparison or with too little coverage."""
    thin: bool
    below_gate: bool | None
    """True: fails its acceptance threshold; None: cannot tell, or no threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """A minus B on the samples both answered, with the test that settles it."""

    a: str
    b: str
    row: str
    """Key of the matrix row."""
    estimate: Estimate
    """`n_samples` pairs, `n_trials` of both on them, `n_missing` samples that one of them lacks."""
    p_value: float | None
    p_adjusted: float | None
    """Holm over the pairs of this row."""
    verdict: DifferenceVerdict
    """`not_ranked`: one of them has too few of the planned samples to be ranked."""
    samples_needed: int | None
    """Samples that would settle a difference as large as the one seen; None if settled.

    Where samples share clusters, in clusters as large as those measured.
    """
    confounded_by: tuple[str, ...] = ()
    """What differs between the two besides what is compared (for instance `template`)."""
    not_ranked: tuple[str, ...] = ()
    """Who of them is not ranked, with the samples there are, as `a 80 of 120`."""
    clustered: bool = False
    """Whether samples share clusters, so that `samples_needed` counts them in such clusters."""

    @property
    def settling(self) -> str:
        """How many samples would settle it, in words; empty where none would, or it is settled."""
        if not self.samples_needed:
            return ""
        how = f" {IN_CLUSTERS}" if self.clustered else ""
        return f"about {many(self.samples_needed, 'sample')}{how}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One row: a dimension's headline metric, a scenario's metric, or a kind's pass rate."""

    key: str
    level: Literal["dimension", "scenario", "kind", "language"]
    title: str
    metric: str
    metric_title: str
    dimension: str
    scenarios: tuple[str, ...]
    critical: bool
    threshold: float | None
    cells: tuple[Cell, ...]
    """In the order of the candidates."""
    differences: tuple[PairDifference, ...]
    rank_sets: dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityCell:
    """Consistency of one candidate on one scenario over its repeats."""

    candidate: str
    scenario: str
    equality: str
    """How answers were called the same."""
    agreement: Estimate
    pass_all: Estimate
    """pass^3: the probability that three independent repeats are all right."""
    accuracy: Estimate
    composite: Estimate
    """Accuracy x agreement; pays a candidate for being consistently wrong (known weakness)."""
    always_right: Estimate
    mixed: Estimate
    always_wrong: Estimate
    flip_flops: tuple[str, ...]
    """Samples whose verdict changed between repeats, at most 200; `mixed` counts them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsabilityCell:
    """Capability and usability side by side: what it can do, does, and does reliably."""

    candidate: str
    scenario: str
    ceiling: Estimate
    """pass@k: right at least once in k repeats."""
    mean: Estimate
    reliable: Estimate
    """pass^k: right in all of k repeats."""
    k: int
    cost_per_success: Estimate
    latency_p50: Estimate
    latency_p95: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineeringCell:
    """Latency, length, cost and failures of one candidate (on one scenario, or all: None)."""

    candidate: str
    scenario: str | None
    first_token_p50: Estimate
    first_token_p95: Estimate
    latency_p50: Estimate
    latency_p95: Estimate
    latency_p99: Estimate
    input_tokens_p50: Estimate
    """Of a task, over its calls; cached ones included. So are the output tokens with reasoning."""
    input_tokens_p95: Estimate
    output_tokens_p50: Estimate
    output_tokens_p95: Estimate
    cost_per_call: Estimate
    """USD per answer of the model; a conversation takes several."""
    cost_per_task: Estimate
    """USD per trial, all its calls and failed tries included."""
    cost_per_success: Estimate
    cost_per_month: Estimate
    """USD at the traffic that the tiers state."""
    tasks_per_month: float
    scheduled_p50: Estimate
    """Latency from the moment a call was due: rate limits, failed tries and pauses included."""
    scheduled_p95: Estimate
    scheduled_p99: Estimate
    timeout_rate: Estimate
    missing_rate: Estimate
    retry_rate: Estimate
    truncation_rate: Estimate
    total_cost: float | None
    """USD spent in this run; None where a price is unknown."""
    retry_cost: float | None
    """The part of it that failed tries have cost; None where none of them told."""
    unknown_cost_calls: int
    untold_tries: int
    """Failed tries that may have been billed at a cost nobody told: the costs are at least so."""
    reused_trials: int
    failures: dict[str, int]
    """Final failures by kind."""
    served_models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCell:
    """One field of an extraction scenario for one candidate: outcomes and the three checks."""

    candidate: str
    scenario: str
    field: str | None
    """None: all fields together, clustered by document."""
    outcomes: dict[str, int]
    """Fields by label; `no_answer` are those of trials in which the candidate itself failed."""
    readable: Estimate
    """Parse success rate: answers that could be read, of all; the same for every field."""
    accuracy: Estimate
    """Right, or rightly without value, of all fields."""
    present: Estimate
    """Given where the document has it and not given where not, of the readable answers."""
    value: Estimate
    """The right value, of the fields given that the document has."""
    format: Estimate
    """In the format asked for, of the fields given."""
    marked_not_found: Estimate
    """Of the fields the document does not have; so are `omitted` and `invented`."""
    omitted: Estimate
    invented: Estimate
    """Hallucination rate: filled with a guess."""
    missed: Estimate
    """Miss rate: no value, of the fields the document has."""
    coverage: Estimate
    """Answered with a value, of all fields."""
    selective_accuracy: Estimate
    """Right, of the fields answered with a value."""
    f1: Estimate
    penalised_even: Estimate
    """(right - (wrong + invented)) / all: a mistake costs what a right field is worth."""
    penalised_strict: Estimate
    """(right - 3 (wrong + invented)) / all: for who answers only when 75 % sure (Kalai 2025)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """How often a candidate failed in a named way on a scenario."""

    candidate: str
    scenario: str
    mode: str
    """A named failure mode, or "other"."""
    count: int
    share: Estimate
    """Of all trials that were scored."""
    examples: tuple[tuple[str, str, int], ...]
    """(sample id, variant, repeat) of the first few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairProfile:
    """Two candidates that share a rank group somewhere: where they differ after all."""

    a: str
    b: str
    shared_rows: tuple[str, ...]
    differing: tuple[PairDifference, ...]
    """Significant at a false discovery rate of 5 % over all pairs and rows (exploratory)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakSpot:
    """A candidate's weakest cell, critical scenarios first."""

    candidate: str
    row: str
    title: str
    estimate: Estimate
    critical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is missing or weak in the evidence, and what would mend it."""

    severity: Literal["missing", "weak", "note"]
    text: str
    do: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCurve:
    """How answers hold over the turns of a scenario's conversations."""

    candidate: str
    scenario: str
    turns: tuple[tuple[int, Estimate], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSurvival:
    """The share of chains that are alive after a step, with its pointwise interval."""

    step: int
    at_risk: int
    failed: int
    alive: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainCurve:
    """How chains live over their steps; `points` are the steps at which some broke."""

    candidate: str
    scenario: str
    n_chains: int
    n_missing: int
    longest: int
    points: tuple[StepSurvival, ...]
    unbroken: Estimate
    """All chains whole, before the first step at which one broke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What one judge has cost on one scenario; never part of what a candidate costs."""

    judge: str
    scenario: str
    calls: int
    """Verdicts given for this run."""
    cost: float | None
    """USD; None where no call has a known cost."""
    unknown_cost_calls: int
    retry_cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCost:
    """What the simulated user of a scenario has cost with one candidate; never part of its cost."""

    candidate: str
    scenario: str
    conversations: int
    cost: float | None
    """USD; None where no conversation has a known one."""
    unknown: int
    own: float | None
    """What the candidate's own calls of these conversations have cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTries:
    """What the failed tries of one candidate on one scenario failed of, before they were mended."""

    candidate: str
    scenario: str
    kinds: dict[str, int]
    """Failed tries by kind of failure, the most frequent first."""
    tasks: int
    """Finished tasks with a failed try."""
    read: int
    """Of them so many were looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherScore:
    """A score of whole trials that no row of the matrix shows; see `further`."""

    scenario: str
    metric: str
    candidate: str
    estimate: Estimate
    threshold: float | None = None
    """What the scenario's acceptance asks of it."""
    below_gate: bool | None = None
    """Whether it is proven not to be met; None: not known, or none is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything a report says of a run."""

    run_id: str
    candidates: tuple[str, ...]
    dimension_rows: tuple[MatrixRow, ...]
    scenario_rows: tuple[MatrixRow, ...]
    kind_rows: tuple[MatrixRow, ...]
    stability: tuple[StabilityCell, ...]
    usability: tuple[UsabilityCell, ...]
    engineering: tuple[EngineeringCell, ...]
    fields: tuple[FieldCell, ...]
    failures: tuple[FailureCount, ...]
    profiles: tuple[PairProfile, ...]
    weak_spots: tuple[WeakSpot, ...]
    findings: tuple[Finding, ...]
    turns: tuple[TurnCurve, ...] = ()
    chains: tuple[ChainCurve, ...] = ()
    engineering_details: tuple[EngineeringDetail, ...] = ()
    """How steady time, length and cost are, and how verbose; see `engineering_detail`."""
    judge_costs: tuple[JudgeCost, ...] = ()
    failed_tries: tuple[FailedTries, ...] = ()
    user_costs: tuple[UserCost, ...] = ()
    over_time: tuple[TimeCurve, ...] = ()
    """The same candidates in other runs of the same samples."""
    recalls: tuple[RecallCell, ...] = ()
    """Key facts found, micro beside macro."""
    instances: tuple[InstanceCell, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    further: tuple[FurtherScore, ...] = ()
    """Scores of whole trials beside those of the matrix."""
    wordings: Wordings = field(default_factory=Wordings)
    """How results move with the wording of the prompt; see `wording`."""
    doses: Doses = field(default_factory=Doses)
    """Curves over difficulty, and the same items asked in several ways; see `dose`."""
