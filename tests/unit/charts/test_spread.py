"""The strip of wordings: a bar from the worst to the best, a tick for each, the prompt marked."""

from __future__ import annotations

import pytest

from befit.charts.dots import Dot, IntervalDots
from befit.charts.spread import Spread, Spreads
from befit.charts.svg import LAYOUTS
from befit.core.estimate import Estimate, not_measured


def rate(value):
    return Estimate(
        value=value, low=value - 0.1, high=value, n_samples=40, n_trials=80, n_missing=0, method="t"
    )


def strip(**rates):
    results = tuple((name, rate(value)) for name, value in rates.items())
    return Spread(name="a", index=0, results=results, flag="! costly to maintain")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_ends_and_flag_stand_beside_a_bar_with_a_tick_for_each_wording(layout):
    chart = Spreads(title="t", finding="f", spreads=(strip(itself=0.9, order=0.3, short=0.8),))
    svg = chart.svg(layout)
    assert "30 to 90 % ! costly to maintain" in " ".join(svg.split())
    assert svg.count('<rect class="m c1"') == 2  # the prompt as it is bears the candidate's mark
    assert svg.count('class="span c1"') == 1
    assert "a, order: 30 % [20, 30], n = 40 × 2" in svg


def test_the_table_has_the_interval_of_each_wording_and_nothing_measured_is_no_zero():
    missing = Spread(name="b", index=1, results=(("itself", not_measured("no answers")),))
    chart = Spreads(title="t", finding="f", spreads=(strip(itself=0.9, order=0.3), missing))
    assert chart.table().rows == (
        ("a", "itself", "90 %", "[80, 90]", "n = 40 × 2"),
        ("a", "order", "30 %", "[20, 30]", "n = 40 × 2"),
        ("b", "itself", "not measured", "", "n = 0"),
    )
    assert ">not measured<" in chart.svg(LAYOUTS[0])


def test_pictures_that_share_a_floor_have_the_same_axis():
    dots = (Dot(name="a", index=0, estimate=rate(0.9)),)
    alone = IntervalDots(title="t", finding="f", dots=dots)
    shared = IntervalDots(title="t", finding="f", dots=dots, floor=0.25)
    assert (alone.domain()[0], shared.domain()[0]) == pytest.approx((0.8, 0.2))
