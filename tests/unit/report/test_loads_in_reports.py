"""What reports say of loads: one throughput, and no share of what nobody promised."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from befit.analysis.load import ServiceLevel, analyse_level
from befit.analysis.load_result import LoadResult
from befit.analysis.load_search import Tried
from befit.analysis.load_standing import throughput
from befit.engine.load_shape import LoadShape
from befit.report.figures import beside
from befit.report.load_charts import says
from befit.report.load_html import render_load
from load_ground import SimulatedServer, run_level
from report_documents import Shape, document


def measured(promise: ServiceLevel, **more: object) -> LoadResult:
    """20 calls a second for 20 s, each of them answered after 0.1 s."""
    run = run_level(
        SimulatedServer(places=10, service=lambda _: 0.1),
        LoadShape(kind="constant", rate=20, duration=20),
    )
    made = LoadResult(
        project="p", candidate="m", fingerprint="f", scenario="s", endpoint="e",
        created_at="2026-01-01T00:00:00+00:00", befit_version="0", promise=promise,
        levels=(analyse_level(run, promise),), timelines=(None,), notes=(),
    )  # fmt: skip
    return replace(made, **more)


def test_reports_and_gates_have_one_throughput_and_what_was_answered_in_all_another_name() -> None:
    # 20 a second were answered, every one of them after the 50 ms that were promised.
    late = measured(ServiceLevel(latency=0.05))
    assert throughput(late).value == 0.0
    (line,) = beside(replace(document(Shape(dimensions=1)), loads=(late,), edges=()))
    assert line.startswith("m on s under load: throughput 0 ")
    found = re.search(r"calls per second that kept the promise \(answered in all: (\d+)", line)
    assert found is not None
    assert int(found.group(1)) == pytest.approx(20, abs=1)


def test_no_page_gives_what_was_answered_in_all_the_name_throughput() -> None:
    page = render_load(measured(ServiceLevel(latency=0.05)))
    assert re.findall(r"[Tt]hroughput (?:and|of each|\d)", page) == []
    assert "Answers per second" in page


def test_what_was_not_promised_is_not_attained_on_the_page_either() -> None:
    nothing = ServiceLevel()
    page = render_load(measured(nothing))
    assert "nothing promised" in page
    assert "nothing promised" not in render_load(measured(ServiceLevel(latency=1)))
    searched = measured(nothing, tried=(Tried(load=20, verdict="kept"),), bearable=20.0)
    assert says(searched)[0].startswith("95 % of the calls are answered up to 20 calls per second")
