"""What the decision reads: one shape for a stored run and for simulated arrays.

A `ScenarioEvidence` is item means of the pass rate, costs and latencies of all
candidates on one scenario, plus a function that estimates any metric at any
level. `reading.py` fills it from the columns of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.items import Items
from befit.analysis.results import COVERAGE
from befit.core.candidate import Traits
from befit.core.decision import Verdict
from befit.core.estimate import Estimate, not_measured
from befit.core.scenario import Accept
from befit.core.tier import Tier
from befit.decide.successes import Successes, successes_of
from befit.stats.arrays import as_floats
from befit.stats.means import estimate_amount
from befit.stats.quantiles import estimate_quantile

ALL_TASKS = "all tasks"
"""The tier of scenarios that name none."""

NO_THRESHOLDS = Accept()

Measure = Callable[[str, int, float], Estimate]
"""(metric, candidate, two-sided level) -> estimate; not measured where there is no such thing."""


def may_not_gate(told: Estimate | None) -> bool:
    """Tell whether a pass rate was told to be no evidence, as that by an uncalibrated judge is."""
    return told is not None and told.value is None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScenarioEvidence:
    """One scenario's evidence; candidates are rows, samples are columns."""

    name: str
    tier: str
    items: Items
    """Item means of the pass rate."""
    cost: Floats
    """USD per task, item means, nan where unknown; same shape as the items."""
    latency: tuple[Floats, ...]
    """Seconds of each measured answer, by candidate."""
    latency_item: tuple[Ints, ...]
    """Column of the sample of each of those."""
    measure: Measure
    accept: Accept = NO_THRESHOLDS
    critical: bool = False
    repeats: int = 1
    dimension: str = ""
    answers: tuple[Floats, ...] = ()
    """By candidate (samples, repeats): code of the answer, nan where none; for cascades."""
    passes: tuple[Floats, ...] = ()
    """By candidate (samples, repeats): 1 right, 0 wrong, nan unknown; for cascades."""
    people: tuple[Estimate, ...] = ()
    """By candidate, what people said, where there is no automatic score; else empty."""
    people_metric: str = ""
    """Which of their measures that is."""
    people_apart: Bools | None = None
    """[i, j]: people's votes tell i and j apart, i preferred; None where not tested by pairs."""
    scored_cost: Floats | None = None
    """The same as `cost` over the scored trials alone; None: every answer was scored."""
    asked: Ints | None = None
    """By candidate, the samples it was asked, of a run that stopped itself; None: all planned."""
    untold: tuple[int, ...] = ()
    """By candidate, failed tries of unknown cost; empty: there are none."""

    def quality(self, candidate: int) -> Estimate:
        """Return the pass rate, or what people said where nothing was scored."""
        return self.people[candidate] if self.people else self.items.estimate(candidate)

    def ran(self, candidate: int) -> Bools:
        """Return the samples whose costs count: scored ones; all where people are the judges."""
        if self.people:
            known = self.measure("cost", candidate, 0.95).value is not None
            return np.asarray(~np.isnan(self.cost[candidate]) if known
                              else np.ones(self.n, dtype=np.bool_), dtype=np.bool_)  # fmt: skip
        return np.asarray(~np.isnan(self.items.mean[candidate]), dtype=np.bool_)

    def successes(self, candidate: int) -> Successes:
        """Return what the scored answers cost and how many of them passed."""
        costs = self.cost if self.scored_cost is None else self.scored_cost
        return successes_of(self.items, costs[candidate], candidate)

    def untold_of(self, candidate: int) -> int:
        """Return the failed tries whose cost nobody told: what the rest cost is a least sum."""
        return self.untold[candidate] if self.untold else 0

    def weights_of(self, samples: Bools | Ints) -> Floats | None:
        """Return the weights of some samples; None where all weigh the same."""
        return None if self.items.weights is None else self.items.weights[samples]

    def clusters_of(self, samples: Bools | Ints) -> Ints | None:
        """Return the clusters of some samples; None where no cluster holds two."""
        return None if self.items.clusters is None else self.items.clusters[samples]

    def lacking(self, candidate: int) -> tuple[int, int] | None:
        """Return how many of how many samples have no value, where more do than a rank may lack.

        None where enough is measured, and where people are the judges.
        """
        there, planned = self.items.with_values(candidate)
        if self.asked is not None:
            planned = max(there, int(self.asked[candidate]))
        enough = bool(self.people) or not planned or there / max(1, planned) >= COVERAGE
        return None if enough else (planned - there, planned)

    @property
    def judged(self) -> int:
        """Samples behind the quality: all, or those that people have seen."""
        seen = [one.n_samples for one in self.people if one.value is not None]
        return min(seen, default=self.n)

    @property
    def n(self) -> int:
        """Samples."""
        return int(self.items.mean.shape[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """All evidence of a decision."""

    candidates: tuple[str, ...]
    scenarios: tuple[ScenarioEvidence, ...]
    tiers: tuple[Tier, ...]
    providers: tuple[str, ...] = ()
    traits: tuple[Traits, ...] = ()
    priced: tuple[bool, ...] = ()
    """By candidate, whether it has a price; what it cost may be unknown all the same."""
    outside: Mapping[tuple[str, str, str], Estimate] = field(default_factory=dict)
    """(metric, scenario, candidate) -> estimates made elsewhere: by people, by load tests."""
    settled: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)
    """(scenario, candidate) -> verdict on the pass rate of a run that stopped itself: the
    intervals of such a run are no tests, its betting evidence is."""

    looks: int = 1
    """How often gates that are not settled by betting may be looked at: each look gets its part
    of the error."""

    def uncalibrated(self, scenario: str) -> bool:
        """Tell whether answers pass by the word of a judge whose agreement nobody measured."""
        told = (self.outside.get(("pass_rate", scenario, name)) for name in self.candidates)
        return any(map(may_not_gate, told))

    def of_tier(self, tier: str) -> tuple[ScenarioEvidence, ...]:
        """Return the scenarios of a tier."""
        return tuple(one for one in self.scenarios if one.tier == tier)

    def provider(self, candidate: int) -> str:
        """Return who serves a candidate; its own name where nobody said."""
        return self.providers[candidate] if self.providers else self.candidates[candidate]

    def covered(self, tier: str, candidate: int) -> bool:
        """Tell whether enough of a tier's planned samples is measured for a candidate to serve."""
        return covered(self.of_tier(tier), candidate)

    @property
    def served_tiers(self) -> tuple[Tier, ...]:
        """The tiers that have a scenario, in their order; one for scenarios without a tier."""
        used = {one.tier for one in self.scenarios}
        named = tuple(tier for tier in self.tiers if tier.name in used)
        left = sorted(used - {tier.name for tier in named})
        return (*named, *(Tier(name=name) for name in left))


def covered(scenarios: Sequence[ScenarioEvidence], candidate: int) -> bool:
    """Tell whether enough of the planned samples of all scenarios is measured to rank on them."""
    return all(one.lacking(candidate) is None for one in scenarios)


def cost_per_task(one: ScenarioEvidence, candidate: int) -> Estimate:
    """Return USD per task, whatever came of it."""
    if one.people:
        return one.measure("cost", candidate, 0.95)
    costs = one.cost[candidate]
    ran = one.ran(candidate)
    if not ran.any():
        return not_measured("no trials")
    if np.isnan(costs[ran]).any():
        return not_measured("price or usage unknown")
    found = estimate_amount(
        costs[ran],
        n_trials=int(ran.sum()),
        n_missing=0,
        counted=True,
        weights=one.weights_of(ran),
        clusters=one.clusters_of(ran),
    )
    return replace(found, n_trials=int(one.items.n_trials[candidate].sum()))


def latency_p95(one: ScenarioEvidence, candidate: int, *, level: float = 0.95) -> Estimate:
    """Return the 95th percentile of the measured latencies."""
    values = one.latency[candidate] if one.latency else np.empty(0)
    if not len(values):
        return not_measured("no latency measured")
    places = one.latency_item[candidate]
    return estimate_quantile(
        values,
        q=0.95,
        n_samples=len(np.unique(places)),
        n_missing=0,
        clusters=places if one.items.clusters is None else one.items.clusters[places],
        weights=one.weights_of(places),
        level=level,
    )


def combined(parts: list[Estimate], weights: list[float]) -> Estimate:
    """Return the weighted mean of independent estimates; bounds by the root of squared widths."""
    if len(parts) == 1:
        return parts[0]
    missing = next((part for part in parts if part.value is None), None)
    if missing is not None:
        return missing
    shares = as_floats(weights) / sum(weights)
    value = float(sum(w * (p.value or 0.0) for w, p in zip(shares, parts, strict=True)))

    def width(side: str) -> float | None:
        gaps = [getattr(p, side) for p in parts]
        if any(gap is None for gap in gaps):
            return None
        squares = (
            (w * (g - (p.value or 0.0))) ** 2 for w, g, p in zip(shares, gaps, parts, strict=True)
        )
        return float(np.sqrt(sum(squares)))

    low, high = width("low"), width("high")
    return Estimate(
        value=value,
        low=None if low is None else value - low,
        high=None if high is None else value + high,
        n_samples=sum(p.n_samples for p in parts),
        n_trials=sum(p.n_trials for p in parts),
        n_missing=sum(p.n_missing for p in parts),
        method="weighted over the tier's scenarios",
        level=parts[0].level,
    )
