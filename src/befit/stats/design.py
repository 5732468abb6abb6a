"""Design effects: how many samples of a test set tell as much as one that stands alone.

Samples that share a document say partly the same, and of samples that weigh unequally few may
carry nearly everything (Kish 1965, sections 5.4 and 11.7). The number of samples that a question
needs, told for independent samples of equal weight, is multiplied by this; it is then one of
samples in clusters of the same size, weighing as unequally.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate
from befit.stats.arrays import Numbers, as_floats, cluster_codes, sum_by
from befit.stats.clusters import clustered_error, effective_clusters
from befit.stats.distributions import z_value
from befit.stats.weighted import effective_number, weighted_mean

EXACT = 1e-6
"""Below this a difference from 1 is rounding."""


def design_effect(
    values: Numbers, *, clusters: npt.ArrayLike | None = None, weights: Numbers | None = None
) -> float | None:
    """Return the variance of a mean over that of as many independent items of equal weight.

    At least 1: a smaller one is luck. Without any spread the items of a cluster count as one.
    None where all items are of one cluster, of which nobody knows how another would be.

    Args:
        values: one per item, no NaN.
        clusters: the cluster of each item.
        weights: the weight of each item, at least 0; they do not sum to 0.
    """
    flat = as_floats(values)
    n = flat.size
    if n < 2 or (clusters is None and weights is None):  # noqa: PLR2004 - one has no spread
        return 1.0
    codes = np.arange(n) if clusters is None else cluster_codes(clusters)
    if int(codes.max()) == 0:
        return None
    w = np.ones(n) if weights is None else as_floats(weights)
    mean = float((w * flat).sum() / w.sum())
    plain = float((w * np.square(flat - mean)).sum() / w.sum()) / (n - 1)
    own = sum_by(w, codes)
    if plain <= np.finfo(float).eps * mean**2:
        alike = effective_clusters(codes) if weights is None else effective_number(own)
        return max(1.0, n / alike)
    if weights is None:
        variance = clustered_error(flat, codes) ** 2
    else:
        variance = weighted_mean(sum_by(w * flat, codes), own).variance
    return max(1.0, variance / plain)


def design_effect_of(rate: Estimate) -> float:
    """Return the design effect of a rate, read off its interval; 1 where it has no limits.

    The samples it rests on, over the n at which Wilson's interval would be as wide:
    z^2 b (1 - b) / (p - b)^2 for its limit b, the wider side.
    """
    if rate.value is None or not rate.n_samples:
        return 1.0
    z2 = z_value(rate.level) ** 2
    found = [
        z2 * bound * (1 - bound) / (rate.value - bound) ** 2
        for bound in (rate.low, rate.high)
        if bound is not None and bound != rate.value and 0 < bound < 1
    ]
    effect = rate.n_samples / min(found) if found else 1.0
    return effect if effect > 1 + EXACT else 1.0
