"""Charts are deterministic text that keeps the contract: words, marks, tables, no style."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from befit.charts.dots import Dot, IntervalDots
from befit.charts.figure import figure
from befit.charts.forest import Forest, Pair
from befit.charts.histogram import Histogram
from befit.charts.scatter import Scatter, Spot
from befit.charts.shares import Bar, ShareBars
from befit.charts.sparkline import Sparkline
from befit.charts.strips import Strip, Strips
from befit.charts.svg import LAYOUTS, NARROW, WIDE, num
from befit.core.estimate import Estimate, not_measured

HOSTILE = '<b onload="x">&\u202e'


def estimate(value: float, half: float = 0.05, n: int = 60) -> Estimate:
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        n_samples=n,
        n_trials=3 * n,
        n_missing=0,
        method="test",
    )


DOTS = IntervalDots(
    title="Pass rate",
    finding="a leads",
    dots=(
        Dot(name="a", index=0, estimate=estimate(0.9), note="a"),
        Dot(name="b", index=1, estimate=not_measured("not run")),
        Dot(name=HOSTILE, index=7, estimate=estimate(0.7), note="b"),
    ),
    gate=0.8,
)
CHARTS = {
    "dots": DOTS,
    "forest": Forest(
        title="Differences",
        finding="one is open",
        pairs=(
            Pair(first="a", second="b", estimate=estimate(0.1), verdict="better", settled=True),
            Pair(first="a", second="c", estimate=estimate(0.0), verdict="open", settled=False),
        ),
    ),
    "shares": ShareBars(
        title="Shares",
        finding="mostly right",
        parts=("right", "mixed", "wrong"),
        bars=(Bar(name="a", index=0, shares=(estimate(0.7), estimate(0.2), estimate(0.1))),),
    ),
    "scatter": Scatter(
        title="Cost",
        finding="b is dear",
        x_title="USD",
        y_title="Pass rate",
        spots=(
            Spot(name="a", index=0, x=estimate(1, 0.1), y=estimate(0.9)),
            Spot(name="b", index=1, x=estimate(30, 1), y=estimate(0.8)),
            Spot(name="c", index=2, x=not_measured("price unknown"), y=estimate(0.8)),
        ),
    ),
    "strips": Strips(
        title="Latency",
        finding="a is quick",
        quantiles=("p50", "p95"),
        strips=(Strip(name="a", index=0, quantiles=(estimate(0.5), estimate(0.9))),),
    ),
    "histogram": Histogram(title="H", finding="f", edges=(0, 1, 2, 3), counts=(1, 5, 2)),
    "sparkline": Sparkline(title="S", finding="f", names=("x", "y", "z"), values=(0.1, None, 0.3)),
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_an_image_with_title_and_finding(name, layout):
    chart = CHARTS[name]
    root = ET.fromstring(chart.svg(layout))  # noqa: S314 - our own output
    assert root.attrib["role"] == "img"
    assert root[0].tag == "title"
    assert root[0].text == chart.title
    assert root[1].tag == "desc"
    assert root[1].text == chart.finding
    assert root.attrib["viewBox"].startswith(f"0 0 {num(layout.width)} ")


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_deterministic_rounded_and_without_style(name, layout):
    text = CHARTS[name].svg(layout)
    assert text == CHARTS[name].svg(layout)
    assert "style=" not in text
    assert re.findall(r'"-?\d+\.\d{3,}"', text) == []
    assert "nan" not in text
    assert "inf" not in text


@pytest.mark.parametrize("name", sorted(set(CHARTS) - {"sparkline", "histogram"}))
def test_each_mark_says_what_it_is(name):
    root = ET.fromstring(CHARTS[name].svg(WIDE))  # noqa: S314 - our own output
    titles = [t.text for el in root.iter() for t in el.findall("title") if el is not root]
    measured = {"dots": 2, "forest": 2, "shares": 3, "scatter": 2, "strips": 2}[name]
    assert len([t for t in titles if ":" in (t or "")]) >= measured


def test_names_are_escaped_and_hidden_characters_numbered():
    text = figure(DOTS)
    assert "<b onload" not in text
    assert "\u202e" not in text
    assert "⟨U+202E⟩" in text


def test_table_beside_a_chart_has_a_row_for_every_mark_measured_or_not():
    table = DOTS.table()
    assert [row[0] for row in table.rows] == ["a", "b", HOSTILE]
    assert table.rows[0][1:4] == ("90 %", "[85, 95]", "n = 60 × 3")
    assert table.rows[1][1] == "not measured"


def test_snapshot_of_the_interval_dot_plot():
    chart = IntervalDots(
        title="t", finding="f", dots=(Dot(name="a", index=0, estimate=estimate(0.9), note="a"),)
    )
    assert chart.svg(NARROW) == (
        '<svg class="chart dots narrow" role="img" viewBox="0 0 340 71">'
        "<title>t</title><desc>f</desc>"
        '<line class="grid" x1="8" y1="4" x2="8" y2="50"/>'
        '<text class="tick" x="17.42" y="64" text-anchor="middle">80 %</text>'
        '<line class="grid" x1="89" y1="4" x2="89" y2="50"/>'
        '<text class="tick" x="89" y="64" text-anchor="middle">85 %</text>'
        '<line class="grid" x1="170" y1="4" x2="170" y2="50"/>'
        '<text class="tick" x="170" y="64" text-anchor="middle">90 %</text>'
        '<line class="grid" x1="251" y1="4" x2="251" y2="50"/>'
        '<text class="tick" x="251" y="64" text-anchor="middle">95 %</text>'
        '<line class="grid" x1="332" y1="4" x2="332" y2="50"/>'
        '<text class="tick" x="318.42" y="64" text-anchor="middle">100 %</text>'
        '<circle class="m c1" cx="8" cy="15.32" r="5"/>'
        '<text class="name" x="18" y="20">a</text>'
        '<text class="num" x="340" y="20" text-anchor="end">90 % [85, 95]  a</text>'
        '<line class="ci c1" x1="89" y1="35" x2="251" y2="35"/>'
        '<circle class="m c1" cx="170" cy="35" r="5.5">'
        "<title>a: 90 % [85, 95], n = 60 × 3</title></circle></svg>"
    )


def test_efficient_ones_are_joined_and_the_dominated_hollow():
    chart = CHARTS["scatter"]
    assert [spot.name for spot in chart.efficient()] == ["a"]
    assert "m hollow c2" in chart.svg(WIDE)
    assert [row[-1] for row in chart.table().rows] == ["yes", "no", "cannot tell"]


def test_gaps_of_a_sparkline_are_not_joined():
    path = re.search(r' d="([^"]+)"', CHARTS["sparkline"].svg(WIDE))
    assert path is not None
    assert path.group(1).count("M") == 2
    assert "L" not in path.group(1)
