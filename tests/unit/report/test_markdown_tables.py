"""What stands in the Markdown report beside the matrix: failures, what figures stand on, pairs."""

from __future__ import annotations

import re
from dataclasses import replace

from befit.analysis.results import APART, FurtherScore
from befit.core.estimate import not_measured
from befit.report.figures import COSTS
from befit.report.markdown import MOST, MOST_FAILURES, render
from report_documents import Shape, document

MADE = document(Shape(names=("one", "two"), dimensions=2, samples=40))
TEXT = render(MADE).replace("\\", "")


def rows(title: str) -> list[list[str]]:
    table = TEXT.split(f"| {title} ", 1)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_most_frequent_failures_stand_first_and_the_rest_is_counted() -> None:
    told = rows("Scenario | Candidate")
    assert [row[:3] for row in told] == [
        [one.scenario, one.candidate, one.mode] for one in MADE.analysis.failures[:MOST_FAILURES]
    ]
    first = MADE.analysis.failures[0]
    assert told[0][3] == f"{first.count} of {first.share.n_trials}"
    assert re.fullmatch(r"\d+ % \[\d+, \d+\]", told[0][4])
    left = len(MADE.analysis.failures) - MOST_FAILURES
    assert f"({left} more: HTML or --json)" in TEXT
    assert "Each failed trial is counted once, under the first failure mode" in TEXT


def test_every_line_of_figures_says_what_it_stands_on() -> None:
    for row in rows("Figures"):
        measured = any(re.search(r"\[\S+, \S+\]", cell) for cell in row[1:-1])
        assert (re.match(r"\d+ x \d", row[-1]) is not None) == measured, row


def test_a_figure_of_other_samples_than_its_line_tells_its_own() -> None:
    # a sample with a missing repeat counts in the pass rate and not in pass@k
    line = next(row for row in rows("Figures") if row[0].startswith("Ceiling"))
    used = next(c for c in MADE.analysis.usability if c.scenario in line[0])
    assert used.mean.n_samples > used.ceiling.n_samples
    assert f"(n = {used.mean.n_samples} x " in line[1]


def test_differences_have_p_and_n_and_those_that_do_not_stand_are_counted() -> None:
    pairs = [d for row in MADE.analysis.dimension_rows for d in row.differences]
    apart = [d for d in pairs if d.verdict in APART]
    assert apart
    assert len(apart) < len(pairs)
    assert f"of the others {len(pairs) - len(apart)} cannot be told apart" in TEXT
    lines = [line for line in TEXT.splitlines() if line.startswith("- ") and " points, p " in line]
    assert len(lines) == len(apart)
    assert all(re.search(r"points, p (< 0\.001|= 0\.\d{3}), n = 40$", line) for line in lines)


def test_each_field_stands_with_presence_value_and_format_where_there_is_room() -> None:
    small = document(Shape(names=("one", "two"), dimensions=1, samples=12))
    text = render(small)
    more = re.search(r"And (\d+) more lines of figures", text)
    shown = [line for line in text.splitlines() if line.startswith("| Field accuracy / presence")]
    fields = {cell.field for cell in small.analysis.fields if cell.field is not None}
    assert len(shown) + (int(more[1]) if more else 0) == len(fields)
    assert shown
    assert text.count("\n") <= MOST


def test_a_cost_per_success_without_a_success_says_why() -> None:
    cell = next(one for one in MADE.analysis.engineering if one.scenario is None)
    bare = replace(cell, cost_per_success=not_measured("no success"))
    figure = next(one for one in COSTS if one.attribute == "cost_per_success")
    assert figure.text(bare) == "not measured (no success)"
    assert figure.stands_on(bare) == ""


def test_of_many_further_scores_those_below_their_threshold_come_first_and_the_rest_is_counted():
    score = FurtherScore(
        scenario="s",
        metric="m",
        candidate="one",
        estimate=MADE.analysis.scenario_rows[0].cells[0].estimate,
    )
    many = [replace(score, metric=f"m{n:02}", below_gate=n == 19 or None) for n in range(20)]
    text = render(replace(MADE, analysis=replace(MADE.analysis, further=tuple(many))))
    shown = [line for line in text.splitlines() if re.match(r"\| m\d\d \(s\)", line)]
    assert shown[0].startswith("| m19 (s) | ")
    assert "below its threshold" in shown[0]
    assert f"**Further scores** ({20 - len(shown)} more: HTML or --json)" in text
    assert text.count("\n") <= MOST
    assert "**What is missing or weak**" in text


def test_one_candidate_is_not_told_in_the_plural():
    text = render(document(Shape(names=("one",), dimensions=1, samples=8)))
    assert " 1 candidate, 8 samples, " in text
