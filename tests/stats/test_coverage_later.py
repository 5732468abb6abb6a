"""Short simulations with fixed seeds of the sequential, judged and stratified methods."""

from __future__ import annotations

import numpy as np
import pytest

import stat_simulations_later as simulate
from befit.stats.ecusum import alarm_threshold

COVERS = 0.93 - 0.057
"""Five standard errors below 95 %, or three and a half below 93 %, at 200 repetitions."""


def rng() -> np.random.Generator:
    return np.random.default_rng(20_250_102)


def test_looking_after_every_item_names_few_false_winners():
    assert simulate.false_winners(200, rng(), looks=100) <= 0.105


def test_a_clear_duel_is_won_early():
    won, length = simulate.duel_length(100, rng(), share=0.8)
    assert won >= 0.97
    assert length < 40


def test_looking_after_every_observation_raises_few_false_drops():
    assert simulate.false_drops(500, rng()) <= 0.082


def test_false_alarms_stay_within_their_budget_and_drops_are_seen():
    month = 20_000
    threshold = alarm_threshold(observations=month, alarms=0.25)
    assert simulate.alarms_per_month(100, rng(), threshold=threshold, length=month) <= 0.25
    assert simulate.alarm_delay(100, rng(), p=0.8, threshold=threshold) < 120


@pytest.mark.parametrize("p", [0.5, 0.95])
def test_confidence_sequences_hold_at_every_look(p):
    assert simulate.cover_always(200, rng(), p=p) >= COVERS


def test_judged_and_corrected_rates_cover():
    assert simulate.cover_judged(500, rng(), labels=60, rest=400) >= COVERS
    assert simulate.cover_corrected(500, rng(), n=500, calibration=80) >= COVERS


def test_stratified_estimates_cover():
    assert simulate.cover_stratified(500, rng()) >= COVERS


def test_gaps_of_ratings_cover():
    assert simulate.cover_rating_gap(200, rng(), votes=200) >= COVERS
