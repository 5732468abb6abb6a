"""The report's tables in the terminal: what each figure stands on, whole at every width."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from befit.cli.report_view import show_report, show_rows
from befit.cli.shell import Shell
from befit.cli.words import show_table
from befit.report.html import render as page
from befit.report.markdown import render as markdown
from report_documents import Shape, document

MADE = document(Shape(names=("one", "two"), dimensions=2, samples=12))


def told(monkeypatch: pytest.MonkeyPatch, width: int) -> tuple[str, str]:
    monkeypatch.setenv("COLUMNS", str(width))
    out, err = io.StringIO(), io.StringIO()
    show_report(Shell(out=out, err=err), MADE)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_no_figure_is_left_out_and_no_line_is_wider_than_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, left_out = told(monkeypatch, width)
    tables = text[text.index("Failures by mode") :]
    assert max(map(len, tables.splitlines())) <= width
    for name in ("parse success rate", "selective accuracy", "reliable (pass^k)", "latency p99"):
        assert name in tables
        assert name not in left_out


def test_failures_and_differences_say_how_many_they_are_of(monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = told(monkeypatch, 200)
    first = MADE.analysis.failures[0]
    assert f"{first.count} of {first.share.n_trials}" in text
    assert "Each failed trial is counted once, under the first failure mode" in text
    heads = [line.split() for line in text.splitlines() if line.startswith("row")]
    assert all("n" in head for head in heads)
    pair = next(line for line in text.splitlines() if "one - two" in line)
    assert " 12 " in pair


def test_a_rate_that_is_not_its_count_is_called_weighted(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = MADE.analysis
    row, first = analysis.scenario_rows[0], analysis.failures[0]
    words = f"The samples of {row.scenarios[0]} have weights"

    def by_weight(found):
        return replace(found, method="weighted mean, ratio")

    cell = replace(row.cells[0], estimate=by_weight(row.cells[0].estimate))
    made = replace(
        MADE,
        analysis=replace(
            analysis,
            scenario_rows=(replace(row, cells=(cell,)), *analysis.scenario_rows[1:]),
            failures=(replace(first, share=by_weight(first.share)), *analysis.failures[1:]),
        ),
    )
    monkeypatch.setenv("COLUMNS", "200")
    out = io.StringIO()
    show_report(Shell(out=out, err=io.StringIO()), made)
    for weighed, plain, mark in (
        (out.getvalue(), told(monkeypatch, 200)[0], "] weighted"),
        (markdown(made), markdown(MADE), "] weighted |"),
        (page(made), page(MADE), "] weighted</span>"),
    ):
        assert words in " ".join(weighed.replace("\\", "").split())
        assert (weighed.count(mark), plain.count(mark)) == (1, 0)
        assert "have weights" not in plain


def test_every_field_has_its_presence_value_and_format(monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = told(monkeypatch, 200)
    table = text.split("Extraction, field by field")[1].split("\n\n")[0].splitlines()
    head = table[1]
    assert head.index("presence") < head.index("value right") < head.index("format right")
    cells = [cell for cell in MADE.analysis.fields if cell.field is not None]
    assert len(table) == len(cells) + 2
    assert {(line.split()[1], line.split()[2]) for line in table[2:]} == {
        (cell.field, cell.candidate) for cell in cells
    }


def test_what_is_below_its_threshold_is_said_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    row = MADE.analysis.dimension_rows[0]
    failed = replace(row.cells[0], below_gate=True)
    out, err = io.StringIO(), io.StringIO()
    shown = replace(row, cells=(failed, *row.cells[1:]))
    show_rows(Shell(out=out, err=err), "Matrix", [shown])
    assert "below" in out.getvalue()
    assert "threshold" not in err.getvalue()


LONG = (
    "Qwen/Qwen2.5-7B-Instruct-AWQ-temperature-0.7",
    "mistralai/Mistral-7B-Instruct-v0.3-int8",
    "meta-llama/Llama-3.1-8B-Instruct-production",
)


def test_long_names_have_numbers_and_a_legend_on_a_narrow_terminal_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = document(Shape(names=LONG, dimensions=2, samples=12))
    shown = {}
    for width in (80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        show_report(Shell(out=out, err=io.StringIO()), made)
        shown[width] = out.getvalue()
    legend, tables = shown[80].split("Capability matrix")
    assert [f"  #{n}  {name}" for n, name in enumerate(LONG, start=1)] == [
        line for line in legend.splitlines() if line.startswith("  #")
    ]
    assert max(map(len, tables.splitlines())) <= 80
    assert "#1 - #2" in tables
    assert not any(name[:12] in tables for name in LONG)
    engineering = tables.split("Engineering\n")[1].split("Cost in USD")[0]
    assert len(engineering.strip().split("\n\n")) <= 4  # 9 figures; each had a table of its own
    assert "#1" not in shown[200]
    assert LONG[0] in shown[200].split("Capability matrix")[1]


def test_no_cell_of_a_narrow_table_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = io.StringIO()
    header = ["pair", "points", "verdict"]
    row = [f"{LONG[0]} - {LONG[1]}", "-8.25 [-31.5, +17.5]", "not distinguishable"]
    show_table(Shell(out=out, err=io.StringIO()), header, [row], numeric=(1,))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert {"[-31.5, +17.5]", "distinguishable"} <= {
        part.strip() for line in lines for part in line.split("  ")
    }
    letters = sorted("".join(out.getvalue().split()))
    assert letters == sorted("".join([*header, *row]).replace(" ", ""))
