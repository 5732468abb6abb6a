"""A decision: what the evidence and the policy say together, and what is still open.

It is a record of its own, kept for good: who decided when, on which run, by
which policy, on what evidence, and what would have changed it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy

Verdict = Literal["pass", "fail", "insufficient_evidence"]
Source = Literal["policy", "acceptance", "tier", "requirement"]
Outcome = Literal["decided", "not_decided", "none_good_enough"]
Confidence = Literal["high", "moderate", "low"]


PREFERRED = "human_preferred"
"""Beside the metrics of people: whether votes tell a pair apart (`versus`), 1 or 0."""


def versus(one: str, other: str) -> str:
    """Return the place of a pair where else a candidate's name stands."""
    return f"{one}\x1f{other}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """One gate for one candidate: the evidence, the bound used, and the samples still needed."""

    candidate: str
    gate: Gate
    verdict: Verdict
    evidence: Estimate
    bound: float | None
    samples_needed: int | None = None
    scenario: str | None = None
    source: Source = "policy"
    why: str = ""
    """For requirements: what is stated; for a tier's floor: what it is made of; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The candidate that serves a tier, and who steps in when it fails."""

    tier: str
    candidate: str
    fallback: str | None = None
    runner_up: str | None = None
    settled: bool = True
    """False: proven good enough, but another might still turn out better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One candidate in one tier: where it stands and why."""

    candidate: str
    provider: str
    verdict: Verdict
    """Of all gates together, at the error of the whole decision."""
    quality: Estimate
    cost_per_task: Estimate
    cost_per_success: Estimate
    latency_p95: Estimate
    letters: str = ""
    front: Literal["on", "dominated", "unknown"] = "unknown"
    front_chance: float | None = None
    """Bootstrap probability of lying on the frontier."""
    dominated_by: tuple[str, ...] = ()
    why: str = ""
    untold_tries: int = 0
    """Failed tries of unknown cost: what it costs is at least what is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """Cheap first, escalate by a stated rule; chosen on one half, judged on the other."""

    first: str
    then: str
    rule: str
    cost_per_task: float
    escalated: float
    quality: Estimate
    meets_floor: Verdict
    saving: float
    """USD per task against the tier's route alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierDecision:
    """What was decided for one task tier."""

    tier: str
    scenarios: tuple[str, ...]
    volume_per_month: int
    outcome: Outcome
    candidate: str | None
    fallback: str | None
    runner_up: str | None
    contenders: tuple[str, ...]
    """Not decided: between whom."""
    samples_needed: int | None
    """Not decided: about so many samples in all settle it."""
    nearest: str | None
    """None is good enough: who comes nearest."""
    missing: str
    """None is good enough: what the nearest one lacks."""
    reason: str
    confidence: Confidence
    standings: tuple[Standing, ...]
    cascade: Cascade | None = None
    people: tuple[str, ...] = ()
    """The scenarios without an automatic score, whose quality is what people said."""
    quality_name: str = "pass rate"
    """What the quality of the standings is, in words."""
    by_samples: tuple[str, ...] = ()
    """Not decided: those of the contenders that `samples_needed` samples settle."""
    lacking: tuple[str, ...] = ()
    """Not decided: what no number of samples settles, and what would, in clauses."""
    clustered: bool = False
    """Whether samples share clusters: `samples_needed` counts them in clusters as large."""
    gated: bool = True
    """False: no gate is stated here, so nobody is proven; "pass" is not shown to be worse."""

    @property
    def by_people(self) -> bool:
        """Whether the quality rests on people alone."""
        return bool(self.people) and set(self.people) == set(self.scenarios)


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """The best-fitting combination beside one model for all tiers; USD per month."""

    cost: Estimate
    one_model: str | None
    one_model_cost: Estimate
    saving: Estimate
    models: int
    assumed_volume: bool
    """True where no tier states its traffic: then it is per 1,000 tasks of each tier."""
    untold_tries: int = 0
    """Failed tries of unknown cost of those chosen: the cost is at least what is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintPrice:
    """What one constraint costs: the same problem solved without it."""

    constraint: str
    saving: float | None
    """USD per month, below 0 what it costs more; None where that is unknown or nobody is routed."""
    routes: dict[str, str]
    """Tier -> candidate without it, where that differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The smallest change of one thing that changes a route."""

    tier: str
    what: str
    now: float | None
    flips_at: float | None
    to: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreEvidence:
    """Further evidence that could be bought, and what it is worth."""

    scenario: str
    candidates: tuple[str, ...]
    samples: int
    cost: float | None
    settles: float
    """Chance by which the probability of a wrong choice falls."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What could change the decision."""

    stands: float | None
    """Probability that all routes are the best ones, all doubts moved at once."""
    by_tier: dict[str, float]
    by_doubt: dict[str, float]
    """The same with one kind of doubt at a time: quality, prices, traffic, weights."""
    expected_loss: float | None
    """USD per month, against knowing the truth."""
    flips: tuple[Flip, ...]
    evidence: tuple[MoreEvidence, ...]
    draws: int
    loss: Estimate | None = None
    """`expected_loss` with the interval that so many draws give it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer of the funnel: who entered, who left and why, or why it was not run."""

    name: str
    status: Literal["run", "not run"]
    kept: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicView:
    """Public positions beside the evidence of one's own."""

    leaderboard: str
    public: dict[str, float]
    own: dict[str, float]
    tau: Estimate
    turned: tuple[tuple[str, str, str], ...]
    """(a, b, what): pairs whose order turns round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """How a run that stopped itself at the decision went."""

    reason: Literal["decided", "futility", "cap", "all samples"]
    calls: int
    planned: int
    """Calls a fixed-size run of the same power would have made."""
    saved: float | None
    """Share of calls saved; None where nothing is claimed."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyVotes:
    """The votes of one study on one scenario, and whether they count in what people said."""

    study: str
    metric: str
    scenario: str
    votes: int
    people: int
    counted: bool
    shown: str = ""
    """How the answers were shown: style and masking."""
    elsewhere: bool = False
    """The votes were made elsewhere."""
    broken: bool = False
    """The blinding was broken before the study was closed."""
    why: str = ""
    """Not counted: why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The written outcome. No route for a tier means "not decided" or "none is good enough"."""

    policy: Policy
    verdicts: tuple[GateVerdict, ...]
    letters: dict[str, str]
    routes: tuple[Route, ...]
    open_questions: tuple[str, ...]
    run_id: str = ""
    project: str = ""
    made_at: str = ""
    made_by: str = ""
    befit_version: str = ""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """Candidate -> fingerprint."""
    prices: dict[str, str] = field(default_factory=dict)
    """Candidate -> price snapshot."""
    set_versions: dict[str, str] = field(default_factory=dict)
    """Scenario -> version of its sample set."""
    tiers: tuple[TierDecision, ...] = ()
    combination: Combination | None = None
    constraints: tuple[ConstraintPrice, ...] = ()
    sensitivity: Sensitivity | None = None
    funnel: tuple[Layer, ...] = ()
    public: PublicView | None = None
    stopped: Stopped | None = None
    people_votes: tuple[StudyVotes, ...] = ()
    """The unblinded studies on the run: which votes are behind what people said."""

    @property
    def outcome(self) -> Outcome:
        """Decided where every tier is; none good enough where some tier has nobody."""
        found = {tier.outcome for tier in self.tiers}
        if "none_good_enough" in found:
            return "none_good_enough"
        return "decided" if found == {"decided"} else "not_decided"
