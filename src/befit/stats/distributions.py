"""Quantiles and tails of the usual distributions: the only file here that needs scipy.special.

scipy loads on first use, because the command line must start without it.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

_NORMAL = NormalDist()


def _special() -> Any:
    import scipy.special  # noqa: PLC0415  # loads on first use: the command line starts without it

    return scipy.special


def one_sided(level: float) -> float:
    """Return the two-sided level whose limits are one-sided bounds at `level` (0.95 -> 0.90)."""
    return 2 * level - 1


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


def z_value(level: float) -> float:
    """Half-width of a two-sided normal interval in standard errors (0.95 -> 1.96)."""
    return _NORMAL.inv_cdf((1 + level) / 2)


def normal_tail(z: float) -> float:
    """P(Z >= z)."""
    return float(_special().ndtr(-z))


def t_value(level: float, *, df: float) -> float:
    """Half-width of a two-sided t interval in standard errors."""
    return float(_special().stdtrit(df, (1 + level) / 2))


def t_tail(t: float, *, df: float) -> float:
    """P(T >= t) of Student's t."""
    return float(_special().stdtr(df, -t))


def chi2_tail(x: float, *, df: float) -> float:
    """P(X >= x) of chi-squared."""
    return float(_special().chdtrc(df, x))


def beta_quantile(probability: float, *, a: float, b: float) -> float:
    """Quantile of Beta(a, b)."""
    return float(_special().betaincinv(a, b, probability))


def log_beta(a: float, b: float) -> float:
    """Logarithm of the beta function."""
    return float(_special().betaln(a, b))


def binomial_cdf(k: int, *, n: int, p: float) -> float:
    """P(X <= k) of Binomial(n, p)."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else float(_special().bdtr(float(k), n, p))


@lru_cache(maxsize=4096)
def binomial_quantile(probability: float, *, n: int, p: float) -> int:
    """Return the smallest k with P(X <= k) >= probability.

    Remembered: the columns of a cell have the same n and are asked for the same ranks.
    """
    low, high = 0, n
    if 0 < probability < 1 and 0 < p < 1:
        # The normal quantile is seldom off by more than this; where it is, nothing is lost.
        spread = sqrt(n * p * (1 - p))
        guess, near = int(n * p + normal_quantile(probability) * spread), 2 + int(spread / 8)
        if 0 <= guess + near < n and binomial_cdf(guess + near, n=n, p=p) >= probability:
            high = guess + near
        if 0 < guess - near <= high and binomial_cdf(guess - near - 1, n=n, p=p) < probability:
            low = guess - near
    while low < high:
        middle = (low + high) // 2
        if binomial_cdf(middle, n=n, p=p) >= probability:
            high = middle
        else:
            low = middle + 1
    return low


def binomial_two_sided_p(k: int, *, n: int) -> float:
    """Exact two-sided p of k of n against one half; 1 where n is 0."""
    return min(1.0, 2 * binomial_cdf(min(k, n - k), n=n, p=0.5)) if n else 1.0


def require_probability(level: float, *, name: str = "level") -> None:
    """Raise ValueError unless `level` lies strictly between 0 and 1."""
    if not 0 < level < 1 or np.isnan(level):
        raise ValueError(f"{name} must lie between 0 and 1, not {level}")
