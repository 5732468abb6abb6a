"""On paper: page 1 says what the evidence says, and no column is cut off."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import report_states

pytestmark = pytest.mark.browser


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def printed(laid_out, tmp_path_factory):
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext on this machine")
    folder = tmp_path_factory.mktemp("printed")

    def act(name: str, first: int, last: int) -> str:
        path = folder / f"{name}.pdf"
        if not path.exists():
            page = laid_out(name, width=1280, opened=False)
            page.pdf(path=str(path), prefer_css_page_size=True)
        command = ["pdftotext", "-f", str(first), "-l", str(last), "-layout", str(path), "-"]
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        return done.stdout.decode()

    return act


@pytest.mark.parametrize("name", ["normal", "many"])
def test_page_one_says_what_the_evidence_says(printed, name):
    text = _squeezed(printed(name, 1, 1))
    for line in report_states.state(name).conclusion:
        assert _squeezed(line) in text
    for heading in ("What the evidence says", "What could change this", "Rank groups"):
        assert _squeezed(heading) in text


@pytest.mark.parametrize("name", ["normal", "many"])
def test_no_cell_of_the_matrix_is_cut_off_on_paper(printed, name):
    text = _squeezed(printed(name, 1, 99))
    for row in report_states.state(name).analysis.dimension_rows:
        for cell in row.cells:
            e = cell.estimate
            bounds = (e.low, e.high)
            interval = "[" + ",".join(f"{100 * bound:.0f}" for bound in bounds) + "]"
            assert interval in text


@pytest.mark.parametrize("name", ["normal", "many", "long", "cjk"])
def test_nothing_reaches_over_the_edge_of_the_paper(open_state, open_all, name):
    page = open_state(name, size=(703, 1000)).page  # A4 less its margins, in CSS pixels
    page.emulate_media(media="print")
    open_all(page)
    over = page.evaluate(
        """() => [...document.querySelectorAll('td, th, p, pre, li, svg.chart')]
          .filter((el) => el.getBoundingClientRect().right > 704)
          .map((el) => el.outerHTML.slice(0, 120)).slice(0, 5)"""
    )
    assert over == []
