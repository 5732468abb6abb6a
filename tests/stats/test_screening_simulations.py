"""Short forms of the simulations that `make proof` runs long; bands are for these few rounds."""

from __future__ import annotations

import numpy as np
import pytest

import stat_simulations_screening as sim

ROUNDS = 200


def rng():
    return np.random.default_rng(11)


def error(share):
    return float(np.sqrt(share * (1 - share) / ROUNDS))


@pytest.fixture(scope="module")
def field():
    return sim.rank_field(ROUNDS, rng())


def test_equal_models_share_letters(field):
    assert field["equals split"] <= 0.05 + 3 * error(0.05)


def test_a_model_fifteen_points_worse_is_told_from_the_best(field):
    assert field["worst told from the best"] >= 0.90 - 3 * error(0.90)


def test_values_and_gaps_are_covered(field):
    assert field["values covered"] >= 0.93 - 3 * error(0.93)
    assert field["gaps covered"] >= 0.93 - 3 * error(0.93)


def test_without_results_per_item_equals_still_share_letters():
    found = sim.rank_field(ROUNDS, rng(), by_item=False)
    assert found["equals split"] <= 0.05 + 3 * error(0.05)


@pytest.mark.parametrize("shift", [0.0, 0.03])
def test_repeated_evaluations_cover_with_and_without_a_level_that_moves(shift):
    covered = sim.cover_runs(ROUNDS, rng(), p=0.8, n=500, runs=3, shift=shift)
    assert covered >= 0.93 - 3 * error(0.93)


def test_a_contaminated_model_is_found_and_an_honest_one_is_not_flagged():
    found = sim.contaminated(ROUNDS, rng())
    assert found["found"] >= 0.90 - 3 * error(0.90)
    assert found["honest flagged"] <= 0.05 + 3 * error(0.05)
