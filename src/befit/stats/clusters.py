"""Means of items that share a document, a conversation or a source.

With at least `ENOUGH` clusters: the cluster-robust standard error (CR1) with
t(G - 1); with fewer the cluster bootstrap is used and marked, because the
robust error is too small there (Miller 2024, arXiv 2411.00640, section 2.2).
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.bootstrap import bootstrap_ratio
from befit.stats.distributions import t_value
from befit.stats.intervals import UNIT, Interval, Limits, clip, t_interval, wilson

ENOUGH = 20


def clustered_error(means: Numbers, clusters: npt.ArrayLike, *, corrected: bool = True) -> float:
    """Cluster-robust standard error of the mean: CR1, or CR0 where not `corrected`."""
    values, codes = as_floats(means), cluster_codes(clusters)
    sums = sum_by(values - values.mean(), codes)
    groups = sums.size
    variance = float(np.square(sums).sum()) / values.size**2
    return sqrt(variance * (groups / (groups - 1) if corrected else 1.0))


def effective_clusters(codes: Ints) -> float:
    """Kish's effective number of clusters: G where all have one size, less where not."""
    sizes = np.bincount(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / np.square(sizes).sum())


def clustered_interval(
    means: Numbers,
    clusters: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    limits: Limits = UNIT,
) -> Interval:
    """Interval of the mean over items, robust to any correlation inside clusters.

    Falls back to Wilson on the effective number of clusters where all items are
    equal and the score is a rate; without limits there is then no interval.
    """
    values, codes = as_floats(means), cluster_codes(clusters)
    groups = int(codes.max()) + 1
    if groups == values.size:
        return t_interval(values, level=level, limits=limits)
    mean = float(values.mean())
    error = clustered_error(values, codes) if groups > 1 else 0.0
    if error == 0.0:
        if limits != UNIT:
            return Interval(value=mean, low=None, high=None, method="clustered (no spread seen)")
        n = effective_clusters(codes)
        plain = wilson(min(max(mean, 0.0), 1.0) * n, n=n, level=level)
        return Interval(
            value=mean, low=plain.low, high=plain.high, method=f"wilson on {groups} clusters"
        )
    half = t_value(level, df=groups - 1) * error
    low, high, method = mean - half, mean + half, f"clustered t, {groups} clusters"
    if groups < ENOUGH:
        sums, sizes = sum_by(values, codes), np.bincount(codes).astype(np.float64)
        drawn = bootstrap_ratio(sums, sizes, rng=rng)
        tail = (1 - level) / 2
        resampled = np.quantile(drawn, (tail, 1 - tail))
        low, high = min(low, float(resampled[0])), max(high, float(resampled[1]))
        method = f"cluster bootstrap, only {groups} clusters"
    return Interval(value=mean, low=clip(low, limits), high=clip(high, limits), method=method)
