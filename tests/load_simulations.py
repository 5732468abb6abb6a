"""Simulated draws of known latencies: does the interval of each quantile hold the truth?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from befit.analysis.load import quantiles

TRUTHS = {
    "lognormal": stats.lognorm(s=0.5, scale=0.4),
    "gamma": stats.gamma(a=2.0, scale=0.2),
    # One call in twenty is ten times slower: the tail of an overloaded pool.
    "two speeds": None,
}
NAMES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))


def _two_speeds(q: float) -> float:
    fast, slow = stats.lognorm(s=0.3, scale=0.3), stats.lognorm(s=0.3, scale=3.0)
    low, high = 0.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        share = 0.95 * fast.cdf(middle) + 0.05 * slow.cdf(middle)
        low, high = (middle, high) if share < q else (low, middle)
    return low


def draw(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return n latencies in seconds."""
    known = TRUTHS[kind]
    if known is not None:
        return np.asarray(known.rvs(size=n, random_state=rng))
    scale = np.where(rng.random(n) < 0.05, 3.0, 0.3)
    return scale * rng.lognormal(0.0, 0.3, size=n)


def truth(kind: str, q: float) -> float:
    """Return the true quantile."""
    known = TRUTHS[kind]
    return float(known.ppf(q)) if known is not None else _two_speeds(q)


def quantile_coverage(kind: str, *, n: int, rounds: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield (quantile, share of rounds whose interval held the truth); an open end holds it."""
    rng = np.random.default_rng(seed)
    right = {name: truth(kind, q) for name, q in NAMES}
    held = dict.fromkeys((name for name, _ in NAMES), 0)
    for _ in range(rounds):
        found = quantiles(draw(kind, n, rng), n_missing=0)
        for name, _ in NAMES:
            estimate = getattr(found, name)
            low = -np.inf if estimate.low is None else estimate.low
            high = np.inf if estimate.high is None else estimate.high
            held[name] += low <= right[name] <= high
    for name, _ in NAMES:
        yield name, held[name] / rounds
