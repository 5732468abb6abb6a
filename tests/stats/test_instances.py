"""The permutation test over instances: exact on a small table, quiet and loud where it must be."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from befit.stats.instances import instance_test


def test_it_equals_full_enumeration_on_two_samples():
    # Two samples, four answers each, two instances in turns; instance 0 is always right.
    scores = [1, 0, 1, 0, 1, 0, 1, 0]
    samples = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    instances = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    found = instance_test(scores, samples, instances, rng=np.random.default_rng(1), draws=20_000)
    # Spread 1. Of 24 x 24 orders, those with all four 1s at one instance: 2 of 6 x 6 = 36 ways.
    ways = [tuple(p) for p in set(permutations((1, 1, 0, 0)))]
    reached = sum(abs(sum(a[0::2]) + sum(b[0::2]) - 2) == 2 for a in ways for b in ways)
    assert (len(ways) ** 2, reached) == (36, 2)
    assert found.spread == pytest.approx(1.0)
    assert found.p_value == pytest.approx(2 / 36, abs=0.006)
    assert found.n_trials == 8


def test_samples_that_one_instance_answered_alone_tell_nothing():
    found = instance_test(
        [1, 1, 0, 0], np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), rng=np.random.default_rng(0)
    )
    assert found is None
    assert instance_test([], np.array([], dtype=int), np.array([], dtype=int),
                         rng=np.random.default_rng(0)) is None  # fmt: skip


def test_a_harder_sample_at_one_instance_does_not_look_like_a_worse_instance():
    # Sample 0 is easy, sample 1 hard; instance 0 has mostly the easy one, yet answers alike.
    scores = [1, 1, 1, 1] * 5 + [0, 0, 0, 0] * 5
    samples = np.repeat([0, 1], 20)
    instances = np.array([0, 0, 0, 1] * 5 + [0, 1, 1, 1] * 5)
    found = instance_test(scores, samples, instances, rng=np.random.default_rng(0), draws=200)
    assert found.spread == pytest.approx(0.0)
    assert found.p_value == 1.0


def test_false_alarms_come_at_their_rate():
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(200):
        samples = np.repeat(np.arange(20), 4)
        scores = (rng.random(80) < np.repeat(rng.random(20), 4)).astype(float)
        instances = rng.integers(0, 2, 80)
        found = instance_test(scores, samples, instances, rng=rng, draws=99)
        alarms += found.p_value <= 0.05
    # 200 draws at 5 %: 10 expected, standard deviation 3.1; four of them on top.
    assert alarms <= 22
