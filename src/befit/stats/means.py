"""The default estimate of one candidate's rate or mean score.

One place chooses among the intervals: Wilson for one binary trial per item,
Wilson-flat for binary items with repeats, Wilson at the effective n for scores,
cluster-robust where items share a cluster.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.clusters import clustered_interval
from befit.stats.distributions import t_value
from befit.stats.intervals import (
    UNBOUNDED,
    Interval,
    score_interval,
    t_interval,
    wilson,
    wilson_flat,
)
from befit.stats.weighted import LEAST, unequal, weighted_mean


def to_estimate(
    interval: Interval, *, n_samples: int, n_trials: int, n_missing: int, level: float = 0.95
) -> Estimate:
    """Put the counts behind an interval."""
    return Estimate(
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n_samples=n_samples,
        n_trials=n_trials,
        n_missing=n_missing,
        method=interval.method,
        level=level,
    )


def clusters_repeat(clusters: npt.ArrayLike | None) -> bool:
    """Tell whether some cluster holds more than one item."""
    if clusters is None:
        return False
    codes = cluster_codes(clusters)
    return codes.size > 0 and int(codes.max()) + 1 < codes.size


def _interval(values: Floats, *, binary: bool, level: float) -> Interval:
    if not binary:
        return score_interval(values, level=level)
    if bool(np.isin(values, (0.0, 1.0)).all()):
        return wilson(float(values.sum()), n=values.size, level=level)
    return wilson_flat(values, level=level)


def estimate_mean(
    means: Numbers,
    *,
    n_trials: int,
    n_missing: int,
    binary: bool,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Estimate the mean of a score in [0, 1] over items.

    Args:
        means: one value per item, its repeats already averaged; NaN items are left out.
        n_trials: trials behind the means.
        n_missing: trials that are missing (never counted as 0).
        binary: each trial scores 0 or 1.
        clusters: the cluster of each item, used where one holds several items.
        level: two-sided level; pass `one_sided(0.95)` for one-sided bounds at 0.95.
        rng: for the bootstrap of few clusters; a fixed seed where None.

    Returns:
        An estimate; not measured where no item has a value.
    """
    values = as_floats(means)
    present = ~np.isnan(values)
    values = values[present]
    if values.size == 0:
        return not_measured("no scored samples", n_missing=n_missing)
    kept = None if clusters is None else np.asarray(clusters)[present]
    if kept is not None and clusters_repeat(kept):
        rng = np.random.default_rng(0) if rng is None else rng
        interval = clustered_interval(values, kept, rng=rng, level=level)
    else:
        interval = _interval(values, binary=binary, level=level)
    return to_estimate(
        interval, n_samples=values.size, n_trials=n_trials, n_missing=n_missing, level=level
    )


def _weighted_t(
    values: Floats, weights: Floats, level: float, clusters: npt.ArrayLike | None
) -> Interval:
    """Return the weighted mean of amounts with the t interval at the effective number."""
    top, own, told = values * weights, weights, ""
    if clusters is not None:
        codes = cluster_codes(clusters)
        top, own = sum_by(top, codes), sum_by(own, codes)
        told = f", {own.size} clusters"
    found = weighted_mean(top, own)
    if own.size == 1:
        return Interval(value=found.mean, low=None, high=None, method="weighted t, one cluster")
    half = t_value(level, df=max(found.effective, LEAST) - 1) * sqrt(found.variance)
    return Interval(
        value=found.mean,
        low=found.mean - half,
        high=found.mean + half,
        method=f"weighted t, {found.effective:.1f} effective{told}",
    )


def _amount_interval(
    values: Floats, *, level: float, weights: Floats | None, clusters: npt.ArrayLike | None
) -> Interval:
    """Return the interval of a mean of amounts; where there is no spread it has no limits."""
    if float(np.ptp(values)) == 0.0:
        return t_interval(values, level=level)
    if weights is not None:
        return _weighted_t(values, weights, level, clusters)
    if clusters is not None:
        rng = np.random.default_rng(0)
        return clustered_interval(values, clusters, rng=rng, level=level, limits=UNBOUNDED)
    return t_interval(values, level=level)


def estimate_amount(
    means: Numbers,
    *,
    n_trials: int,
    n_missing: int,
    level: float = 0.95,
    counted: bool = False,
    weights: Numbers | None = None,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Estimate the mean of an amount without limits (tokens, seconds, USD) over items.

    `counted` amounts (tokens, and what tokens cost) may well be the same for all items: then both
    limits are the value, which is where the t interval goes as the spread goes to 0. For others,
    no spread is no evidence and there are no limits. Nothing counted is below 0, nor its limit.
    Items of unequal `weights` have their weighted mean, on Kish's effective number of them;
    items of one of the `clusters` (a document) are no evidence of their own.
    """
    values = as_floats(means)
    present = ~np.isnan(values)
    values = values[present]
    if values.size == 0:
        return not_measured("no measured samples", n_missing=n_missing)
    kept = None if clusters is None else np.asarray(clusters)[present]
    interval = _amount_interval(
        values,
        level=level,
        weights=None if weights is None else unequal(as_floats(weights)[present]),
        clusters=kept if clusters_repeat(kept) else None,
    )
    if counted and values.size > 1 and float(np.ptp(values)) == 0.0:
        value = interval.value
        interval = Interval(value=value, low=value, high=value, method="t, all equal")
    if counted and interval.low is not None:
        interval = replace(interval, low=max(0.0, interval.low))
    return to_estimate(
        interval, n_samples=values.size, n_trials=n_trials, n_missing=n_missing, level=level
    )
