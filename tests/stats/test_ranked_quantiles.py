"""Quantiles ranked once: against numpy, scipy and the plain way of counting."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from befit.stats.arrays import cluster_codes
from befit.stats.distributions import binomial_quantile
from befit.stats.quantiles import Ranked, quantile_interval
from befit.stats.redrawn import redraw, redrawn_quantiles


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101, 640])
def test_a_ranked_quantile_is_numpys_to_the_last_bit(n: int) -> None:
    values = np.random.default_rng(n).exponential(size=n)
    ranked = Ranked(values)
    for q in (0.01, 0.05, 0.25, 0.5, 0.731, 0.95, 0.99):
        assert ranked.quantile(q) == np.quantile(values, q)


def test_one_ranking_gives_what_single_intervals_give() -> None:
    rng = np.random.default_rng(3)
    items = np.repeat(np.arange(60), 5)
    values = rng.normal(size=60)[items] + 0.1 * rng.normal(size=300)
    ranked = Ranked(values, clusters=items)
    for q in (0.5, 0.95):
        assert ranked.interval(q) == quantile_interval(values, q=q, clusters=items)
        assert ranked.interval(q) != quantile_interval(values, q=q)


def test_items_that_stand_alone_are_no_clusters() -> None:
    values = np.random.default_rng(4).normal(size=50)
    assert Ranked(values, clusters=np.arange(50)).interval(0.5).method == "order statistics"


@pytest.mark.parametrize("p", [0.001, 0.05, 0.5, 0.95, 0.999])
def test_binomial_quantiles_are_scipys(p: float) -> None:
    for n in (1, 2, 7, 50, 999, 20_000):
        for probability in (1e-9, 0.025, 0.3, 0.6, 0.975, 0.999999):
            assert binomial_quantile(probability, n=n, p=p) == binom.ppf(probability, n, p)


@pytest.mark.parametrize(
    "names",
    [
        np.array([3, 1, 1, 9]),
        np.array([-5, 7, -5, 0]),
        np.array([10**15, 2, 10**15, 3]),
        np.array(["b", "a", "b"]),
        np.array([], dtype=np.int64),
    ],
)
def test_codes_of_clusters_are_ranks_of_their_names(names: np.ndarray) -> None:
    known = sorted(set(names.tolist()))
    assert cluster_codes(names).tolist() == [known.index(name) for name in names.tolist()]


def test_a_redrawn_quantile_is_that_of_the_values_drawn() -> None:
    rng = np.random.default_rng(5)
    owners = np.repeat(np.arange(400), 4)
    values = rng.exponential(size=owners.size).round(1)
    counts = redraw(400, rng=rng, draws=20)
    found = redrawn_quantiles(values, owners, counts, (0.05, 0.5, 0.95))
    for q, told in zip((0.05, 0.5, 0.95), found, strict=True):
        for draw, value in zip(counts.astype(int), told, strict=True):
            drawn = np.sort(np.repeat(values, draw[owners]))
            assert value == drawn[int(np.ceil(q * drawn.size)) - 1]
