"""Every metric of the reference is found by its name in every form of the report."""

from __future__ import annotations

import html
import io
import json
import re
from functools import cache
from pathlib import Path

import pytest

import report_people
from befit.cli.report_view import show_report
from befit.cli.shell import Shell
from befit.report.html import render
from befit.report.html_numbers import estimate
from befit.report.json import to_json
from befit.report.markdown import render as as_markdown
from report_documents import Shape, document

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"
_METRIC = re.compile(r"\*\*(.+?)\*\*\s+\((`[^)]*)\)", re.DOTALL)
_MEASURED = {"throughput", "fallback retention"}


def metrics() -> dict[str, list[str]]:
    """Return the names of the reference, each with its names in JSON."""
    text = REFERENCE.read_text().split("## Capability")[1].split("## What people said")[0]
    text = re.sub(r"\((pass.k)\)\*\*", r"(\1]**", text)
    found = {
        " ".join(name.split()).replace("]", ")").lower(): re.findall(r"`(\w+)`", keys)
        for name, keys in _METRIC.findall(text)
    }
    assert len(found) >= 30
    return found


@cache
def forms() -> dict[str, str]:
    """Return what a person can search in each form of one report; no attributes, no script."""
    shape = Shape(names=("one", "two"), dimensions=4, samples=12, measured=True)
    made = document(shape)
    page = re.sub(r"<(script|style).*?</\1>", " ", render(made), flags=re.DOTALL)
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "1000")
        show_report(Shell(out=out, err=io.StringIO()), made)
    return {
        "page": " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split()).lower(),
        "terminal": out.getvalue().lower(),
        "markdown": as_markdown(made).replace("\\", "").lower(),
        "json": json.dumps(to_json(made)),
    }


@pytest.mark.parametrize("form", ["page", "terminal", "markdown"])
def test_every_metric_of_the_reference_is_found_by_its_name(form: str) -> None:
    text = forms()[form]
    assert [name for name in metrics() if name not in text] == []


def test_every_metric_of_the_reference_has_the_name_in_json_that_is_told() -> None:
    text = forms()["json"]
    lost = [
        name
        for name, keys in metrics().items()
        if name not in _MEASURED
        and not any(f'"{key}":' in text or f'"metric": "{key}"' in text for key in keys)
    ]
    assert lost == []


def test_the_win_rate_by_people_has_its_name() -> None:
    made = report_people.document()
    out = io.StringIO()
    show_report(Shell(out=out, err=io.StringIO()), made)
    for text in (render(made), out.getvalue(), as_markdown(made)):
        assert "win rate by people" in text.lower()


def test_no_word_stands_twice_in_the_glossary() -> None:
    lines = (REFERENCE.parents[1] / "glossary.md").read_text().splitlines()
    terms = [
        term.strip()
        for line in lines
        if line.startswith("| **")
        for term in line.split("|")[1].replace("*", "").split(",")
    ]
    assert sorted({term for term in terms if terms.count(term) > 1}) == []


def test_presence_value_and_format_are_shown_of_each_field() -> None:
    made = document(Shape(names=("one", "two"), dimensions=4, samples=12))
    page = render(made)
    table = page.split("<caption>Field by field")[1].split("</table>")[0]
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    assert heads[3:6] == ["Presence", "Value right", "Format right"]
    cells = [cell for cell in made.analysis.fields if cell.field is not None]
    rows = re.findall(r"<tr data-c.*?</tr>", table, re.DOTALL)
    assert len(rows) == len(cells)
    for row, cell in zip(rows, sorted(cells, key=_field_order(made)), strict=True):
        figures = re.findall(r"<td>(.*?)</td>", row, re.DOTALL)
        for shown, one in zip(figures[2:5], (cell.present, cell.value, cell.format), strict=True):
            assert str(estimate(one)) == shown


def _field_order(made):
    names = list(dict.fromkeys(c.field for c in made.analysis.fields if c.field))
    return lambda cell: (names.index(cell.field), made.analysis.candidates.index(cell.candidate))


def test_markdown_stays_within_sixty_lines() -> None:
    assert forms()["markdown"].count("\n") <= 60
