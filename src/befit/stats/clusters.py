"""Means of items that share a document, a conversation or a source.

The variance is the cluster-robust one, CR1 with t(G - 1) (Miller 2024, arXiv
2411.00640, section 2.2). Fewer than `ENOUGH` clusters are marked in the method's
name: whatever the arithmetic, little is known from a handful of documents.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.bootstrap import bootstrap_ratio
from befit.stats.distributions import t_value
from befit.stats.intervals import UNIT, Interval, Limits, clip, effective_wilson

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

    For scores in [0, 1] Wilson's interval at the effective n of the CR1 variance;
    for anything else CR1 with t(G - 1), its hull with the cluster bootstrap where
    there are few clusters. The limits are None where clusters show no spread.
    """
    values, codes = as_floats(means), cluster_codes(clusters)
    groups = int(codes.max()) + 1
    mean = float(values.mean())
    error = clustered_error(values, codes) if groups > 1 else 0.0
    few = f", only {groups} clusters" if groups < ENOUGH else f", {groups} clusters"
    if limits == UNIT:
        n = effective_clusters(codes)
        found = effective_wilson(mean, variance=error**2, units=n, size=groups, level=level)
        return replace(found, method="wilson, cluster-robust" + few)
    if error <= np.finfo(float).eps * abs(mean):
        return Interval(value=mean, low=None, high=None, method="clustered (no spread seen)")
    half = t_value(level, df=groups - 1) * error
    low, high, method = mean - half, mean + half, "clustered t" + few
    if groups < ENOUGH:
        # the bootstrap alone covers less than t here (75 % at 3 clusters), so it may only widen
        sums, sizes = sum_by(values, codes), np.bincount(codes).astype(np.float64)
        tail = (1 - level) / 2
        drawn = np.quantile(bootstrap_ratio(sums, sizes, rng=rng), (tail, 1 - tail))
        low, high = min(low, float(drawn[0])), max(high, float(drawn[1]))
        method = "clustered t with bootstrap" + few
    return Interval(value=mean, low=clip(low, limits), high=clip(high, limits), method=method)
