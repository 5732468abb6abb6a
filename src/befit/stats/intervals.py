"""Intervals of one rate or one mean (statistics of a single candidate).

Proportions: `wilson` is the default, the other three are options and cross
checks. Means of items: `wilson_flat` (binary, several repeats), `score_interval`
(scores in [0, 1]) and `t_interval` (amounts without limits).
Items that share a document or a conversation: `clusters.py`. The choice among
them is made in `means.py`.

Every function takes a two-sided `level`; for one-sided bounds at 0.95 pass
`one_sided(0.95)` and read the limit you need.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from befit.stats.arrays import Numbers, as_floats
from befit.stats.distributions import beta_quantile, require_probability, t_value, z_value

Limits = tuple[float | None, float | None]
UNIT: Limits = (0.0, 1.0)
"""The natural limits of a rate or a score."""
UNBOUNDED: Limits = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with its limits; a limit is None where this many items cannot bound it."""

    value: float
    low: float | None
    high: float | None
    method: str


def clip(value: float, limits: Limits) -> float:
    """Return `value` moved into `limits`."""
    low, high = limits
    if low is not None:
        value = max(value, low)
    return value if high is None else min(value, high)


def _counts(successes: float, n: float, level: float) -> None:
    require_probability(level)
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"need 0 <= successes <= n and n > 0, not {successes} of {n}")


def wilson(successes: float, *, n: float, level: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion; never of zero width (Wilson 1927)."""
    _counts(successes, n, level)
    p, z2 = successes / n, z_value(level) ** 2
    middle = p + z2 / (2 * n)
    half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    scale = 1 + z2 / n
    low = 0.0 if successes == 0 else max(0.0, (middle - half) / scale)
    high = 1.0 if successes == n else min(1.0, (middle + half) / scale)
    return Interval(value=p, low=low, high=high, method="wilson")


def wilson_flat(means: Numbers, *, level: float = 0.95) -> Interval:
    """Wilson's interval with p = mean of the item means and n = number of items.

    Conservative for any score in [0, 1], whatever the correlation of repeats:
    the variance of an item mean is at most p(1 - p).
    """
    values = as_floats(means)
    total = float(np.clip(values.sum(), 0.0, values.size))
    plain = wilson(total, n=values.size, level=level)
    return Interval(value=plain.value, low=plain.low, high=plain.high, method="wilson-flat")


def clopper_pearson(successes: int, *, n: int, level: float = 0.95) -> Interval:
    """Return the exact (conservative) interval of a proportion (Clopper, Pearson 1934)."""
    _counts(successes, n, level)
    tail, k = (1 - level) / 2, successes
    low = 0.0 if k == 0 else beta_quantile(tail, a=k, b=n - k + 1)
    high = 1.0 if k == n else beta_quantile(1 - tail, a=k + 1, b=n - k)
    return Interval(value=k / n, low=low, high=high, method="clopper-pearson")


def beta_interval(
    successes: float, *, n: float, prior: tuple[float, float] = (1.0, 1.0), level: float = 0.95
) -> Interval:
    """Equal-tailed posterior interval under a Beta prior (uniform by default)."""
    _counts(successes, n, level)
    a, b = prior[0] + successes, prior[1] + n - successes
    tail = (1 - level) / 2
    return Interval(
        value=successes / n,
        low=beta_quantile(tail, a=a, b=b),
        high=beta_quantile(1 - tail, a=a, b=b),
        method=f"beta({prior[0]:g},{prior[1]:g})",
    )


def jeffreys(successes: float, *, n: float, level: float = 0.95) -> Interval:
    """Posterior interval under Jeffreys' prior, Beta(1/2, 1/2)."""
    found = beta_interval(successes, n=n, prior=(0.5, 0.5), level=level)
    return Interval(value=found.value, low=found.low, high=found.high, method="jeffreys")


def standard_error(means: Numbers) -> float:
    """Standard error of the mean of independent items (Miller 2024, section 2.1); needs n >= 2."""
    values = as_floats(means)
    return float(values.std(ddof=1) / sqrt(values.size))


def t_interval(means: Numbers, *, level: float = 0.95, limits: Limits = UNBOUNDED) -> Interval:
    """Student's t interval on item means, clipped to `limits`.

    Where all items are equal (or there is one) the t interval has no width, and
    the limits are None. For scores in [0, 1] use `score_interval`.
    """
    require_probability(level)
    values = as_floats(means)
    if values.size == 0:
        raise ValueError("no items")
    mean = float(values.mean())
    if values.size == 1 or float(np.ptp(values)) == 0.0:
        return Interval(value=mean, low=None, high=None, method="t (no spread seen)")
    half = t_value(level, df=values.size - 1) * standard_error(values)
    return Interval(
        value=mean, low=clip(mean - half, limits), high=clip(mean + half, limits), method="t"
    )


def effective_wilson(
    mean: float, *, variance: float, units: float, size: float, level: float = 0.95
) -> Interval:
    """Wilson's interval at the n whose binomial variance is the measured one.

    The effective n is p(1 - p) / variance x (z / t)^2 (Korn, Graubard 1998), where
    the measured variance is shrunk towards the largest possible one, p(1 - p) / units,
    with the weight of one unit. So it keeps its coverage near 0 and 1, where the t
    interval covers 40-80 %, and never has zero width.

    Args:
        mean: of a score in [0, 1].
        variance: estimated variance of that mean; ignored where there is one unit.
        units: independent units (items, or effective clusters).
        size: independent units for the degrees of freedom: as counted, or effective where they
            weigh unequally.
        level: two-sided level.
    """
    require_probability(level)
    p = min(max(mean, 0.0), 1.0)
    widest = p * (1 - p) / units
    shrunk = ((size - 1) * variance + widest) / size
    n = units
    if size > 1 and shrunk > 0:
        n = p * (1 - p) / shrunk * (z_value(level) / t_value(level, df=size - 1)) ** 2
    plain = wilson(p * n, n=n, level=level)
    return Interval(value=mean, low=plain.low, high=plain.high, method="wilson, effective n")


def score_interval(means: Numbers, *, level: float = 0.95) -> Interval:
    """Interval of the mean of scores in [0, 1] over independent items."""
    values = as_floats(means)
    if values.size == 0:
        raise ValueError("no items")
    variance = standard_error(values) ** 2 if values.size > 1 else 0.0
    return effective_wilson(
        float(values.mean()), variance=variance, units=values.size, size=values.size, level=level
    )
