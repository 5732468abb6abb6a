"""What a reader sees is what a machine reads: tables against the JSON inside the page."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

CELLS = """(id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [row.dataset.row,
  [...row.querySelectorAll('td')].map((td) => ['.v', '.i', '.n', '.letters'].map(
    (name) => td.querySelector(name)?.textContent ?? null))])"""


def _numbers(page):
    return json.loads(page.evaluate("document.getElementById('numbers').textContent"))


@pytest.mark.parametrize(
    ("table", "rows"),
    [("t-matrix", "dimension_rows"), ("t-scenarios", "scenario_rows"), ("t-kinds", "kind_rows")],
)
@pytest.mark.parametrize("name", ["normal", "many", "missing"])
def test_numbers_in_the_heat_tables_are_those_of_the_json(laid_out, name, table, rows):
    page = laid_out(name, width=1280, opened=True)
    expected = _numbers(page)["analysis"][rows]
    seen = dict(page.evaluate(CELLS, table))
    assert set(seen) == {row["key"] for row in expected}
    for row in expected:
        for cell, (value, interval, n, letters) in zip(row["cells"], seen[row["key"]], strict=True):
            e = cell["estimate"]
            if e["value"] is None:
                assert value is None
                continue
            assert value == f"{100 * e['value']:.0f} %"
            assert interval == f"[{100 * e['low']:.0f}, {100 * e['high']:.0f}]"
            assert n.startswith(f"n = {e['n_samples']} ")
            assert (letters or "") == cell["letters"]


def test_chart_tables_hold_the_numbers_of_the_chart(open_state, open_all):
    page = open_state("normal").page
    open_all(page)
    row = _numbers(page)["analysis"]["dimension_rows"][0]
    figure = page.locator("figure", has_text=f"{row['title']}: pass rate, 95 % intervals").first
    table = dict(
        figure.evaluate(
            "(el) => [...el.querySelectorAll('tbody tr')].map((r) => [r.cells[0].textContent,"
            "r.cells[1].textContent + ' ' + r.cells[2].textContent])"
        )
    )
    titles = figure.evaluate(
        "(el) => [...el.querySelectorAll('svg.wide .m title')].map((t) => t.textContent)"
    )
    assert len(titles) == len(table) == len(row["cells"])
    for name, text in table.items():
        assert any(title.startswith(f"{name}: {text}") for title in titles)
