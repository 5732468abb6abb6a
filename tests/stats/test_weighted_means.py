"""Means of units that weigh unequally: exact cases, and what equal weights come to."""

from __future__ import annotations

import numpy as np
import pytest

from befit.stats.intervals import score_interval, t_interval
from befit.stats.paired import paired_difference
from befit.stats.ratio import ratio_interval
from befit.stats.weighted import effective_number, weighted_mean


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_the_effective_number_is_kishs():
    assert effective_number([1, 1, 1, 1]) == 4
    # 16 over 10
    assert effective_number([3, 1]) == pytest.approx(1.6)
    assert effective_number([1, 0, 0]) == 1


def test_the_variance_of_two_units_by_hand():
    # shares 3/4 and 1/4, values 1 and 0: mean 3/4, residuals 3/16 and -3/16, leverages 1/4 and
    # 3/4; sandwich (9/256)(4 + 4/3) = 0.1875; spread (3/16) / max(0.6, 0.5) = 0.3125
    found = weighted_mean([3, 0], [3, 1])
    assert found.mean == 0.75
    assert found.variance == pytest.approx(0.3125)


def test_equal_weights_give_the_plain_interval():
    y = rng().beta(2, 1, size=40)
    weighted = ratio_interval(2 * y, np.full(40, 2.0), limits=(0.0, 1.0))
    plain = score_interval(y)
    assert (weighted.value, weighted.low, weighted.high) == pytest.approx(
        (plain.value, plain.low, plain.high)
    )
    b = rng().beta(1, 2, size=40)
    found = paired_difference(y, b, binary_single=False, rng=rng(), weights=np.full(40, 3.0))
    t = t_interval(y - b)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((t.low, t.high))


def test_one_unit_that_weighs_all_says_nearly_nothing():
    found = ratio_interval([1000, 0, 1, 0], [1000, 1, 1, 1], limits=(0.0, 1.0))
    assert found.high > 0.99
    assert found.low < 0.1


def test_clusters_are_the_units_that_weigh():
    y, w = np.array([1.0, 1.0, 0.0, 0.0]), np.array([2.0, 1.0, 2.0, 1.0])
    grouped = ratio_interval(y * w, w, clusters=["a", "a", "b", "b"], limits=(0.0, 1.0))
    two = ratio_interval([3, 0], [3, 3], limits=(0.0, 1.0))
    assert (grouped.low, grouped.high) == pytest.approx((two.low, two.high))


def test_no_spread_is_no_certainty_at_the_effective_n():
    zero = np.zeros(50)
    heavy = np.where(np.arange(50) < 2, 500.0, 1.0)
    even = paired_difference(zero, zero, binary_single=True, rng=rng()).estimate
    found = paired_difference(zero, zero, binary_single=True, rng=rng(), weights=heavy).estimate
    assert found.low < even.low < 0 < even.high < found.high
