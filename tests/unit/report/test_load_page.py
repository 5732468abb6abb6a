"""The page of a load measurement: what it says, draws and never does."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import numpy as np

from befit.analysis.load import ServiceLevel, analyse_level, columns
from befit.analysis.load_naive import naive_closed_loop
from befit.analysis.load_result import LoadResult, load_data
from befit.analysis.load_timeline import timeline
from befit.analysis.self_hosted import self_hosted
from befit.engine.load_shape import LoadShape
from befit.report.load_charts import curves, says, strips, timelines
from befit.report.load_html import render_load
from load_ground import SimulatedServer, run_level

PROMISE = ServiceLevel(latency=0.4)


def result(*shapes, stall=None, places=10, name="m"):
    """A measurement of a simulated server whose calls take 0.1 s."""
    runs = [
        run_level(SimulatedServer(places=places, service=lambda _: 0.1, stall=stall), shape)
        for shape in shapes
    ]
    notes = tuple(filter(None, (naive_closed_loop(columns(run.log)).note for run in runs)))
    levels = tuple(analyse_level(run, PROMISE) for run in runs)
    return LoadResult(
        project="p",
        candidate=name,
        fingerprint="f",
        scenario="s",
        endpoint="e",
        created_at="2026-01-01T00:00:00+00:00",
        befit_version="0",
        promise=PROMISE,
        levels=levels,
        timelines=tuple(timeline(run) for run in runs),
        notes=notes,
    )


def rates(*given):
    return [LoadShape(kind="constant", rate=rate, duration=20) for rate in given]


def test_the_curve_shows_the_knee_at_the_capacity():
    # Ten places of 0.1 s bear 100 a second.
    found = result(*rates(20, 40, 60, 80, 100, 140, 180))
    throughput, latency = curves(found)
    assert [spot.x for spot in throughput.courses[0].spots] == [20, 40, 60, 80, 100, 140, 180]
    assert 85 <= found.knee.load <= 115
    assert throughput.upright[1] == latency.upright[1] == "knee"
    assert latency.reference == (0.4, "promised")


def test_a_level_beyond_the_capacity_is_said_to_have_a_growing_queue():
    found = result(*rates(140))
    assert any("the queue grew" in line for line in says(found))
    assert not any("the queue grew" in line for line in says(result(*rates(60))))


def test_a_stall_shows_over_time_and_in_the_note():
    found = result(*rates(50), stall=(10.0, 12.0))
    (chart,) = timelines(found)
    worst = max(spot.y.value for spot in chart.courses[0].spots if spot.y.value is not None)
    assert worst > 1.0
    assert any("waits for each answer" in line for line in says(found))


def test_one_level_is_no_curve_but_has_its_strips():
    found = result(*rates(10))
    assert curves(found) == []
    assert strips(found)[0].quantiles == ("p50", "p95", "p99")


def test_the_page_is_inert_and_escapes_names():
    page = render_load(result(*rates(10, 20), name="<script>alert(1)</script>"))
    assert "<script>alert(1)" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["']https?:""", page)
    assert page.count("<h1") == 1


def test_every_definition_stands_on_the_page():
    found = result(*rates(10))
    page = render_load(found)
    for one in found.definitions:
        assert one.title in page


def test_the_json_holds_estimates_with_their_ends():
    data = load_data(result(*rates(10)))
    assert data["schema"] == "befit/load/1"
    assert set(data["levels"][0]["times"]["latency"]["p50"]) >= {"value", "low", "high", "method"}


def test_a_machine_of_ones_own_costs_its_hour_over_the_throughput():
    (level,) = result(*rates(50)).levels
    hosted = self_hosted(Decimal("3.60"), level)
    # $3.60 an hour is a tenth of a cent a second: 50 answers of one token each.
    rate = level.requests_per_second.value
    assert np.isclose(hosted.per_request.value, 0.001 / rate)
    assert np.isclose(hosted.per_million_output.value, 1000 / rate)
    assert hosted.per_request.low <= hosted.per_request.value <= hosted.per_request.high
    assert hosted.per_success.value is None, "nothing was scored"
    idle = self_hosted(Decimal(1), replace(level, requests_per_second=level.passed))
    assert idle.per_request.value is None
