"""Quantiles and ratios: known limits, and what they say when too little is there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import quantile_test

from befit.stats.intervals import UNIT
from befit.stats.quantiles import estimate_quantile, quantile_interval
from befit.stats.ratio import delta_interval, estimate_ratio, fieller_interval, ratio_error


def test_percentiles_of_one_to_a_hundred():
    x = np.arange(1, 101)
    median, p95, p99 = (quantile_interval(x, q=q) for q in (0.5, 0.95, 0.99))
    assert (median.low, median.high) == (40, 61)
    assert (p95.low, p95.high) == (90, 100)
    assert p99.high is None
    oracle = quantile_test(x, p=0.5).confidence_interval()
    assert (median.low, median.high) == (oracle.low, oracle.high)


def test_repeats_of_one_item_widen_a_percentile():
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(40), 10)
    x = rng.exponential(size=40)[items] + rng.normal(0, 0.01, size=400)
    plain = quantile_interval(x, q=0.5)
    honest = quantile_interval(x, q=0.5, clusters=items)
    assert honest.high - honest.low > 2 * (plain.high - plain.low)
    assert honest.low <= honest.value <= honest.high


def test_no_latency_is_not_zero():
    found = estimate_quantile([np.nan], q=0.5, n_samples=0, n_missing=1)
    assert found.value is None


def test_ratio_error_is_the_delta_methods():
    y, x = np.array([1.0, 3, 2, 5]), np.array([1.0, 2, 2, 4])
    # R = 11/9; residuals -2/9, 5/9, -4/9, 1/9; squares 46/81; x 4/3, root, over 9
    assert ratio_error(y, x) == pytest.approx(np.sqrt(46 / 81 * 4 / 3) / 9)
    found = delta_interval(y, x)
    assert (found.low + found.high) / 2 == pytest.approx(11 / 9)


def test_fieller_is_the_set_of_ratios_that_are_not_rejected():
    rng = np.random.default_rng(4)
    y, x = rng.lognormal(size=30), rng.lognormal(mean=1, size=30)
    found = fieller_interval(y, x)
    for ratio in (found.low, found.high):
        rest = y - ratio * x
        t = rest.mean() / (rest.std(ddof=1) / np.sqrt(30))
        assert abs(t) == pytest.approx(2.045230, abs=1e-5)  # t(29) at 97.5 %


def test_cost_per_success_of_rare_successes_has_no_upper_bound():
    cost, success = np.full(20, 0.01) + np.arange(20) / 1e4, np.array([1.0] + [0.0] * 19)
    found = estimate_ratio(cost, success, n_trials=20, n_missing=0)
    assert found.value == pytest.approx(cost.sum())
    assert found.high is None
    assert found.low > 0


def test_cost_per_success_without_a_success_is_not_measured():
    found = estimate_ratio([0.1, 0.1], [0.0, 0.0], n_trials=2, n_missing=0)
    assert found.value is None


def test_perfect_field_accuracy_over_few_documents_is_not_certain():
    found = estimate_ratio(
        [10.0] * 20, [10.0] * 20, n_trials=20, n_missing=0, clusters=range(20), limits=UNIT
    )
    # 20 documents, all right: Wilson 20/20, not 200/200
    assert found.low == pytest.approx(0.838875, abs=1e-6)
    assert found.high == 1.0
