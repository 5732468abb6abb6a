"""Sentences of a report: grammar, and nothing said of what was not measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from befit.core.estimate import not_measured
from befit.report.conclusion import conclusion
from befit.report.markdown import render
from report_documents import Shape, document

NAMES = ("amber", "birch", "cedar")


@pytest.fixture(scope="module")
def made():
    return document(Shape(names=NAMES, samples=20, repeats=1, examples=1))


def test_two_that_fail_a_threshold_fail_it_and_one_fails_it(made):
    row = made.analysis.scenario_rows[0]
    for failing, words in ((1, "amber fails it"), (2, "amber, birch fail it")):
        cells = tuple(
            replace(cell, below_gate=True if at < failing else None)
            for at, cell in enumerate(row.cells)
        )
        changed = replace(row, critical=True, threshold=0.9, cells=cells)
        said = conclusion(replace(made.analysis, scenario_rows=(changed,)))
        assert words in said[0]


def test_pairs_without_a_common_score_are_not_called_alike(made):
    def bare(row):
        none = tuple(
            replace(
                d, estimate=not_measured("no sample that both have"), verdict="not_distinguishable"
            )
            for d in row.differences
        )
        return replace(row, differences=none)

    analysis = replace(
        made.analysis, dimension_rows=tuple(map(bare, made.analysis.dimension_rows)), findings=()
    )
    told = " ".join(conclusion(replace(analysis, scenario_rows=())))
    assert "not compared with" in told
    assert "cannot be told from" not in told
    text = render(replace(made, analysis=analysis, decision=None))
    assert "No pair of candidates is compared" in text
    assert "can be told apart.**" not in text


def test_an_unknown_cost_is_said_beside_what_is_known_to_be_spent(made):
    origin = replace(made.provenance, spent=1.25, unknown_cost_calls=3)
    assert "$1.25 spent and the unknown cost of 3 more" in render(replace(made, provenance=origin))


def test_nobody_is_named_the_best_who_is_not_ranked(made):
    row = made.analysis.dimension_rows[0]
    best = max(row.cells, key=lambda cell: cell.estimate.value).candidate
    ranked = {name: place for name, place in row.rank_sets.items() if name != best}

    def said(rank_sets):
        rows = (replace(row, rank_sets=rank_sets),)
        analysis = replace(made.analysis, dimension_rows=rows, scenario_rows=(), findings=())
        return conclusion(analysis)[0]

    told = said(ranked)
    assert f"{best} not ranked (less than 95 % of the planned samples)" in told
    assert f": {best} " not in told.split(";")[0]
    assert "better than every other" not in told
    # Where none is ranked, there is no winner at all.
    assert "%" not in said({}).split("not ranked")[0]
