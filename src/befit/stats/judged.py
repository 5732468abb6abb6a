"""A true rate from a judged one, when the judge was calibrated on another set.

Rogan-Gladen's correction with the interval of Lee et al. 2025 (arXiv 2511.21140),
which also carries the calibration's own uncertainty. Where labels come from the
same set, use `ppi.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from befit.stats.distributions import z_value
from befit.stats.intervals import Interval

_USELESS = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuality:
    """Specificity on `negatives` truly wrong answers, sensitivity on `positives` right ones."""

    specificity: float
    sensitivity: float
    negatives: int
    positives: int


def corrected_rate(judged: float, *, specificity: float, sensitivity: float) -> float:
    """Rogan-Gladen's point estimate (1978), not clipped.

    Raises ValueError where the judge is hardly better than chance (sum at most 1.1).
    """
    if specificity + sensitivity <= _USELESS:
        raise ValueError("the judge is hardly better than chance: nothing can be corrected with it")
    return (judged + specificity - 1) / (specificity + sensitivity - 1)


def corrected_interval(
    judged: float, *, n: int, judge: JudgeQuality, level: float = 0.95
) -> Interval:
    """Interval of the true rate given `n` judged answers with mean `judged`."""
    z = z_value(level)
    z2 = z * z
    value = corrected_rate(judged, specificity=judge.specificity, sensitivity=judge.sensitivity)
    # the added observations count in every variance too
    size, m0, m1 = n + z2, judge.negatives + 2, judge.positives + 2
    p = (n * judged + z2 / 2) / size
    q0 = (judge.negatives * judge.specificity + 1) / m0
    q1 = (judge.positives * judge.sensitivity + 1) / m1
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    v0, v1 = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    shift = 2 * z2 * (theta * v1 - (1 - theta) * v0)
    error = sqrt(p * (1 - p) / size + (1 - theta) ** 2 * v0 + theta**2 * v1) / (q0 + q1 - 1)
    middle = theta + shift
    return Interval(
        value=min(1.0, max(0.0, value)),
        low=max(0.0, middle - z * error),
        high=min(1.0, middle + z * error),
        method="rogan-gladen, adjusted",
    )
