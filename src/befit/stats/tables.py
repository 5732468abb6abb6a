"""The classic analyses of a paired 2 x 2 table: McNemar's tests, Newcombe's and Tango's intervals.

The table of two candidates A and B: both right, only A right (`b`), only B right
(`c`), both wrong. Defaults are in `paired.py`; these are options and cross checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from befit.stats.distributions import binomial_cdf, binomial_two_sided_p, chi2_tail, z_value
from befit.stats.intervals import Interval, wilson

_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """The p-values of McNemar's variants, with the two statistics behind the asymptotic ones."""

    exact: float
    mid_p: float
    chi2: float
    chi2_p: float
    corrected: float
    corrected_p: float


def mcnemar(b: int, c: int) -> McNemar:
    """Test discordant counts `b` and `c` for equality; all p are 1 where both are 0."""
    n = b + c
    if n == 0:
        return McNemar(exact=1.0, mid_p=1.0, chi2=0.0, chi2_p=1.0, corrected=0.0, corrected_p=1.0)
    small = min(b, c)
    at = binomial_cdf(small, n=n, p=0.5) - binomial_cdf(small - 1, n=n, p=0.5)
    chi2 = float((b - c) ** 2) / n
    corrected = float(max(0, abs(b - c) - 1) ** 2) / n
    return McNemar(
        exact=binomial_two_sided_p(small, n=n),
        mid_p=min(1.0, 2 * binomial_cdf(small, n=n, p=0.5) - at),
        chi2=chi2,
        chi2_p=chi2_tail(chi2, df=1),
        corrected=corrected,
        corrected_p=chi2_tail(corrected, df=1),
    )


def newcombe(both: int, only_a: int, only_b: int, neither: int, *, level: float = 0.95) -> Interval:
    """Interval of P(A) - P(B): Newcombe 1998, paired method 10 (Wilson limits, corrected phi)."""
    n = both + only_a + only_b + neither
    a, b = wilson(both + only_a, n=n, level=level), wilson(both + only_b, n=n, level=level)
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    phi = 0.0
    if margins:
        cross = float(both * neither - only_a * only_b)
        cross = max(0.0, cross - n / 2) if cross > 0 else cross
        phi = cross / sqrt(margins)
    below_a, above_a = a.value - (a.low or 0.0), (a.high or 0.0) - a.value
    below_b, above_b = b.value - (b.low or 0.0), (b.high or 0.0) - b.value
    down = sqrt(max(0.0, below_a**2 - 2 * phi * below_a * above_b + above_b**2))
    up = sqrt(max(0.0, above_a**2 - 2 * phi * above_a * below_b + below_b**2))
    value = (only_a - only_b) / n
    return Interval(value=value, low=value - down, high=value + up, method="newcombe-10")


def _tango_score(b: int, c: int, n: int, delta: float) -> float:
    # constrained maximum-likelihood estimate of P(only B) at difference `delta`
    first = -b - c + (2 * n - b + c) * delta
    second = -c * delta * (1 - delta)
    q = (sqrt(max(0.0, first**2 - 8 * n * second)) - first) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    distance = b - c - n * delta
    if variance <= 0:
        return 0.0 if distance == 0 else float("inf") * distance
    return distance / sqrt(variance)


def tango(b: int, c: int, *, n: int, level: float = 0.95) -> Interval:
    """Interval of P(A) - P(B) by Tango's score method (1998); agrees with McNemar's chi-squared."""
    z, value = z_value(level), (b - c) / n

    def crossing(inside: float, outside: float, target: float) -> float:
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if abs(_tango_score(b, c, n, middle)) < target:
                inside = middle
            else:
                outside = middle
        return inside

    return Interval(
        value=value, low=crossing(value, -1.0, z), high=crossing(value, 1.0, z), method="tango"
    )
