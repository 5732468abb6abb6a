"""Gates: which apply to a scenario, and the three-valued verdict on each candidate.

Each gate alone is judged by one-sided 95 % bounds, and so it is shown. A route
needs more: with many candidates and tiers, some bad candidate would pass by
luck, so all (candidate, tier) pairs are judged together, Holm's way, at the
error of the whole decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log

from befit.core.decision import GateVerdict, Source, Verdict
from befit.core.estimate import Estimate, not_measured
from befit.core.policy import LESS_IS_BETTER, Gate, Policy
from befit.core.tier import Tier
from befit.decide.amounts import usd
from befit.decide.evidence import Evidence, ScenarioEvidence
from befit.stats.design import design_effect_of
from befit.stats.distributions import one_sided, z_value
from befit.stats.gates import against_ceiling, against_floor
from befit.stats.power import samples_for_gate

ALONE = 0.95
MOST = 100_000
"""More samples than this are no advice: the value is too close to its limit to be told apart."""
PASS_NAMES = ("pass_rate", "pass")
RANKS = {"p95": 0.95, "p99": 0.99}
"""Quantiles of which few samples have no upper bound."""
ELSEWHERE = {
    "human_win_rate": "not reviewed by people; run `befit review create`",
    "human_rubric": "not reviewed by people; run `befit review create`",
    "throughput": "no load was measured; run `befit load`",
    "fallback_retention": "no fallback was checked; run `befit fallback check`",
}
"""Metrics that no run holds, and what to say where nobody has measured them."""
OF_ALL = {"missing_rate", "failure_rate", "retry_rate", *ELSEWHERE}
"""Metrics that do not rest on the answers of a run alone: no answer is missing in them."""
MEASURED_BY = {
    "human_win_rate": "more votes (`befit review create`)",
    "human_rubric": "more votes (`befit review create`)",
    "throughput": "a longer `befit load`",
    "fallback_retention": "more samples that both answered (`befit fallback check`)",
}
"""What makes each of those more certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A gate as it applies to one scenario."""

    gate: Gate
    scenario: ScenarioEvidence
    source: Source
    why: str = ""
    """Of a tier's floor: what it is made of."""


def tier_floor(tier: Tier, policy: Policy) -> float | None:
    """Return the pass rate at which right answers are worth what wrong ones cost; None: no floor.

    q x value = (1 - q) x cost of error x complexity.
    """
    if not policy.tier_floors or tier.cost_of_error <= 0:
        return None
    loss = tier.cost_of_error * getattr(policy.complexity, tier.complexity)
    return float(loss / (tier.value + loss)) if tier.value > 0 else None


def gates_of(one: ScenarioEvidence, tier: Tier, policy: Policy) -> tuple[Placed, ...]:
    """Return all gates of a scenario; its own floor on the pass rate before that of its tier."""
    found = [
        Placed(gate=gate, scenario=one, source="policy")
        for gate in policy.gates
        if gate.scenario in {None, one.name}
    ]
    named = {g.gate.metric for g in found} | {
        "pass_rate" for g in found if g.gate.metric in PASS_NAMES
    }
    wanted = dict(one.accept.metrics)
    if one.accept.pass_rate is not None:
        wanted["pass_rate"] = one.accept.pass_rate
    for metric, limit in wanted.items():
        if metric not in named:
            gate = _gate(metric, one.name, limit)
            found.append(Placed(gate=gate, scenario=one, source="acceptance"))
    floor = tier_floor(tier, policy)
    if floor is not None and "pass_rate" not in named | wanted.keys():
        gate = Gate(metric="pass_rate", scenario=one.name, floor=round(floor, 4))
        loss = tier.cost_of_error * getattr(policy.complexity, tier.complexity)
        why = f"tier {tier.name}: a right answer is worth {usd(tier.value)}, a wrong one costs "
        found.append(Placed(gate=gate, scenario=one, source="tier", why=why + usd(loss)))
    return tuple(found)


def _gate(metric: str, scenario: str, limit: float) -> Gate:
    if metric.startswith(LESS_IS_BETTER):
        return Gate(metric=metric, scenario=scenario, ceiling=limit)
    return Gate(metric=metric, scenario=scenario, floor=limit)


def estimate_of(evidence: Evidence, placed: Placed, candidate: int, *, level: float) -> Estimate:
    """Return the estimate a gate is judged by."""
    name = placed.gate.metric
    outside = evidence.outside.get((name, placed.scenario.name, evidence.candidates[candidate]))
    if outside is not None:
        return at_level(outside, level)
    if name in ELSEWHERE:
        return not_measured(ELSEWHERE[name])
    return placed.scenario.measure(name, candidate, level)


