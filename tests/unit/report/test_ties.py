"""A tie of all at the same value is no rank: nobody leads, whatever the order of the project."""

from __future__ import annotations

import pytest

from analysis_ground import frame_of
from befit.analysis.analyse import analyse
from befit.core.estimate import Estimate
from befit.report import html_charts as charts
from befit.report.conclusion import conclusion
from befit.report.html_sections import rank_rows, rank_sentence
from befit.report.numbers import tie_of_all


def told(**outcomes):
    analysis = analyse(frame_of({name: [[own] for own in row] for name, row in outcomes.items()}))
    return analysis, analysis.dimension_rows[0]


def rate(value, low, high):
    return Estimate(
        value=value, low=low, high=high, n_samples=9, n_trials=9, n_missing=0, method=""
    )


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_nobody_leads_where_all_have_the_same_value(value):
    analysis, row = told(a=[value] * 12, b=[value] * 12)
    (first,) = rank_rows(analysis)
    assert first.tie is not None
    assert first.tie.value == value
    for said in (charts.row_finding(row), conclusion(analysis)[0]):
        assert f"all have the same value, {100 * value:.0f} % [" in said.lower()
        assert "cannot be told from" not in said
    assert rank_sentence((first,)) == (
        "In the only row all candidates have the same value: nobody leads."
    )


def test_who_shares_the_highest_value_is_named_with_the_leader():
    analysis, row = told(a=[1.0] * 20, b=[1.0] * 20, c=[0.0] * 20)
    (first,) = rank_rows(analysis)
    assert (first.leader, first.as_high, first.tie) == ("a", ("b",), None)
    assert charts.row_finding(row).startswith("a (and as high: b) 100 %")


def test_a_tie_has_the_widest_interval_and_needs_two():
    assert tie_of_all([rate(0.5, 0.3, 0.6), rate(0.5, 0.1, 0.9)]) == rate(0.5, 0.1, 0.9)
    assert tie_of_all([rate(0.5, 0.3, 0.6), rate(0.4, 0.1, 0.9)]) is None
    assert tie_of_all([rate(0.5, 0.3, 0.6)]) is None
