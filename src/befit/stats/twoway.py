"""Errors of means and fits whose observations share items as well as raters.

The variance is that of clustering by item plus what clustering by rater adds over
their intersection (Cameron, Gelbach, Miller 2011): V = V_item + (V_rater - V_both),
the second part never below zero. Its degrees of freedom are Satterthwaite's (1946)
over the two parts, so that few raters widen an interval only as far as they differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes
from befit.stats.clusters import clustered_error, effective_clusters
from befit.stats.intervals import effective_wilson
from befit.stats.means import to_estimate

_MANY = 10_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A variance and its degrees of freedom."""

    variance: float
    df: float


def combine(item: float, rater: float, both: float, *, items: int, raters: int) -> Spread:
    """Put the three one-way variances together; a way with one cluster adds nothing."""
    first = max(item, both) if items > 1 else both
    extra = max(0.0, rater - both) if raters > 1 else 0.0
    total = first + extra
    if total <= 0:
        return Spread(variance=0.0, df=float(max(1, items - 1)))
    spent = first**2 / max(1, items - 1) + extra**2 / max(1, raters - 1)
    return Spread(variance=total, df=min(_MANY, total**2 / spent))


def spread_of_mean(values: Floats, items: npt.ArrayLike, raters: npt.ArrayLike) -> Spread:
    """Return the variance of the mean of observations of items by raters."""
    one, two = cluster_codes(items), cluster_codes(raters)
    both = cluster_codes(one * (int(two.max()) + 1) + two)
    count = [int(codes.max()) + 1 for codes in (one, two)]
    found = [
        clustered_error(values, codes) ** 2 if int(codes.max()) > 0 else 0.0
        for codes in (one, two, both)
    ]
    return combine(found[0], found[1], found[2], items=count[0], raters=count[1])


def estimate_shared_mean(
    values: Numbers, items: npt.ArrayLike, raters: npt.ArrayLike, *, level: float = 0.95
) -> Estimate:
    """Estimate the mean of scores in [0, 1] given by raters to items.

    Wilson's interval at the n whose binomial variance is the two-way one.
    """
    scores = as_floats(values)
    if scores.size == 0:
        return not_measured("no ratings")
    codes = cluster_codes(items)
    found = spread_of_mean(scores, items, raters)
    mean = float(scores.mean())
    interval = effective_wilson(
        mean,
        variance=found.variance,
        units=effective_clusters(codes),
        size=max(1, round(found.df) + 1),
        level=level,
    )
    made = to_estimate(
        interval, n_samples=int(codes.max()) + 1, n_trials=scores.size, n_missing=0, level=level
    )
    raters_n = np.unique(np.asarray(raters)).size
    told = f"wilson, by item and by {raters_n} reviewer{'s' if raters_n > 1 else ''}"
    return Estimate(**{**made.to_dict(), "method": told})
