"""Scales, numbers, text widths and label places, on their own."""

from __future__ import annotations

import random

import pytest

from befit.charts.heat import heat_of
from befit.charts.labels import Box, Point, place
from befit.charts.numbers import bare, count_text, estimate_text, tick
from befit.charts.scale import Scale, log_domain, rate_domain, span_domain
from befit.charts.svg import num
from befit.charts.text import fit, plain, width
from befit.core.estimate import Estimate, not_measured


def estimate(value, low, high, n=60, trials=180):
    return Estimate(
        value=value, low=low, high=high, n_samples=n, n_trials=trials, n_missing=0, method="m"
    )


@pytest.mark.parametrize(
    ("value", "unit", "n", "text"),
    [
        (0.7917, "percent", 24, "79"),
        (0.7917, "percent", 1000, "79.2"),
        (0.04, "points", 60, "+4"),
        (-0.04, "points", 60, "−4"),
        (-0.001, "points", 60, "0"),
        (None, "percent", 60, "?"),
        (0.41, "seconds", 60, "0.41"),
        (12.3, "seconds", 60, "12"),
        (0.000072, "usd", 60, "0.000072"),
        (1.734, "usd", 60, "1.73"),
        (1234.4, "tokens", 60, "1,234"),
    ],
)
def test_numbers_have_no_false_precision(value, unit, n, text):
    assert bare(value, unit, n=n) == text


def test_an_estimate_is_written_with_its_interval_and_counts():
    assert estimate_text(estimate(0.84, 0.79, 0.88), "percent") == "84 % [79, 88]"
    assert estimate_text(estimate(0.84, None, 0.88), "percent") == "84 % [88 or less]"
    assert count_text(estimate(0.84, 0.79, 0.88)) == "n = 60 × 3"
    assert count_text(estimate(0.84, 0.79, 0.88, trials=150)) == "n = 60 × 2.5"
    assert estimate_text(not_measured("1 repeat"), "percent") == "not measured"


def test_axis_numbers_are_round():
    assert [tick(v, "usd") for v in (0.05, 1.0, 20.0)] == ["$0.05", "$1", "$20"]
    assert Scale(low=0.8, high=1, start=0, end=1).ticks(5) == (0.8, 0.85, 0.9, 0.95, 1.0)
    assert Scale(low=0.04, high=2.1, start=0, end=1, log=True).ticks(5) == (
        0.05,
        0.1,
        0.2,
        0.5,
        1.0,
        2.0,
    )


def test_values_outside_a_scale_stay_on_its_edge():
    scale = Scale(low=0.5, high=1, start=100, end=200)
    assert (scale(0.2), scale(0.75), scale(1.4)) == (100, 150, 200)


def test_domain_of_rates_starts_ten_percent_below_the_least():
    assert rate_domain([0.72, None, 0.95]) == (0.7, 1.0)
    assert rate_domain([1.0]) == (0.9, 1.0)
    assert rate_domain([]) == (0.0, 1.0)


def test_domains_hold_their_values_even_where_all_are_the_same():
    for values in ([3.0], [0.0], [1e-7, 1e-7], []):
        low, high = span_domain(values)
        assert low < high
        low, high = log_domain(values)
        assert 0 < low < high


def test_heat_steps_span_the_domain_of_the_data():
    heat = heat_of([0.72, 0.9, None])
    assert (heat.low, heat.high) == (0.7, 1.0)
    assert [heat.step(v) for v in (0.7, 0.72, 0.85, 1.0)] == [1, 1, 4, 7]
    assert heat.key()[0][1] == 0.7


def test_long_names_keep_their_ends():
    cut = fit("candidate-with-a-long-name-01", room=100, size=14)
    assert cut.startswith("can")
    assert cut.endswith("01")
    assert "…" in cut
    assert width(cut, 14) <= 100
    assert fit("short", room=100, size=14) == "short"


def test_wide_letters_count_as_wide():
    assert width("模型", 10) == 20


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\x00", "\x1b", "\ud800", "\u2028", "\u3164"])
def test_hidden_characters_are_numbered(char):
    assert plain(f"a{char}b") == f"a⟨U+{ord(char):04X}⟩b"


def test_ordinary_text_of_any_script_is_left_alone():
    for text in ("naïve café", "模型一", "نموذج", "тест", "a\tb\nc", "👍"):
        assert plain(text) == text


def test_num_has_two_decimals_and_no_negative_zero():
    assert [num(v) for v in (1.0, 1.239, -0.001, 100.0, 0.5)] == ["1", "1.24", "0", "100", "0.5"]


@pytest.mark.parametrize("seed", range(20))
def test_labels_meet_no_mark_no_interval_and_no_other_label(seed):
    draw = random.Random(seed)  # noqa: S311 - toy data
    area = Box(left=50, top=30, right=560, bottom=300)
    points = []
    for i in range(12):
        x, y = draw.uniform(60, 550), draw.uniform(60, 270)
        points.append(Point(x=x, y=y, top=y - 20, bottom=y + 20, text=f"candidate-{i:02d}"))
    labels = place(points, area=area, column=575, font=14)
    boxes = []
    for point, label in zip(points, labels, strict=True):
        end = label.x + width(point.text, 14)
        boxes.append(Box(left=label.x, top=label.y - 11, right=end, bottom=label.y + 3))
    marks = [box for point in points for box in point.boxes()]
    for i, box in enumerate(boxes):
        assert not any(box.meets(other) for other in boxes[i + 1 :])
        assert labels[i].led or not any(box.meets(mark) for mark in marks)
        assert area.top - 1 <= box.top
        assert box.bottom <= area.bottom + 4
