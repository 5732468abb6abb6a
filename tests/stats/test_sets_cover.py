"""Short form of the proof that drawn sets stand for their log and coverage does not cry wolf."""

from __future__ import annotations

from math import sqrt

import numpy as np

import set_simulations as sets
from befit.datasets.sample import scan_log


def test_a_drawn_set_holds_every_stratum_without_duplicates_and_covers_the_log():
    rounds = 40
    coverage, wrong = sets.sampling_rounds(rounds, logs=2)
    assert not wrong
    assert coverage >= 0.93 - 3.29 * sqrt(0.93 * 0.07 / rounds)


def test_the_same_seed_draws_the_same_set_and_another_seed_another():
    held = sets.planted_log(1, lines=2000)
    scan = sets.scanned(held)
    one, same, other = (sets.one_draw(held, scan, seed=seed, n=60) for seed in (4, 4, 5))
    assert one.drawn == same.drawn
    assert [d.row for d in one.drawn] != [d.row for d in other.drawn]


def test_weights_are_the_log_lines_a_sample_stands_for():
    held = sets.planted_log(2, lines=2000)
    drawing = sets.one_draw(held, sets.scanned(held), seed=1, n=60)
    for stratum in drawing.strata:
        weights = [d.weight for d in drawing.drawn if d.stratum == stratum.name]
        assert abs(sum(weights) - stratum.lines) < 1e-6 * stratum.lines


def test_an_unchanged_mix_is_quiet():
    rounds = 400
    share = sets.false_alarms(rounds, np.random.default_rng(1))
    assert share <= 0.05 + 3.29 * sqrt(0.05 * 0.95 / rounds)


def test_a_shift_of_five_points_is_named_with_its_size():
    named, held = sets.shift_found(100, np.random.default_rng(2), by=0.05)
    assert named >= 0.95
    assert held >= 0.86  # 95 % within the 99.9 % band of 100 rounds


def test_clusters_that_are_asked_for_are_made_although_the_log_names_intents():
    held = sets.planted_log(3, lines=400)
    scan = scan_log(held.log, fields=("cluster", "intent"), seed=0)
    assert scan.fields == ("cluster", "intent")
    assert len({values[0] for values in scan.values}) > 1
    assert {values[1] for values in scan.values} == {"billing", "delivery", "returns", "legal"}
