"""Prediction-powered estimates: few human labels, many judged answers, a valid interval.

PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv 2311.01453): the judge's mean is
corrected by its error on the labelled part. The labels must be a random sample
of the same set, and about 30 of them are needed for the normal interval. For two
candidates apply it to paired differences.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats
from befit.stats.distributions import z_value
from befit.stats.intervals import wilson_flat
from befit.stats.means import to_estimate

ENOUGH_LABELS = 30
_ALIKE = 1e-9
"""Corrections this close to each other do not spread."""


def best_weight(labels: Numbers, judged: Numbers, judged_unlabelled: Numbers) -> float:
    """Weight of the judge with the smallest variance, in [0, 1]; 0 where the judge is constant."""
    y, f, g = as_floats(labels), as_floats(judged), as_floats(judged_unlabelled)
    variance = float(np.concatenate((f, g)).var(ddof=1))
    if variance == 0:
        return 0.0
    covariance = float(np.cov(y, f, ddof=0)[0, 1])
    return min(1.0, max(0.0, covariance / ((1 + y.size / g.size) * variance)))


def estimate_judged_mean(
    labels: Numbers,
    judged: Numbers,
    judged_unlabelled: Numbers,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the mean human label over labelled and unlabelled items.

    Where every item is labelled, and where the corrections do not spread (all labels alike, or
    a judge that was right each time), the labels speak alone, with Wilson's interval: a few
    labels without an error do not show that there is none. That holds for scores in [0, 1].

    Args:
        labels: human scores of the labelled items, (n,).
        judged: the judge's scores of the same items, (n,).
        judged_unlabelled: the judge's scores of the rest, (N,).
        weight: the judge's weight; the best one where None, 0 is the classical mean.
        level: two-sided level.
    """
    y, f, g = as_floats(labels), as_floats(judged), as_floats(judged_unlabelled)
    n, rest = y.size, g.size
    a_rate = bool(n) and bool(np.all((y >= 0) & (y <= 1)))
    if n and not rest and a_rate:
        return _labels_alone(y, level=level, why="all answers are labelled")
    if n <= 1 or rest == 0:
        return not_measured("needs two labels and unlabelled answers", n_samples=n + rest)
    if weight is None:
        weight = best_weight(y, f, g)
    corrected = y - weight * f
    if a_rate and np.ptp(corrected) < _ALIKE:
        return _labels_alone(y, level=level, why="the corrections are all alike")
    value = weight * float(g.mean()) + float(corrected.mean())
    variance = weight**2 * float(g.var()) / rest + float(corrected.var()) / n
    half = z_value(level) * sqrt(variance)
    few = "" if n >= ENOUGH_LABELS else f", only {n} labels"
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        n_samples=n + rest,
        n_trials=n + rest,
        n_missing=0,
        method=f"ppi++, judge weight {weight:.3g}{few}",
        level=level,
    )


def _labels_alone(labels: Floats, *, level: float, why: str) -> Estimate:
    n = labels.size
    found = to_estimate(
        wilson_flat(labels, level=level), n_samples=n, n_trials=n, n_missing=0, level=level
    )
    few = "" if n >= ENOUGH_LABELS else f", only {n} labels"
    return replace(found, method=f"{found.method}, labels alone: {why}{few}")
