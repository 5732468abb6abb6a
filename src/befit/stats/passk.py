"""Chances of success over several runs of an item, unbiased.

`pass_at_k`: at least one of k runs is right (ceiling). `pass_hat_k`: all k are
right (reliability, the headline composite: it cannot be raised by being
consistently wrong). All take the number right and the number of runs per item
and return one value per item, NaN where an item has fewer than k runs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, comb, sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Ints
from befit.stats.means import estimate_mean

K = 3
"""Runs that must all be right in the headline."""


def _per_item(
    correct: npt.ArrayLike, runs: npt.ArrayLike, k: int, chance: Callable[[int, int], float]
) -> Floats:
    right = np.atleast_1d(np.asarray(correct, dtype=np.int64))
    total: Ints = np.broadcast_to(np.asarray(runs, dtype=np.int64), right.shape)
    if k <= 0:
        raise ValueError(f"k must be positive, not {k}")
    if (right < 0).any() or (right > total).any():
        raise ValueError("need 0 <= correct <= runs")
    found = np.full(right.shape, np.nan)
    if not right.size:
        return found
    # the distinct (right, runs) pairs are few, so exact integers cost nothing
    base = int(total.max()) + 1
    pairs = right * base + total
    table = np.full(int(pairs.max()) + 1, np.nan)
    for pair in np.flatnonzero(np.bincount(pairs)).tolist():
        c, n = divmod(pair, base)
        table[pair] = chance(c, n) if n >= k else np.nan
    found[:] = table[pairs]
    return found


def pass_at_k(correct: npt.ArrayLike, runs: npt.ArrayLike, *, k: int) -> Floats:
    """P(at least one of k runs is right) = 1 - C(n - c, k) / C(n, k) (Chen et al. 2021)."""
    return _per_item(correct, runs, k, lambda c, n: 1 - comb(n - c, k) / comb(n, k))


def pass_hat_k(correct: npt.ArrayLike, runs: npt.ArrayLike, *, k: int = K) -> Floats:
    """P(all of k runs are right) = C(c, k) / C(n, k) (Yao et al. 2024)."""
    return _per_item(correct, runs, k, lambda c, n: comb(c, k) / comb(n, k))


def g_pass_at_k(correct: npt.ArrayLike, runs: npt.ArrayLike, *, k: int, share: float) -> Floats:
    """P(at least ceil(share x k) of k runs are right), hypergeometric."""
    need = ceil(share * k)

    def chance(c: int, n: int) -> float:
        ways = sum(comb(c, j) * comb(n - c, k - j) for j in range(need, min(c, k) + 1))
        return ways / comb(n, k)

    return _per_item(correct, runs, k, chance)


def bayes_at_n(correct: npt.ArrayLike, runs: npt.ArrayLike) -> tuple[float, float]:
    """Posterior mean and standard deviation of the accuracy under a uniform prior per item."""
    right = np.asarray(correct, dtype=np.float64)
    a, b = right + 1, np.asarray(runs, dtype=np.float64) - right + 1
    total = a + b
    variance = a * b / (np.square(total) * (total + 1))
    return float((a / total).mean()), sqrt(float(variance.sum())) / right.size


def estimate_pass_hat_k(
    correct: npt.ArrayLike,
    runs: npt.ArrayLike,
    *,
    k: int = K,
    clusters: npt.ArrayLike | None = None,
    n_missing: int = 0,
) -> Estimate:
    """Estimate P(k independent runs are all right) over items that have k runs."""
    per_item = pass_hat_k(correct, runs, k=k)
    used = ~np.isnan(per_item)
    if not used.any():
        return not_measured(f"no sample with {k} runs", n_missing=n_missing)
    trials = int(np.broadcast_to(np.asarray(runs, dtype=np.int64), per_item.shape)[used].sum())
    return estimate_mean(
        per_item, n_trials=trials, n_missing=n_missing, binary=False, clusters=clusters
    )
