"""CSV per table: the numbers of the document, each with what it stands on, and no formula."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from befit.core.decision import PublicView
from befit.core.estimate import Estimate
from befit.report.csv import tables
from befit.report.decision_public import public_rows
from befit.report.html import render
from report_documents import NAMES, Shape, document

SHAPE = Shape(names=NAMES[:3], dimensions=2, samples=20, repeats=2, decided=True)


@pytest.fixture(scope="module")
def made():
    return document(SHAPE)


def rows(files, name):
    return list(csv.DictReader(io.StringIO(files[name])))


def test_every_table_of_the_report_is_a_file(made):
    files = tables(made)
    assert {"matrix.csv", "differences.csv", "quality_and_cost.csv", "stability.csv",
            "engineering.csv", "failures.csv", "decision.csv", "standings.csv", "gates.csv",
            "funnel.csv"} <= set(files)  # fmt: skip
    assert all(len(text.splitlines()) > 1 for text in files.values())


def test_numbers_are_those_of_the_document_with_their_intervals(made):
    found = rows(tables(made), "matrix.csv")
    cells = [c for row in (*made.analysis.dimension_rows, *made.analysis.scenario_rows,
                           *made.analysis.kind_rows) for c in row.cells]  # fmt: skip
    assert len(found) == len(cells)
    for line, cell in zip(found, cells, strict=True):
        assert line["candidate"] == cell.candidate
        assert float(line["estimate"]) == cell.estimate.value
        assert float(line["estimate_low"]) == cell.estimate.low
        assert int(line["estimate_n_samples"]) == cell.estimate.n_samples
        assert line["estimate_method"] == cell.estimate.method


def test_what_is_not_measured_is_empty_and_not_0():
    found = rows(tables(document(replace(SHAPE, priced=False))), "quality_and_cost.csv")
    assert {line["usd_per_task"] for line in found} == {""}
    assert all(line["usd_per_task_method"] for line in found)


def test_text_that_a_spreadsheet_would_run_is_marked_as_text():
    hostile = replace(SHAPE, names=("=1+1", "@b", "c"))
    found = rows(tables(document(hostile)), "matrix.csv")
    assert {line["candidate"] for line in found} == {"'=1+1", "'@b", "c"}


def test_quality_cost_tokens_and_latency_stand_side_by_side_for_each_task_type(made):
    page = render(made)
    found = rows(tables(made), "quality_and_cost.csv")
    scenarios = [row.scenarios[0] for row in made.analysis.scenario_rows]
    assert {line["scenario"] for line in found} == set(scenarios)
    assert len(found) == 3 * len(scenarios)
    for scenario in scenarios:
        assert f"Quality, cost, tokens and latency on {scenario}" in page


def view(tau):
    return PublicView(
        leaderboard="public-bench",
        public={NAMES[0]: 0.6, NAMES[1]: 0.9},
        own={NAMES[0]: 0.9, NAMES[1]: 0.8},
        tau=Estimate(
            value=tau, low=-1.0, high=0.3, n_samples=2, n_trials=2, n_missing=0, method="tau"
        ),
        turned=((NAMES[0], NAMES[1], "a is ahead here by 10 points"),),
    )


def test_the_public_position_stands_beside_the_part_in_every_tier(made):
    decision = replace(made.decision, public=view(-1.0))
    first, second = public_rows(decision)
    assert (first.candidate, first.position, first.own) == (NAMES[1], 1, "80 %")
    assert (second.position, second.entered) == (2, 2)
    assert all(tier.tier in first.tiers for tier in decision.tiers)
    page = render(replace(made, decision=decision))
    assert "Public position" in page
    assert "is ahead here by 10 points" in page
    kept = rows(tables(replace(made, decision=decision)), "leaderboard.csv")
    assert [line["candidate"] for line in kept] == [NAMES[0], NAMES[1]]
