"""Bounds that hold at every look: confidence sequences and e-values of a rate or a mean.

Robbins' mixture: E_n(p) = B(a + s, b + n - s) / B(a, b) / (p^s (1 - p)^(n - s)) has
mean 1 under p at any time, so {p: E_n(p) < 1/alpha} holds the truth at all times at
once with chance 1 - alpha (Ville). Everything is in logarithms.
"""

from __future__ import annotations

from math import exp, log, sqrt

from befit.stats.distributions import log_beta, require_probability
from befit.stats.intervals import Interval

Prior = tuple[float, float]
UNIFORM: Prior = (1.0, 1.0)
_STEPS = 54
_MAX_LOG = 700.0


def to_number(logarithm: float) -> float:
    """Return exp(logarithm), infinite where a float cannot hold it."""
    return exp(logarithm) if logarithm < _MAX_LOG else float("inf")


def _log_mixture(successes: int, n: int, prior: Prior) -> float:
    return log_beta(prior[0] + successes, prior[1] + n - successes) - log_beta(*prior)


def _log_chance(successes: int, n: int, p: float) -> float:
    failures = n - successes
    if (p <= 0 and successes) or (p >= 1 and failures):
        return float("-inf")
    found = successes * log(p) if successes else 0.0
    return found + (failures * log(1 - p) if failures else 0.0)


def log_e_value(successes: int, *, n: int, p: float, prior: Prior = UNIFORM) -> float:
    """Logarithm of the e-value against "the rate is p"."""
    return _log_mixture(successes, n, prior) - _log_chance(successes, n, p)


def confidence_sequence(
    successes: int, *, n: int, level: float = 0.95, prior: Prior = UNIFORM
) -> Interval:
    """Interval of a rate that may be looked at after every observation."""
    require_probability(level)
    if n == 0:
        raise ValueError("no observations")
    value = successes / n
    rarest = _log_mixture(successes, n, prior) + log(1 - level)

    def edge(inside: float, outside: float) -> float:
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if _log_chance(successes, n, middle) > rarest:
                inside = middle
            else:
                outside = middle
        return inside

    return Interval(
        value=value,
        low=0.0 if successes == 0 else edge(value, 0.0),
        high=1.0 if successes == n else edge(value, 1.0),
        method="confidence sequence",
    )


def mixture_likelihood_ratio(
    mean: float, *, n: int, null: float, variance: float, spread: float
) -> float:
    """Mixture likelihood ratio of a mean against `null` (Johari et al. 2017).

    `spread` is the variance of the normal mixture; 1 / the running maximum is a
    p-value that holds at every look.
    """
    total = variance + n * spread
    power = n * n * spread * (mean - null) ** 2 / (2 * variance * total)
    return to_number(0.5 * log(variance / total) + power)


def e_to_p(e_value: float) -> float:
    """Turn an e-value into a p-value."""
    return min(1.0, 1 / e_value) if e_value > 0 else 1.0


def wald_bounds(*, alpha: float, beta: float) -> tuple[float, float]:
    """Upper and lower log-likelihood limits of Wald's sequential test."""
    return log((1 - beta) / alpha), log(beta / (1 - alpha))


def mean_half_width(*, n: int, variance: float, spread: float, level: float) -> float:
    """Half-width of the confidence sequence of a mean that goes with the mixture above."""
    total = variance + n * spread
    inner = 2 * variance * total / (n * n * spread)
    return sqrt(inner * (0.5 * log(total / variance) - log(1 - level)))
