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
from befit.stats.distributions import t_value, z_value
from befit.stats.intervals import Interval, wilson
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
    item, rater, both, counts = _parts(values, items, raters)
    return combine(item, rater, both, items=counts[0], raters=counts[1])


def _parts(
    values: Floats, items: npt.ArrayLike, raters: npt.ArrayLike
) -> tuple[float, float, float, tuple[int, int]]:
    """Return the one-way variances by item, by rater and by both, and how many of each."""
    one, two = cluster_codes(items), cluster_codes(raters)
    both = cluster_codes(one * (int(two.max()) + 1) + two)
    item, rater, cell = (
        clustered_error(values, codes) ** 2 if int(codes.max()) > 0 else 0.0
        for codes in (one, two, both)
    )
    return item, rater, cell, (int(one.max()) + 1, int(two.max()) + 1)


def estimate_shared_mean(
    values: Numbers, items: npt.ArrayLike, raters: npt.ArrayLike, *, level: float = 0.95
) -> Estimate:
    """Estimate the mean of scores in [0, 1] given by raters to items.

    Wilson's interval at the n whose binomial variance is the two-way one. It is never
    narrower than n items that all agree allow: of these, a share up to Wilson's bound on
    0 of n may be otherwise, and then lie anywhere in [0, 1].
    """
    scores = as_floats(values)
    if scores.size == 0:
        return not_measured("no ratings")
    codes = cluster_codes(items)
    units = effective_clusters(codes)
    mean = min(1.0, max(0.0, float(scores.mean())))
    raters_n = np.unique(np.asarray(raters)).size
    told = f"wilson, by item and by {raters_n} reviewer{'s' if raters_n > 1 else ''}"
    found = alike = _agreed(mean, units=units, level=level)
    if float(np.ptp(scores)) > 0:
        wide = _shared_wilson(mean, _parts(scores, items, raters), units=units, level=level)
        found = _hull(wide, alike)
        if found != wide:
            told += f", no narrower than if all alike in {units:.3g} items"
    else:
        told = f"all alike in {units:.3g} items (wilson bound on the share otherwise)"
    made = to_estimate(
        found, n_samples=int(codes.max()) + 1, n_trials=scores.size, n_missing=0, level=level
    )
    return Estimate(**{**made.to_dict(), "method": told})


def _agreed(mean: float, *, units: float, level: float) -> Interval:
    """Return the interval of a mean whose items are all alike."""
    share = wilson(0.0, n=units, level=level).high or 0.0
    return Interval(value=mean, low=mean * (1 - share), high=mean + share * (1 - mean),
                    method="wilson, all alike")  # fmt: skip


def _hull(one: Interval, other: Interval) -> Interval:
    """Return the first interval, widened so that it holds the other one."""
    lows = [bound for bound in (one.low, other.low) if bound is not None]
    highs = [bound for bound in (one.high, other.high) if bound is not None]
    return Interval(value=one.value, low=min(lows), high=max(highs), method=one.method)


def _shared_wilson(
    mean: float,
    parts: tuple[float, float, float, tuple[int, int]],
    *,
    units: float,
    level: float,
) -> Interval:
    """Return Wilson's interval at the effective n of a two-way variance.

    The items' part is shrunk towards the largest possible, p(1 - p) / units, with the weight
    of one item (`effective_wilson`); the raters' part keeps its own degrees of freedom. So a
    raters' part that is next to nothing does not pass its few degrees on to the whole.
    """
    item, rater, both, (items, raters) = parts
    size = max(2, items)
    first = max(item, both) if items > 1 else both
    shrunk = ((size - 1) * first + mean * (1 - mean) / units) / size
    extra = max(0.0, rater - both) if raters > 1 else 0.0
    total = shrunk + extra
    if total <= 0:
        return wilson(mean * units, n=units, level=level)
    df = total**2 / (shrunk**2 / (size - 1) + extra**2 / max(1, raters - 1))
    n = mean * (1 - mean) / total * (z_value(level) / t_value(level, df=min(_MANY, df))) ** 2
    found = wilson(mean * n, n=n, level=level)
    return Interval(value=mean, low=found.low, high=found.high, method=found.method)
