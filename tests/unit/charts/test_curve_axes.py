"""Which axis a curve is drawn on: a zero is a value, and a wide interval is no span of values."""

from __future__ import annotations

import re

import pytest

from befit.charts.curve import Course, Curve, Spot
from befit.charts.svg import WIDE
from befit.core.estimate import Estimate


def spot(x: float, value: float, low: float) -> Spot:
    found = Estimate(
        value=value, low=low, high=value, n_samples=9, n_trials=9, n_missing=0, method="t"
    )
    return Spot(x=x, y=found)


def ticks(*values: float, low: float | None = None) -> list[str]:
    """The words at the upright axis."""
    spots = tuple(spot(i + 1, v, v if low is None else low) for i, v in enumerate(values))
    chart = Curve(
        title="t", finding="", courses=(Course(name="a", index=0, spots=spots),),
        x_title="load", y_title="per second", y_unit="number",
    )  # fmt: skip
    return re.findall(r'text-anchor="end"[^>]*>([^<]+)<', chart.svg(WIDE))


@pytest.mark.parametrize(
    ("values", "low", "logarithmic"),
    [
        ((1.0, 1000.0), None, True),
        ((1.0, 2.0), None, False),
        # Goodput falls to nothing beyond what a server bears: that is 0, not the lower end.
        ((0.0, 1000.0), None, False),
        ((1.0, 2.0), 0.001, False),
    ],
)
def test_the_upright_axis_is_logarithmic_only_where_values_span_much_and_none_is_zero(
    values, low, logarithmic
):
    assert ("0" not in ticks(*values, low=low)) == logarithmic