def at_level(found: Estimate, level: float) -> Estimate:
    """Return an estimate made elsewhere at another level, by the normal quantiles.

    What made it is not at hand, so its limits are stretched; a rate stays within 0 and 1
    where it was.
    """
    if found.value is None or level == found.level:
        return found
    factor = z_value(level) / z_value(found.level)
    ends = [None if end is None else found.value + factor * (end - found.value)
            for end in (found.low, found.high)]  # fmt: skip
    held = [found.value, *(end for end in (found.low, found.high) if end is not None)]
    if min(held) >= 0 and max(held) <= 1:
        ends = [None if end is None else min(1.0, max(0.0, end)) for end in ends]
    return replace(found, low=ends[0], high=ends[1], level=level)


def judged(gate: Gate, bounds: Estimate) -> Verdict:
    """Judge a gate by the bounds given."""
    if bounds.value is None:
        return "insufficient_evidence"
    if gate.floor is not None:
        return against_floor(bounds, floor=gate.floor)
    return against_ceiling(bounds, ceiling=gate.limit)


def verdict(evidence: Evidence, placed: Placed, candidate: int) -> GateVerdict:
    """Judge one gate alone, at one-sided 95 %."""
    bounds = estimate_of(evidence, placed, candidate, level=one_sided(ALONE))
    shown = estimate_of(evidence, placed, candidate, level=0.95)
    found = judged(placed.gate, bounds)
    if placed.gate.metric in PASS_NAMES:
        name = evidence.candidates[candidate]
        found = evidence.settled.get((placed.scenario.name, name), found)
    lacks = placed.gate.metric not in OF_ALL and placed.scenario.lacking(candidate) is not None
    if found == "pass" and lacks:
        found = "insufficient_evidence"  # which answers are left may be the candidate's choice
    floor = placed.gate.floor is not None
    used = {"pass": bounds.low if floor else bounds.high,
            "fail": bounds.high if floor else bounds.low}  # fmt: skip
    return GateVerdict(
        candidate=evidence.candidates[candidate],
        gate=placed.gate,
        verdict=found,
        evidence=shown,
        bound=used.get(found, used["pass"]),
        samples_needed=needed(placed, bounds, shown, level=ALONE)
        if found == "insufficient_evidence" and not lacks
        else None,
        scenario=placed.scenario.name,
        source=placed.source,
        why=placed.why,
    )


def needed(placed: Placed, bounds: Estimate, shown: Estimate, *, level: float) -> int | None:
    """Return the samples in all that would settle a gate; None where no number would, or unknown.

    For rates by the normal approximation, times the design effect of clusters and weights
    (read off `shown`, the same at 95 %); for amounts by how the interval shrinks with the
    square root of n. So in samples that come in clusters of the same size.
    """
    gate, value = placed.gate, bounds.value
    if value is None or not bounds.n_samples:
        return None
    if gate.floor is not None and 0 < gate.floor < 1 and 0 <= value <= 1:
        found = samples_for_gate(value, floor=gate.floor, level=level)
        found = None if found is None else ceil(found * design_effect_of(shown))
        return None if found is None or found > MOST else max(found, bounds.n_samples + 1)
    side = bounds.high if value <= gate.limit else bounds.low
    rank = gate.metric.rpartition("_")[2]
    if side is None and rank in RANKS:
        # so few samples have no bound of their own at this rank: from here on they have
        least = int(log(1 - level) / log(RANKS[rank])) + 1
        return max(bounds.n_samples + 1, least)
    if side is None or value in {gate.limit, side}:
        return None
    factor = ((side - value) / (gate.limit - value)) ** 2
    amount = int(factor * bounds.n_samples * 1.5) + 1
    return None if amount > MOST else max(bounds.n_samples + 1, amount)


def requirement_verdicts(
    evidence: Evidence, policy: Policy, candidate: int
) -> tuple[GateVerdict, ...]:
    """Judge what the policy requires of a candidate's stated traits."""
    if not evidence.traits:
        return ()
    traits, require = evidence.traits[candidate], policy.require
    asked: list[tuple[str, bool | None, str]] = []
    if require.context_tokens is not None:
        own = traits.context_tokens
        met = None if own is None else own >= require.context_tokens
        asked.append(("context_tokens", met, "not stated" if own is None else f"{own:,} tokens"))
    for name in ("tools", "vision"):
        if getattr(require, name):
            own = getattr(traits, name)
            asked.append((name, own, {None: "not stated", True: "yes", False: "no"}[own]))
    if require.regions:
        met = None if traits.region is None else traits.region in require.regions
        asked.append(("region", met, traits.region or "not stated"))
    if require.providers:
        provider = evidence.provider(candidate)
        asked.append(("provider", provider in require.providers, provider))
    verdicts: dict[bool | None, Verdict] = {
        True: "pass",
        False: "fail",
        None: "insufficient_evidence",
    }
    return tuple(
        GateVerdict(
            candidate=evidence.candidates[candidate],
            gate=Gate(metric=name, floor=1.0),
            verdict=verdicts[met],
            evidence=Estimate(
                value=None, low=None, high=None, n_samples=0, n_trials=0, n_missing=0,
                method=f"stated, not measured: {said}",
            ),
            bound=None,
            source="requirement",
            why=said,
        )
        for name, met, said in asked
    )  # fmt: skip
