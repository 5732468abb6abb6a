"""Simulations of befit's statistical defaults: short in the tests, long in `tools/proof.py`.

Each function takes a number of repetitions and a generator and returns the
observed share (coverage or false alarms) of one setting.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from befit.stats.clusters import clustered_interval
from befit.stats.intervals import score_interval, wilson, wilson_flat
from befit.stats.paired import paired_amount_difference, paired_difference, weighted_interval
from befit.stats.quantiles import quantile_interval
from befit.stats.ranking import rank_candidates
from befit.stats.ratio import ratio_interval

Rng = np.random.Generator


def abilities(mean: float, icc: float, n: int, rng: Rng) -> np.ndarray:
    """Success chances of n items: beta with this mean, repeats correlated by `icc`."""
    spread = 1 / icc - 1
    return rng.beta(mean * spread, (1 - mean) * spread, size=n)


def _inside(interval, truth: float) -> bool:
    low = -np.inf if interval.low is None else interval.low
    high = np.inf if interval.high is None else interval.high
    return low <= truth <= high


def cover_wilson(rounds: int, rng: Rng, *, p: float, n: int) -> float:
    counts = rng.binomial(n, p, size=rounds)
    return float(np.mean([_inside(wilson(int(k), n=n), p) for k in counts]))


def cover_repeats(rounds: int, rng: Rng, *, mean: float, icc: float, n: int, k: int = 5) -> dict:
    """Coverage of three intervals on n items of k binary repeats."""
    hits = {"wilson on all calls": 0, "wilson-flat": 0, "score interval": 0}
    for _ in range(rounds):
        right = rng.binomial(k, abilities(mean, icc, n, rng))
        hits["wilson on all calls"] += _inside(wilson(int(right.sum()), n=n * k), mean)
        hits["wilson-flat"] += _inside(wilson_flat(right / k), mean)
        hits["score interval"] += _inside(score_interval(right / k), mean)
    return {name: count / rounds for name, count in hits.items()}


def cover_clusters(rounds: int, rng: Rng, *, mean: float, icc: float, groups: int) -> float:
    hits = 0
    for _ in range(rounds):
        sizes = rng.integers(1, 12, size=groups)
        codes = np.repeat(np.arange(groups), sizes)
        y = (rng.random(codes.size) < abilities(mean, icc, groups, rng)[codes]).astype(float)
        hits += _inside(clustered_interval(y, codes, rng=rng), mean)
    return hits / rounds


def _pair(rng: Rng, *, gap: float, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    # expected scores lie in [gap, 1] for A and gap below that for B: the truth is exactly `gap`
    base = gap + (1 - gap) * abilities(0.7, 0.4, n, rng)
    return rng.binomial(k, base) / k, rng.binomial(k, base - gap) / k


def _unequal(rng: Rng, n: int, weights: str) -> np.ndarray:
    """Weights: log-normal with this sigma, or every tenth item `heavy` times as heavy."""
    kind, _, size = weights.partition(" ")
    if kind == "heavy":
        return np.where(rng.random(n) < 0.1, float(size), 1.0)
    return rng.lognormal(sigma=float(size), size=n)


def cover_weighted(rounds: int, rng: Rng, *, p: float, n: int, weights: str) -> float:
    """Coverage of the rate of n binary items that weigh unequally."""
    hits = 0
    for _ in range(rounds):
        w = _unequal(rng, n, weights)
        y = (rng.random(n) < p).astype(float)
        hits += _inside(ratio_interval(y * w, w, limits=(0.0, 1.0)), p)
    return hits / rounds


def cover_weighted_difference(
    rounds: int, rng: Rng, *, n: int, k: int, weights: str, gap: float = 0.1
) -> float:
    """Coverage of a difference over n items of k repeats that weigh unequally."""
    hits = 0
    for _ in range(rounds):
        a, b = _pair(rng, gap=gap, n=n, k=k)
        hits += _inside(weighted_interval(a - b, _unequal(rng, n, weights)), gap)
    return hits / rounds


def cover_difference(rounds: int, rng: Rng, *, gap: float, n: int, k: int) -> float:
    hits = 0
    for _ in range(rounds):
        a, b = _pair(rng, gap=gap, n=n, k=k)
        found = paired_difference(a, b, binary_single=k == 1, rng=rng)
        hits += _inside(found.estimate, gap)
    return hits / rounds


def false_differences(rounds: int, rng: Rng, *, n: int, k: int) -> float:
    """Share of equal pairs called different at 5 %."""
    hits = 0
    for _ in range(rounds):
        a, b = _pair(rng, gap=0.0, n=n, k=k)
        p = paired_difference(a, b, binary_single=k == 1, rng=rng).p_value
        hits += p is not None and p <= 0.05
    return hits / rounds


def false_amount_differences(rounds: int, rng: Rng, *, n: int) -> float:
    """The same for log-normal amounts, where the test draws its flips."""
    hits = 0
    for _ in range(rounds):
        base = rng.lognormal(size=n)
        a, b = base * rng.lognormal(sigma=0.3, size=n), base * rng.lognormal(sigma=0.3, size=n)
        hits += paired_amount_difference(a, b, rng=rng).p_value <= 0.05
    return hits / rounds


def false_splits(rounds: int, rng: Rng, *, candidates: int, n: int) -> float:
    """Share of sets of equal candidates in which some pair gets different letters."""
    hits = 0
    for _ in range(rounds):
        base = abilities(0.7, 0.4, n, rng)
        means = rng.binomial(3, base, size=(candidates, n)) / 3
        ranking = rank_candidates(means, binary_single=False, rng=rng)
        hits += any(
            not set(ranking.letters[i]) & set(ranking.letters[j])
            for i, j in combinations(range(candidates), 2)
        )
    return hits / rounds


def cover_quantile(rounds: int, rng: Rng, *, q: float, n: int) -> float:
    truth = -np.log(1 - q)
    return float(
        np.mean([_inside(quantile_interval(rng.exponential(size=n), q=q), truth)
                 for _ in range(rounds)])
    )  # fmt: skip


def cover_cost_per_success(rounds: int, rng: Rng, *, p: float, n: int) -> float:
    """Cost of an attempt is log-normal with mean 1, so a success costs 1 / p."""
    hits = 0
    for _ in range(rounds):
        cost = rng.lognormal(mean=-0.125, sigma=0.5, size=n)
        success = (rng.random(n) < p).astype(float)
        if success.sum() == 0:
            hits += 1  # said to be not measured, so nothing false is claimed
            continue
        hits += _inside(ratio_interval(cost, success), 1 / p)
    return hits / rounds


def cover_rank_sets(rounds: int, rng: Rng, *, candidates: int, n: int) -> float:
    """Share of rounds in which all rank sets hold the true ranks at once."""
    hits = 0
    for _ in range(rounds):
        base = abilities(0.6, 0.4, n, rng)
        shrink = np.linspace(1.0, 0.8, candidates)[:, None]
        means = rng.binomial(3, shrink * base) / 3
        ranking = rank_candidates(means, binary_single=False, rng=rng)
        hits += all(low <= i + 1 <= high for i, (low, high) in enumerate(ranking.rank_sets))
    return hits / rounds
