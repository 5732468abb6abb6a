"""Simulated reviewers, short: `tools/proof_review.py` runs the same for 2,000 rounds."""

from __future__ import annotations

import numpy as np
import pytest

import review_simulations as simulated
from befit.stats.clusters import clustered_error
from befit.stats.twoway import combine, estimate_shared_mean, spread_of_mean

ROUNDS = 60


@pytest.mark.parametrize("kind", simulated.BAD)
def test_bad_reviewers_are_found(kind):
    _, left_out, either = simulated.detection(kind, ROUNDS, seed=3)
    # promised at least 90 %; 2,000 rounds find all, so 60 may miss two
    assert left_out >= (ROUNDS - 2) / ROUNDS
    assert either >= left_out


@pytest.mark.parametrize("kind", simulated.GOOD)
def test_good_reviewers_are_left_in(kind):
    _, left_out, _ = simulated.detection(kind, ROUNDS, seed=3)
    # promised at most 5 %, found 0.2 %: two of 60 would happen in less than 1 % of runs
    assert left_out <= 1 / ROUNDS


@pytest.mark.slow
@pytest.mark.parametrize(("people", "bad"), [(10, ()), (13, simulated.BAD)])
def test_intervals_cover_and_the_order_is_recovered(people, bad):
    found = simulated.coverage(100, seed=5, people=people, bad=bad)
    # 95 % within 99.9 % Monte Carlo bands of 100 rounds, whose intervals are not independent
    assert 0.88 <= found["difference"] <= 1.0
    assert 0.88 <= found["win rate"] <= 1.0
    assert found["order"] >= 0.8


def test_errors_of_items_and_reviewers_are_put_together_part_by_part():
    # arithmetic: V = 4 + (5 - 2) = 7; df = 49 / (16/9 + 9/4) = 12.17
    found = combine(4.0, 5.0, 2.0, items=10, raters=5)
    assert found.variance == pytest.approx(7.0)
    assert found.df == pytest.approx(49 / (16 / 9 + 9 / 4))
    # what a reviewer adds is never below nothing
    assert combine(4.0, 1.0, 2.0, items=10, raters=5).variance == pytest.approx(4.0)


def test_one_vote_an_item_and_one_reviewer_leaves_the_errors_of_items():
    values = np.array([1.0, 0.0, 1.0, 1.0, 0.5, 0.0])
    items = list("abcdef")
    found = spread_of_mean(values, items, ["ann"] * 6)
    assert found.variance == pytest.approx(clustered_error(values, items) ** 2)
    assert found.df == pytest.approx(5.0)


def test_reviewers_who_differ_widen_the_interval_and_those_who_do_not_leave_it():
    items = [i for i in range(40) for _ in range(4)]
    people = [p for _ in range(40) for p in range(4)]
    rng = np.random.default_rng(2)
    same = rng.integers(0, 2, size=160).astype(float)
    apart = np.array([float(p < 2) for p in people])
    close = estimate_shared_mean(same, items, people)
    wide = estimate_shared_mean(apart, items, people)
    assert wide.high - wide.low > 2 * (close.high - close.low)
