"""The combination beside one model for all: what it saves, with an interval.

The saving is a sum over tiers of volume times a paired difference of costs on
the same samples, so its variance is the sum of theirs, with the degrees of
freedom of Welch and Satterthwaite. Samples count by their weights and in their clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.engineering_cost import at_least, tries_of_unknown_cost
from befit.core.estimate import Estimate, not_measured
from befit.decide.evidence import ScenarioEvidence
from befit.decide.tiers import TierView
from befit.stats.arrays import cluster_codes, sum_by
from befit.stats.distributions import t_value
from befit.stats.means import clusters_repeat
from befit.stats.weighted import LEAST, Weighted, unequal, weighted_mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Amounts of the samples of one scenario, and how often their mean counts in a sum."""

    factor: float
    values: Floats
    weights: Floats | None = None
    clusters: Ints | None = None

    def mean(self) -> Weighted:
        """Return the mean over the samples by their weights, with its variance by cluster."""
        w = unequal(self.weights)
        spread_out = float(np.ptp(self.values)) > 0
        if spread_out and self.clusters is not None and clusters_repeat(self.clusters):
            own = np.ones_like(self.values) if w is None else w
            codes = cluster_codes(self.clusters)
            return weighted_mean(sum_by(own * self.values, codes), sum_by(own, codes))
        if w is not None and spread_out:
            return weighted_mean(w * self.values, w)
        n = len(self.values)
        spread = float(self.values.var(ddof=1)) / n if n > 1 else 0.0
        return Weighted(mean=float(self.values.mean()), variance=spread, effective=float(n))


def sum_of_means(parts: Sequence[Part], *, level: float, method: str) -> Estimate:
    """Return sum of factor x mean(values), with a t interval; factors are known numbers."""
    if any(np.isnan(part.values).any() or not len(part.values) for part in parts):
        return not_measured("price or usage unknown")
    found = [(part.factor, part.mean()) for part in parts]
    value = sum(factor * one.mean for factor, one in found)
    terms = [
        (factor**2 * one.variance, max(one.effective, LEAST) - 1)
        for (factor, one), part in zip(found, parts, strict=True)
        if len(part.values) > 1
    ]
    n = sum(len(part.values) for part in parts)
    variance = sum(v for v, _ in terms)
    if any(len(part.values) > 1 and np.ptp(part.values) > 0 and one.variance <= 0
           for (_, one), part in zip(found, parts, strict=True)):  # fmt: skip
        low, high = None, None
        method = f"{method}, samples of one cluster alone"
    elif variance <= 0:
        low, high = (value, value) if n > 1 else (None, None)
        method = f"{method}, no spread seen"
    else:
        df = variance**2 / sum(v**2 / d for v, d in terms if v > 0)
        half = t_value(level, df=df) * sqrt(variance)
        low, high = value - half, value + half
    return Estimate(
        value=value, low=low, high=high, n_samples=n, n_trials=n, n_missing=0,
        method=method, level=level,
    )  # fmt: skip


def _columns(
    views: Sequence[TierView], volumes: Floats, pick: Sequence[int], other: Sequence[int] | None
) -> list[Part]:
    found = []
    for at, view in enumerate(views):
        for one, share in zip(view.scenarios, view.shares, strict=True):
            costs = one.cost[pick[at]]
            if other is not None:
                costs = one.cost[other[at]] - costs
            ran = one.ran(pick[at])
            if other is not None:
                ran &= one.ran(other[at])
            found.append(part_of(one, costs, ran, factor=float(volumes[at]) * share))
    return found


def part_of(one: ScenarioEvidence, values: Floats, chosen: Bools, *, factor: float) -> Part:
    """Return the amounts of some samples of a scenario, with their weights and clusters."""
    return Part(
        factor=factor,
        values=values[chosen],
        weights=one.weights_of(chosen),
        clusters=one.clusters_of(chosen),
    )


def untold_of(views: Sequence[TierView], pick: Sequence[int]) -> int:
    """Return the failed tries of unknown cost of a choice of candidates, one per tier."""
    return sum(view.untold[m] for view, m in zip(views, pick, strict=True) if view.untold)


def cost_of(views: Sequence[TierView], volumes: Floats, pick: Sequence[int]) -> Estimate:
    """Return USD per month of a choice of candidates, one per tier."""
    found = sum_of_means(
        _columns(views, volumes, pick, None), level=0.95, method="sum over tiers, t"
    )
    found = replace(found, low=None if found.low is None else max(0.0, found.low))
    return at_least(found, untold_of(views, pick))


def saving_of(
    views: Sequence[TierView], volumes: Floats, pick: Sequence[int], other: Sequence[int]
) -> Estimate:
    """Return USD per month that `pick` saves against `other`, paired on the same samples.

    Failed tries of unknown cost of the one leave it without a lower limit, of the other without
    an upper one.
    """
    method = "paired sum over tiers, welch t"
    found = sum_of_means(_columns(views, volumes, pick, other), level=0.95, method=method)
    own, theirs = untold_of(views, pick), untold_of(views, other)
    if found.value is None or not own + theirs:
        return found
    return replace(
        found,
        low=None if own else found.low,
        high=None if theirs else found.high,
        method=f"{method}, without {tries_of_unknown_cost(own + theirs)}",
    )
