"""The calls in flight that a report names are those that each endpoint was driven with."""

from __future__ import annotations

from dataclasses import replace

from befit.core.candidate import Limits
from befit.report.html import render
from befit.report.html_sections import in_flight
from report_documents import Shape, document


def test_calls_in_flight_are_told_as_each_endpoint_had_them() -> None:
    made = document(Shape(names=("one", "two"), dimensions=1))
    run = made.manifest
    few = run.candidates[0].candidate.model_copy(
        update={"limits": Limits(concurrency=1), "base_url": "https://other.example/v1"}
    )
    some = run.model_copy(
        update={
            "candidates": (
                run.candidates[0].model_copy(update={"candidate": few}),
                *run.candidates[1:],
            )
        }
    )
    many = run.settings.concurrency
    assert in_flight(run) == f"{many} calls"
    assert in_flight(some) == f"1 call (one) and {many} calls (two)"
    page = render(replace(made, manifest=some))
    assert f"1 call (one) and {many} calls (two) in flight" in page
