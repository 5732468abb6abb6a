"""Marks and words of a report mean what its legends say, in every form of it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from befit.charts.rows import Row, Rows
from befit.charts.svg import NARROW
from befit.charts.text import fit, width
from befit.cli.report_view import show_report
from befit.cli.shell import Shell
from befit.core.estimate import THIN
from befit.report.html import render
from befit.report.html_charts import absent_bars, stability_bars
from befit.report.markdown import render as as_markdown
from report_documents import Shape, document


def terminal(shape: Shape, *, width: str = "400") -> str:
    """Return the report as a terminal (or a pipe) shows it."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", width)
        show_report(Shell(out=out, err=io.StringIO()), document(shape))
    return out.getvalue()


@pytest.mark.parametrize("n", [THIN - 1, THIN])
def test_a_cell_is_thin_exactly_where_the_legend_says_so(n: int) -> None:
    shape = Shape(names=("one", "two"), dimensions=1, samples=n, repeats=1)
    thin, made = n < THIN, document(shape)
    page, text, shown = render(made), as_markdown(made), terminal(shape)
    cells = re.findall(r'class="h\d( thin)?"><span class="top">.*?<span class="n">n = (\d+) ', page)
    assert {bool(marked) for marked, count in cells if int(count) == n} == {thin}
    assert all(bool(marked) is (int(count) < THIN) for marked, count in cells)
    assert f"fewer than {THIN} samples" in page
    assert (", thin)" in text) is thin
    assert f"thin: fewer than {THIN} samples" in text
    assert (f"{n} x 1 thin" in shown) is thin
    assert f"thin: n < {THIN}" in shown


def test_latency_is_defined_alike_wherever_it_is_defined() -> None:
    page = render(document(Shape(names=("one", "two"), dimensions=1, samples=5)))
    docs = Path(__file__).parents[3] / "docs"
    for text, begins in (
        (page, "<dt>Latency</dt>"),
        (page, "Measured in this run"),
        ((docs / "glossary.md").read_text(), "| **Latency p50"),
        ((docs / "reference" / "metrics.md").read_text(), "**Latency** ("),
    ):
        said = text[text.index(begins) :].split("<dt>Latency from due", 1)[0][:400]
        first = re.split(r"\.|;", " ".join(said.split()))
        assert any("from sending" in part for part in first[:3]), said
        assert not any("was due" in part for part in first[:2]), said


def test_a_name_is_not_cut_in_a_column_made_for_it() -> None:
    for font in (13.0, 14.0):
        for name in ("smollm2-warm", "smollm2-shots", "a.b-c_d 12 %"):
            room = (width(name, font) + 18.0) - 18.0 - 1e-9
            assert fit(name, room=room, size=font) == name
            assert "…" in fit(name, room=room - 2, size=font)


def test_nobody_is_said_to_change_or_invent_most_where_nobody_does() -> None:
    made = document(Shape(names=("one", "two"), dimensions=4, samples=12)).analysis
    none = replace(made.stability[0].mixed, value=0.0)
    steady = [replace(cell, mixed=none) for cell in made.stability]
    assert stability_bars(made, steady).finding == "No candidate changes its verdict on any sample."
    honest = [replace(cell, invented=none) for cell in made.fields]
    bars = absent_bars(made, honest)
    assert bars is not None
    assert bars.finding == "No candidate invents an absent field."


def test_a_gate_does_not_run_through_the_numbers_of_a_narrow_chart() -> None:
    rows = [Row(name=f"c{i}", numbers="31 % [7, 72]", index=i) for i in range(3)]
    narrow = Rows(layout=NARROW, rows=rows, domain=(0.0, 1.0), top=24.0)
    narrow.reference(0.9, "gate 90 %")
    drawn = [part for part in narrow.parts if 'class="gate"' in part]
    lines = [re.findall(r'y[12]="([0-9.]+)"', part) for part in drawn]
    assert len(lines) == 3
    for i, (top, bottom) in enumerate(lines):
        text = narrow.y(i) - 15
        assert float(top) > text + 4
        assert float(bottom) < narrow.y(i + 1) - 15 - narrow.layout.font


def test_a_table_that_goes_on_has_a_shade_at_that_side() -> None:
    page = render(document(Shape(names=("one",), dimensions=1, samples=3)))
    style = page.split("<style>")[1].split("</style>")[0]
    own = style[style.index(".scroll {") :].split("}")[0]
    assert own.count("no-repeat local") == own.count("no-repeat scroll") == 2
