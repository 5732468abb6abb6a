"""Lines of equal values stay visible side by side, and their names never run into each other."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from befit.charts.curve import Course, Curve, Spot
from befit.charts.svg import LAYOUTS, NARROW, WIDE
from befit.core.estimate import Estimate


def spots(*values):
    return tuple(
        Spot(x=float(place), y=Estimate(value=value, low=None, high=None, n_samples=9, n_trials=9,
                                        n_missing=0, method="t"))
        for place, value in enumerate(values, start=1)
    )  # fmt: skip


def curve(*lines, dodge=True):
    return Curve(
        title="t", finding="", x_title="turn", y_title="share", y_unit="percent", dodge=dodge,
        courses=tuple(
            Course(name=f"line {place}", index=place, spots=spots(*values))
            for place, values in enumerate(lines)
        ),
    )  # fmt: skip


def paths(svg):
    return re.findall(r'<path class="course ([^"]*)" d="M([\d.]+) ([\d.]+)', svg)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_equal_lines_stand_beside_each_other_and_the_later_is_dashed(layout):
    found = paths(curve((1.0, 0.5, 0.5), (1.0, 0.5, 0.5), (0.2, 0.9, 0.1)).svg(layout))
    assert [face for face, _, _ in found] == ["c1", "c2 over", "c3"]
    places = [float(x) for _, x, _ in found]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1])
    assert places[1] - places[0] > 4


def test_lines_stand_at_their_places_where_nothing_is_to_be_kept_apart():
    alone = paths(curve((1.0, 0.5)).svg(WIDE))
    plain = paths(curve((1.0, 0.5), (0.4, 0.9), dodge=False).svg(WIDE))
    assert {x for _, x, _ in (*alone, *plain)} == {alone[0][1]}


def test_many_places_leave_lines_apart_less_than_places():
    svg = curve((0.5,) * 20, (0.5,) * 20).svg(NARROW)
    xs = [float(x) for x in re.findall(r'<circle[^>]* cx="([\d.]+)"', svg)]
    others = [float(x) for x in re.findall(r'<rect class="m c2"[^>]* x="([\d.]+)"', svg)]
    assert len(xs) == len(others) == 21
    assert abs(others[0] - xs[0]) < xs[1] - xs[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_names_of_lines_that_end_together_lie_a_line_apart_within_the_picture(layout, value):
    svg = curve(*[(1.0, value)] * 6).svg(layout)
    heights = [float(y) for y in re.findall(r'class="name"[^>]* y="([\d.]+)"', svg)]
    assert len(heights) == 6
    assert all(b - a >= 15.9 for a, b in pairwise(heights))
    ticks = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="middle"', svg)]
    assert 0 < heights[0] <= heights[-1] < min(ticks)


def bounded(*values):
    return tuple(
        Spot(x=float(place), y=Estimate(value=value, low=value / 2, high=value, n_samples=9,
                                        n_trials=9, n_missing=0, method="t"))
        for place, value in enumerate(values, start=1)
    )  # fmt: skip


def drawn(*spots, **changed):
    fields = {"x_title": "turn", "y_title": "share", "y_unit": "percent"} | changed
    courses = tuple(Course(name=f"line {n}", index=n, spots=own) for n, own in enumerate(spots))
    return Curve(title="t", finding="", courses=courses, **fields)


def test_a_line_of_many_points_bears_a_few_marks_with_their_intervals():
    svg = drawn(bounded(*[0.5] * 50)).svg(WIDE)
    assert svg.count('class="ci thin c1"') == svg.count("<circle") - 1 == 8  # one is at its name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_marks_at_the_first_place_stand_clear_of_the_axis_and_titles_are_whole(layout):
    title = "Length of the text, tokens aimed at, as long as it is"
    svg = drawn(bounded(0.5, 0.4), bounded(0.5, 0.4), dodge=True, x_title=title).svg(layout)
    ticks = [float(x) for x in re.findall(r'x="([\d.]+)" y="[\d.]+" text-anchor="end">\d+ %', svg)]
    first = min(float(x) for x in re.findall(r'<circle[^>]* cx="([\d.]+)"', svg))
    assert max(ticks) < first - 4.5
    assert layout is NARROW or f"{title} →</text>" in svg


def test_places_that_are_no_numbers_have_names_on_the_axis_and_in_the_table():
    chart = drawn(bounded(0.5, 0.4, 0.3), x_names=("morning", "noon", "night"))
    assert re.findall(r">(morning|noon|night)</text>", chart.svg(WIDE)) == [
        "morning",
        "noon",
        "night",
    ]
    assert [row[0] for row in chart.table().rows] == ["morning", "noon", "night"]
