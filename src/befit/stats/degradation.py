"""What turns cost: the same tasks in one message, put together again, and spread over turns.

Per instruction over repeated runs: P is the mean, A90 the 90th percentile, U the
distance of the 90th from the 10th (Laban et al. 2025, arXiv 2505.06120). With few
runs and binary scores U is noise, so it is given from ten runs on only; below
that pass^k and the paired difference say what can be said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Numbers, as_floats
from befit.stats.means import estimate_mean
from befit.stats.paired import paired_difference
from befit.stats.ratio import estimate_ratio

ENOUGH_RUNS = 10
"""Runs per instruction from which on percentiles mean something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aptitude:
    """Mean over instructions of P, A90 and U; the latter two None with too few runs."""

    mean: float
    aptitude: float | None
    unreliability: float | None
    n_runs: int


def aptitude(scores: Numbers) -> Aptitude:
    """Return P, A90 and U of scores (instructions, runs); NaN runs are left out."""
    table = np.atleast_2d(as_floats(scores))
    runs = int((~np.isnan(table)).sum(axis=1).min())
    mean = float(np.nanmean(table, axis=1).mean())
    if runs < ENOUGH_RUNS:
        return Aptitude(mean=mean, aptitude=None, unreliability=None, n_runs=runs)
    low, high = np.nanpercentile(table, [10, 90], axis=1)
    return Aptitude(
        mean=mean,
        aptitude=float(high.mean()),
        unreliability=float((high - low).mean()),
        n_runs=runs,
    )


def mean_of_ratios(spread: Numbers, whole: Numbers) -> float:
    """Return the mean over tasks of spread/whole, in the scale of 1; tasks at 0 are left out."""
    a, b = as_floats(spread), as_floats(whole)
    used = b > 0
    if not used.any():
        raise ValueError("no task with a score above 0 in one message")
    return float((a[used] / b[used]).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """One way of asking against the whole task in one message, on the same instructions."""

    whole: Estimate
    other: Estimate
    difference: Estimate
    """Other minus whole, paired."""
    kept: Estimate
    """Other over whole, pooled: the share of the ability that is left."""


def degradation(other: Numbers, whole: Numbers, *, n_trials: int) -> Degradation:
    """Compare item means (n,) of the same instructions; NaN in either leaves a pair out."""
    a, b = as_floats(other), as_floats(whole)
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    lost = int(both.size - a.size)
    if a.size == 0:
        none = not_measured("no instruction asked in both ways", n_missing=lost)
        return Degradation(whole=none, other=none, difference=none, kept=none)
    rng = np.random.default_rng(0)  # a fixed seed: the same results, the same interval
    difference = paired_difference(a, b, binary_single=False, rng=rng)
    return Degradation(
        whole=estimate_mean(b, n_trials=n_trials, n_missing=lost, binary=False),
        other=estimate_mean(a, n_trials=n_trials, n_missing=lost, binary=False),
        difference=replace(difference.estimate, n_trials=n_trials),
        kept=estimate_ratio(a, b, n_trials=n_trials, n_missing=lost),
    )
