"""Short simulations with fixed seeds: intervals cover, tests do not cry wolf.

The bounds are those of 99.9 % Monte Carlo bands at this number of repetitions;
`tools/proof.py` runs the same functions with 2,000 and more.
"""

from __future__ import annotations

import numpy as np
import pytest

import stat_simulations as simulate

ROUNDS = 500
COVERS = 0.93 - 0.038
"""Three standard errors below 93 % at 500 repetitions."""
ALARMS = 0.082
"""99.9 % band above 5 % at 500 repetitions."""


def rng() -> np.random.Generator:
    return np.random.default_rng(20_250_101)


@pytest.mark.parametrize(("mean", "icc", "n"), [(0.9, 0.5, 50), (0.97, 0.7, 50), (0.7, 0.5, 20)])
def test_item_level_intervals_cover_and_call_level_ones_do_not(mean, icc, n):
    found = simulate.cover_repeats(ROUNDS, rng(), mean=mean, icc=icc, n=n)
    assert found["wilson-flat"] >= 0.93
    assert found["score interval"] >= 0.86
    assert found["wilson on all calls"] < 0.85


@pytest.mark.parametrize("groups", [4, 10, 30])
@pytest.mark.parametrize("mean", [0.6, 0.9])
def test_clustered_intervals_cover(mean, groups):
    assert simulate.cover_clusters(ROUNDS, rng(), mean=mean, icc=0.3, groups=groups) >= COVERS


@pytest.mark.parametrize(("n", "k"), [(30, 1), (100, 1), (50, 5)])
def test_paired_intervals_cover(n, k):
    assert simulate.cover_difference(ROUNDS, rng(), gap=0.1, n=n, k=k) >= COVERS


@pytest.mark.parametrize("weights", ["lognormal 2.0", "heavy 30"])
@pytest.mark.parametrize("p", [0.7, 0.9])
def test_rates_of_very_unequal_weights_cover(weights, p):
    assert simulate.cover_weighted(ROUNDS, rng(), p=p, n=60, weights=weights) >= COVERS


@pytest.mark.parametrize("weights", ["lognormal 2.0", "heavy 30"])
@pytest.mark.parametrize("k", [1, 5])
def test_differences_of_very_unequal_weights_cover(weights, k):
    found = simulate.cover_weighted_difference(ROUNDS, rng(), n=60, k=k, weights=weights)
    assert found >= COVERS


@pytest.mark.parametrize(("n", "k"), [(20, 1), (50, 5)])
def test_equal_candidates_are_seldom_called_different(n, k):
    assert simulate.false_differences(ROUNDS, rng(), n=n, k=k) <= ALARMS


def test_equal_amounts_are_seldom_called_different():
    assert simulate.false_amount_differences(200, rng(), n=40) <= 0.105


def test_equal_candidates_share_a_letter():
    assert simulate.false_splits(200, rng(), candidates=4, n=40) <= 0.105


def test_quantile_intervals_cover():
    assert simulate.cover_quantile(ROUNDS, rng(), q=0.5, n=30) >= 0.93
    assert simulate.cover_quantile(ROUNDS, rng(), q=0.95, n=200) >= 0.93


@pytest.mark.parametrize(("p", "n"), [(0.8, 40), (0.1, 40)])
def test_cost_per_success_covers(p, n):
    assert simulate.cover_cost_per_success(ROUNDS, rng(), p=p, n=n) >= COVERS


def test_rank_sets_hold_the_true_ranks():
    assert simulate.cover_rank_sets(200, rng(), candidates=4, n=60) >= 0.89
