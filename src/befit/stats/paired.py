"""Paired differences of two candidates on the same items: the only way to compare them.

`paired_difference` is the default: p by the sign-flip test, interval by
Bonett-Price (one binary trial per item) or t on item differences, clustered
where items share a cluster, by the effective number of items where they weigh
unequally (`weighted.py`). The classic tests of a 2 x 2 table stand in `tables.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes, divide, sum_by
from befit.stats.clusters import clustered_interval
from befit.stats.distributions import t_value, z_value
from befit.stats.intervals import UNBOUNDED, Interval, t_interval
from befit.stats.means import clusters_repeat, to_estimate
from befit.stats.signflip import sign_flip_p
from befit.stats.weighted import LEAST, weighted_mean

DIFFERENCE = (-1.0, 1.0)
"""Natural limits of a difference of two rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A minus B, with the two-sided p of "no difference"; p is None where nothing is paired."""

    estimate: Estimate
    p_value: float | None


def bonett_price(differences: Numbers, *, level: float = 0.95) -> Interval:
    """Interval of a mean difference in [-1, 1] after adding one +1 and one -1 (2012).

    Made for one binary trial per item; conservative for repeats and scores.
    Never of zero width. `value` is the plain mean.
    """
    d = as_floats(differences)
    n = d.size + 2
    middle = float(d.sum()) / n
    spread = (float(np.square(d).sum()) + 2) / n - middle**2
    half = z_value(level) * sqrt(spread / n)
    return Interval(
        value=float(d.mean()),
        low=max(-1.0, middle - half),
        high=min(1.0, middle + half),
        method="bonett-price",
    )


def _pairs(
    a: Numbers,
    b: Numbers,
    clusters: npt.ArrayLike | None,
    weights: Numbers | None = None,
) -> tuple[Floats, npt.NDArray[np.generic] | None, int]:
    left, right = as_floats(a), as_floats(b)
    if left.shape != right.shape:
        raise ValueError(f"items must be aligned: {left.shape} against {right.shape}")
    differences = left - right
    present = ~np.isnan(differences)
    kept = None if clusters is None else np.asarray(clusters)[present]
    found = differences[present]
    if weights is not None and found.size:
        # weights of mean 1 over the pairs: the plain mean of these is the weighted mean
        own = as_floats(weights)[present]
        found = found * own / own.mean()
    return found, kept, int((~present).sum())


def weighted_interval(
    differences: Numbers,
    weights: Numbers,
    *,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Interval of the weighted mean of differences in [-1, 1]."""
    w = as_floats(weights)
    top = as_floats(differences) * w
    if clusters is not None:
        codes = cluster_codes(clusters)
        top, w = sum_by(top, codes), sum_by(w, codes)
    found = weighted_mean(top, w)
    n = found.effective
    if found.variance > 0:
        half = t_value(level, df=max(n, LEAST) - 1) * sqrt(found.variance)
        middle, method = found.mean, f"weighted t, {n:.1f} effective"
    else:
        # no spread seen: two pseudo-differences, as Bonett and Price have them, at n effective
        square = found.mean**2
        middle = found.mean * n / (n + 2)
        half = z_value(level) * sqrt(((n * square + 2) / (n + 2) - middle**2) / (n + 2))
        method = "bonett-price at the effective n"
    return Interval(
        value=found.mean, low=max(-1.0, middle - half), high=min(1.0, middle + half), method=method
    )


def _rate_interval(
    d: Floats, clusters: npt.ArrayLike | None, *, rng: np.random.Generator, level: float
) -> Interval:
    if clusters is None:
        found = t_interval(d, level=level, limits=DIFFERENCE)
        units = d
    else:
        found = clustered_interval(d, clusters, rng=rng, level=level, limits=DIFFERENCE)
        codes = cluster_codes(clusters)
        units = divide(sum_by(d, codes), np.bincount(codes))
    # no spread seen: the pseudo-differences keep the interval open
    return bonett_price(units, level=level) if found.low is None else found


def paired_difference(
    a: Numbers,
    b: Numbers,
    *,
    binary_single: bool,
    rng: np.random.Generator,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    weights: Numbers | None = None,
) -> Difference:
    """Estimate mean(a) - mean(b) of scores in [0, 1] over the items that both have.

    Args:
        a: item means of the first candidate, NaN where missing; item i is the same in `b`.
        b: item means of the second candidate.
        binary_single: one trial per item, each 0 or 1.
        rng: for the Monte Carlo test and the bootstrap of few clusters.
        clusters: the cluster of each item, used where one holds several items.
        level: two-sided level of the interval.
        weights: weight of each item; all the same where None.

    Returns:
        The difference with `n_samples` = `n_trials` = pairs (who knows the trials behind them
        puts their number in) and `n_missing` = items that one lacks.
    """
    d, kept, missing = _pairs(a, b, clusters, weights)
    if d.size == 0:
        return Difference(
            estimate=not_measured("no sample that both have", n_missing=missing), p_value=None
        )
    grouped = kept if clusters_repeat(kept) else None
    if weights is not None:
        own = as_floats(weights)[~np.isnan(as_floats(a) - as_floats(b))]
        interval = weighted_interval(d * own.mean() / own, own, clusters=grouped, level=level)
    elif grouped is None and binary_single:
        interval = bonett_price(d, level=level)
    else:
        interval = _rate_interval(d, grouped, rng=rng, level=level)
    estimate = to_estimate(
        interval,
        n_samples=d.size,
        n_trials=d.size,
        n_missing=missing,
        level=level,
    )
    return Difference(estimate=estimate, p_value=sign_flip_p(d, rng=rng, clusters=grouped))


def paired_amount_difference(
    a: Numbers,
    b: Numbers,
    *,
    rng: np.random.Generator,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    n_trials: int | None = None,
) -> Difference:
    """Estimate mean(a) - mean(b) of amounts without limits (tokens, seconds, USD)."""
    d, kept, missing = _pairs(a, b, clusters)
    if d.size == 0:
        return Difference(
            estimate=not_measured("no sample that both have", n_missing=missing), p_value=None
        )
    if kept is not None and clusters_repeat(kept):
        interval = clustered_interval(d, kept, rng=rng, level=level, limits=UNBOUNDED)
    else:
        kept = None
        interval = t_interval(d, level=level)
    estimate = to_estimate(
        interval,
        n_samples=d.size,
        n_trials=d.size if n_trials is None else n_trials,
        n_missing=missing,
        level=level,
    )
    return Difference(estimate=estimate, p_value=sign_flip_p(d, rng=rng, clusters=kept))
