"""Golden values: stratified samples and duels that stop early."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from befit.stats.confidence import wald_bounds
from befit.stats.sequential import (
    duel_evidence,
    eliminated,
    judge_duel,
    log_superiority_evidence,
)
from befit.stats.stratified import estimate_stratified, neyman_allocation, stratified_error

WEIGHTS = [0.5, 0.3, 0.2]
DEVIATIONS = np.sqrt(np.array([0.9, 0.7, 0.4]) * (1 - np.array([0.9, 0.7, 0.4])))


@pytest.mark.parametrize(
    ("b", "c", "e"),
    [
        (6, 0, 64 / 7),
        (7, 0, 16),
        (8, 0, 28.444444),
        (12, 2, 12.002930),
        (20, 8, 2.978),
    ],
)
def test_evidence_of_a_duel(b, c, e):
    assert duel_evidence(b, c) == pytest.approx(e, rel=1e-3 if b == 20 else 1e-6)


def test_evidence_has_mean_one_under_equality_by_enumeration():
    for n in (1, 5, 10):
        two, one = 0.0, 0.0
        for outcome in product((0, 1), repeat=n):
            wins = sum(outcome)
            two += duel_evidence(wins, n - wins) / 2**n
            one += np.exp(log_superiority_evidence(wins, n - wins)) / 2**n
        assert two == pytest.approx(1)
        assert one == pytest.approx(1)


def test_one_sided_evidence_is_stronger_for_the_winner():
    assert np.exp(log_superiority_evidence(7, 0)) > duel_evidence(7, 0)
    assert np.exp(log_superiority_evidence(0, 7)) < 1


def test_stratified_mean_and_errors():
    assert stratified_error(DEVIATIONS, WEIGHTS, [40, 40, 20]) == pytest.approx(0.038923, abs=1e-6)
    proportional = stratified_error(DEVIATIONS, WEIGHTS, [50, 30, 20])
    assert proportional == pytest.approx(0.039497, abs=1e-6)
    best = neyman_allocation(DEVIATIONS, WEIGHTS, n=100)
    assert best == pytest.approx([38.9, 35.7, 25.4], abs=0.05)
    assert stratified_error(DEVIATIONS, WEIGHTS, best) == pytest.approx(0.038546, abs=1e-6)


def test_stratified_estimate_carries_production_weights():
    means = [1.0] * 36 + [0.0] * 4 + [1.0] * 28 + [0.0] * 12 + [1.0] * 8 + [0.0] * 12
    strata = np.repeat([0, 1, 2], [40, 40, 20])
    found = estimate_stratified(means, strata, weights=WEIGHTS, n_trials=100, n_missing=0)
    assert found.value == pytest.approx(0.74)
    # near 0.74 +- 1.96 x 0.0389
    assert found.low == pytest.approx(0.74 - 0.0763, abs=0.012)
    assert found.high == pytest.approx(0.74 + 0.0763, abs=0.012)
    lacking = estimate_stratified(
        means[:80], strata[:80], weights=WEIGHTS, n_trials=80, n_missing=20
    )
    assert lacking.value is None


def test_walds_limits():
    assert wald_bounds(alpha=0.05, beta=0.2) == pytest.approx((2.772589, -1.558145), abs=1e-6)


def test_duels_have_winners_ties_and_open_ends():
    assert judge_duel(9, 0, n=60, margin=0.02).verdict == "a"
    assert judge_duel(0, 9, n=60, margin=0.02).verdict == "b"
    assert judge_duel(3, 2, n=60, margin=0.02).verdict == "go_on"
    assert judge_duel(30, 30, n=3000, margin=0.05).verdict == "no_relevant_difference"


def test_the_race_drops_who_is_clearly_beaten():
    wins = [[0, 12, 3], [0, 0, 1], [4, 15, 0]]
    assert eliminated(wins) == (1,)
    assert eliminated([[0]]) == ()
