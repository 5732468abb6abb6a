from __future__ import annotations

import numpy as np
import pytest
from statsmodels.duration.survfunc import SurvfuncRight

from befit.stats.survival import survival


def test_the_curve_and_greenwoods_error_of_the_reference():
    times = [1, 2, 2, 3, 3, 3, 5, 5, 5, 5]
    event = [1, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    curve = survival(times, event)
    assert [point.step for point in curve] == [1, 2, 3]
    assert [point.value for point in curve] == pytest.approx([0.9, 0.8, 0.571429], abs=1e-6)
    assert [point.error for point in curve] == pytest.approx(
        [0.094868, 0.126491, 0.163775], abs=1e-6
    )
    assert [point.at_risk for point in curve] == [10, 9, 7]


def test_steps_that_fail_independently_multiply():
    assert pytest.approx(0.598737, abs=1e-6) == 0.95**10
    rng = np.random.default_rng(1)
    fails = rng.random((20_000, 10)) < 0.05
    first = np.where(fails.any(axis=1), fails.argmax(axis=1) + 1, 10)
    last = survival(first, fails.any(axis=1))[-1]
    assert last.low < 0.95**10 < last.high


def test_it_agrees_with_statsmodels_on_random_chains():
    rng = np.random.default_rng(7)
    for _ in range(20):
        times, event = rng.integers(1, 9, 40), rng.integers(0, 2, 40)
        other = SurvfuncRight(times, event)
        curve = survival(times, event)
        kept = [list(other.surv_times).index(point.step) for point in curve]
        assert [point.value for point in curve] == pytest.approx(list(other.surv_prob[kept]))
        alive = [(p, k) for p, k in zip(curve, kept, strict=True) if p.value > 0]
        assert [p.error for p, _ in alive] == pytest.approx(
            [other.surv_prob_se[k] for _, k in alive]
        )


def test_the_interval_stays_inside_zero_and_one_and_covers():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2_000):
        fails = rng.random((60, 5)) < 0.1
        first = np.where(fails.any(axis=1), fails.argmax(axis=1) + 1, 5)
        point = next(p for p in reversed(survival(first, fails.any(axis=1))) if p.step <= 3)
        assert 0 <= point.low <= point.value <= point.high <= 1
        hits += point.low <= 0.9**point.step <= point.high
    assert 0.93 <= hits / 2_000 <= 0.97
