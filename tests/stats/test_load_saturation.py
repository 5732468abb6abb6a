"""The saturation search against simulated servers whose capacity is known."""

from __future__ import annotations

import numpy as np
import pytest

from befit.analysis.load_search import Tried, bearable, knee, next_load, rising
from load_ground import find_capacity

CAPACITY = 400.0


@pytest.mark.slow
def test_the_search_finds_a_capacity_of_400_a_second_within_10_percent_in_18_of_20_seeds():
    results = [find_capacity(seed) for seed in range(20)]
    near = sum(r.bearable is not None and abs(r.bearable / CAPACITY - 1) <= 0.10 for r in results)
    assert near >= 18
    assert all(level.calls >= 850 for r in results for level in r.levels)


def test_more_calls_in_flight_than_places_bring_no_more_throughput_and_the_knee_is_at_the_places():
    result = find_capacity(1, axis="concurrency", least_calls=2_000)
    loads = np.array([level.shape.concurrency for level in result.levels])
    rates = np.array([level.requests_per_second.value for level in result.levels])
    assert rates.max() == pytest.approx(CAPACITY, rel=0.06)
    bend = knee(loads.astype(float), rates)
    # 20 places: the joint of the two lines lies near 20.
    assert bend is None or 15 <= bend.load <= 30


def test_a_knee_is_where_the_two_lines_meet():
    x = np.arange(1.0, 41.0)
    bend = knee(x, np.minimum(x, 20.0) * 20)
    assert bend.load == pytest.approx(20.0, abs=0.4)
    assert (bend.before, bend.after) == (pytest.approx(20.0, abs=0.2), pytest.approx(0.0, abs=0.2))


def test_a_straight_curve_and_one_of_four_points_have_no_knee():
    x = np.arange(1.0, 11.0)
    assert knee(x, 3 * x) is None
    assert knee(x[:4], np.minimum(x[:4], 2.0)) is None


def test_the_search_doubles_until_a_level_misses_and_then_bisects():
    def verdicts(true, start=1.0, most=1e9):
        tried = []
        while (load := next_load(tried, start=start, most=most)) is not None:
            tried.append(Tried(load=load, verdict="kept" if load <= true else "missed"))
        return tried

    tried = verdicts(100.0)
    assert [t.load for t in tried[:8]] == [1, 2, 4, 8, 16, 32, 64, 128]
    assert 100 / 1.08 <= bearable(tried) <= 100
    # A first load that is already too much is halved.
    assert 100 / 1.08 <= bearable(verdicts(100.0, start=1000)) <= 100
    # A stated limit is tried and never passed.
    assert max(t.load for t in verdicts(100.0, most=50)) == 50
    # A level that nobody can judge promises nothing.
    assert bearable([Tried(load=1, verdict="kept"), Tried(load=2, verdict="cannot_tell")]) == 1
    assert bearable([Tried(load=1, verdict="missed")]) is None


def test_a_growing_queue_is_told_from_a_noisy_one():
    rng = np.random.default_rng(1)
    at = np.arange(1000.0)
    assert rising(at, at * 0.01 + rng.normal(size=1000))
    hits = sum(rising(at, rng.normal(size=1000)) for _ in range(400))
    # One-sided 2.5 %: 10 of 400 expected, 24 is beyond four standard errors.
    assert hits <= 24
