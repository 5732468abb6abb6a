"""Marks and words of a report mean what its legends say, in every form of it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from befit.cli.report_view import show_report
from befit.cli.shell import Shell
from befit.core.estimate import THIN
from befit.report.html import render
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
