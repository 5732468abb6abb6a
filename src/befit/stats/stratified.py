"""Stratified samples: oversample what matters, weight back to production."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Ints, Numbers, as_floats, group_means
from befit.stats.composite import normalised_weights
from befit.stats.intervals import effective_wilson
from befit.stats.means import to_estimate


def stratified_error(deviations: Numbers, weights: Numbers, counts: Numbers) -> float:
    """Standard error of sum W_h m_h, from the standard deviation inside each stratum."""
    w, s, n = normalised_weights(weights), as_floats(deviations), as_floats(counts)
    return sqrt(float((w**2 * s**2 / n).sum()))


def neyman_allocation(deviations: Numbers, weights: Numbers, *, n: int) -> Floats:
    """Samples per stratum with the smallest error: proportional to W_h s_h (not rounded)."""
    product = normalised_weights(weights) * as_floats(deviations)
    if float(product.sum()) == 0:
        product = normalised_weights(weights)
    found: Floats = n * product / product.sum()
    return found


def _freedom(terms: Floats, counts: Floats) -> float:
    """Return the degrees of freedom of a sum of variances over strata (Satterthwaite 1946).

    A stratum of one item has one: its variance is the pooled one.
    """
    whole = float(terms.sum())
    if whole == 0:
        return float(counts.sum() - 1)
    return whole**2 / float((terms**2 / np.maximum(counts - 1, 1)).sum())


def estimate_stratified(
    means: Numbers,
    strata: npt.ArrayLike,
    *,
    weights: Numbers,
    n_trials: int,
    n_missing: int,
    level: float = 0.95,
) -> Estimate:
    """Estimate the weighted mean of scores in [0, 1] over strata.

    Args:
        means: item means, NaN where missing.
        strata: stratum of each item, 0..H-1.
        weights: production share of each stratum, (H,).
        n_trials: trials behind the means.
        n_missing: trials missing.
        level: two-sided level.

    Not measured where a stratum with weight has no item. The spread of a stratum is
    never taken as 0: it is shrunk towards p(1 - p) of the pooled rate by one item.
    """
    values, w = as_floats(means), normalised_weights(weights)
    codes: Ints = np.asarray(strata, dtype=np.int64)
    present = ~np.isnan(values)
    values, codes = values[present], codes[present]
    counts = np.bincount(codes, minlength=w.size).astype(np.float64)
    if values.size == 0 or (counts[w > 0] == 0).any():
        return not_measured("a stratum has no scored sample", n_missing=n_missing)
    centres = np.nan_to_num(group_means(values, codes, groups=w.size))
    mean = float(w @ centres)
    squares = np.bincount(codes, weights=np.square(values - centres[codes]), minlength=w.size)
    # one pseudo-item at the pooled variance keeps all-right strata from claiming certainty
    variances = (squares + mean * (1 - mean)) / np.maximum(counts, 1)
    used = counts > 0
    variance = float((w[used] ** 2 * variances[used] / counts[used]).sum())
    units = float(1 / (w[used] ** 2 / counts[used]).sum())
    interval = effective_wilson(
        mean,
        variance=variance,
        units=units,
        size=_freedom(w[used] ** 2 * variances[used] / counts[used], counts[used]) + 1,
        level=level,
    )
    return to_estimate(
        replace(interval, method="stratified, wilson at effective n"),
        n_samples=values.size,
        n_trials=n_trials,
        n_missing=n_missing,
        level=level,
    )
