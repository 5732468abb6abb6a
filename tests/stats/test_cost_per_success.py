"""What a success costs where every trial passed: the pass rate's doubt is in it."""

from __future__ import annotations

import numpy as np
import pytest

from befit.stats.distributions import one_sided
from befit.stats.means import estimate_amount
from befit.stats.ratio import estimate_per_success, per_success_interval, ratio_interval


def test_a_constant_cost_is_as_certain_as_the_pass_rate():
    cost, ones = np.full(120, 1.2e-6), np.ones(120)
    found = estimate_per_success(cost, ones, ones, n_missing=0)
    # Wilson's lower limit of n of n is n / (n + z^2)
    assert found.value == pytest.approx(1.2e-6)
    assert found.low == pytest.approx(1.2e-6)
    assert found.high == pytest.approx(1.2e-6 * (120 + 1.959964**2) / 120)
    side = per_success_interval(cost, ones, ones, level=one_sided(0.95))
    assert side.high == pytest.approx(1.2e-6 * (120 + 1.644854**2) / 120)


def test_equal_costs_are_the_limit_of_nearly_equal_ones():
    ones = np.ones(60)
    near = 0.01 + 1e-9 * np.tile([1.0, -1.0], 30)
    a = per_success_interval(near, ones, ones)
    b = per_success_interval(np.full(60, 0.01), ones, ones)
    assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-6)
    wide = per_success_interval(near + 0.004 * np.tile([1.0, -1.0], 30), ones, ones)
    assert wide.low < b.low < b.high < wide.high


def test_with_a_failure_among_them_it_is_the_ratio_of_the_sums():
    cost, passed = np.full(60, 0.01), np.array([0.0] + [1.0] * 59)
    found = per_success_interval(cost, passed, np.ones(60))
    assert found == ratio_interval(cost, passed)


def test_clusters_that_all_passed_count_as_clusters():
    cost, ones = np.full(40, 0.01), np.ones(40)
    found = per_success_interval(cost, ones, ones, clusters=np.repeat(np.arange(20), 2))
    assert found.high == pytest.approx(0.01 * (20 + 1.959964**2) / 20)


def test_one_sample_bounds_nothing():
    found = per_success_interval([0.01], [1.0], [1.0])
    assert (found.low, found.high) == (None, None)


def test_counted_amounts_that_are_all_equal_have_no_doubt_and_others_no_limits():
    counted = estimate_amount([0.2] * 9, n_trials=9, n_missing=0, counted=True)
    assert (counted.low, counted.high) == (0.2, 0.2)
    other = estimate_amount([0.2] * 9, n_trials=9, n_missing=0)
    assert (other.low, other.high) == (None, None)


def test_what_is_counted_is_not_below_nothing_however_few_there_are():
    few = estimate_amount([0.01, 0.2, 0.0], n_trials=3, n_missing=0, counted=True)
    assert (few.low, few.value) == (0.0, pytest.approx(0.07))
    assert few.high > 0.3
    # A difference is no count: its limits may lie on both sides.
    assert estimate_amount([0.01, 0.2, 0.0], n_trials=3, n_missing=0).low < 0


def test_its_upper_limit_covers_where_nearly_all_pass():
    rng = np.random.default_rng(7)
    hits, rounds, p, n = 0, 400, 0.97, 60
    for _ in range(rounds):
        passed = (rng.random(n) < p).astype(float)
        cost = rng.lognormal(mean=-0.02, sigma=0.2, size=n)
        found = per_success_interval(cost, passed, np.ones(n))
        hits += found.low <= 1 / p <= found.high
    # 95 % of 400 has a standard error of 1.1 points
    assert hits / rounds >= 0.92
