"""The combination beside one model for all: what it saves, with an interval.

The saving is a sum over tiers of volume times a paired difference of costs on
the same samples, so its variance is the sum of theirs, with the degrees of
freedom of Welch and Satterthwaite.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from befit.analysis.columns import Floats
from befit.core.estimate import Estimate, not_measured
from befit.decide.tiers import TierView
from befit.stats.distributions import t_value


def _total(parts: Sequence[tuple[float, Floats]], *, level: float, method: str) -> Estimate:
    """Return sum of factor x mean(values), with a t interval; factors are known numbers."""
    if any(np.isnan(column).any() or not len(column) for _, column in parts):
        return not_measured("price or usage unknown")
    value = sum(factor * float(column.mean()) for factor, column in parts)
    terms = [
        (factor**2 * float(column.var(ddof=1)) / len(column), len(column) - 1)
        for factor, column in parts
        if len(column) > 1
    ]
    n = sum(len(column) for _, column in parts)
    variance = sum(v for v, _ in terms)
    if variance <= 0:
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
) -> list[tuple[float, Floats]]:
    found = []
    for at, view in enumerate(views):
        for one, share in zip(view.scenarios, view.shares, strict=True):
            costs = one.cost[pick[at]]
            if other is not None:
                costs = one.cost[other[at]] - costs
            ran = one.ran(pick[at])
            if other is not None:
                ran &= one.ran(other[at])
            found.append((float(volumes[at]) * share, costs[ran]))
    return found


def cost_of(views: Sequence[TierView], volumes: Floats, pick: Sequence[int]) -> Estimate:
    """Return USD per month of a choice of candidates, one per tier."""
    return _total(_columns(views, volumes, pick, None), level=0.95, method="sum over tiers, t")


def saving_of(
    views: Sequence[TierView], volumes: Floats, pick: Sequence[int], other: Sequence[int]
) -> Estimate:
    """Return USD per month that `pick` saves against `other`, paired on the same samples."""
    method = "paired sum over tiers, welch t"
    return _total(_columns(views, volumes, pick, other), level=0.95, method=method)
