"""Text in charts is large enough and free of overlaps; the page never scrolls sideways."""

from __future__ import annotations

import pytest

import report_states

pytestmark = pytest.mark.browser

LEAST = 11
WIDTHS = (320, 390, 768, 1280)

SIZES = """() => [...document.querySelectorAll('svg.chart text')].filter((el) =>
  el.getBoundingClientRect().width > 0).map((el) => [el.textContent,
  parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a])"""

OVERLAPS = """() => {
  const found = [];
  const inside = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2.5;
  for (const svg of document.querySelectorAll('svg.chart')) {
    if (!svg.getBoundingClientRect().width) continue;
    const texts = [...svg.querySelectorAll('text')].map((el) => [el, el.getBoundingClientRect()]);
    texts.forEach(([a, box], i) => {
      for (const [b, other] of texts.slice(i + 1))
        if (inside(box, other)) found.push([svg.classList.value, a.textContent, b.textContent]);
      for (const mark of svg.querySelectorAll('.m'))
        if (inside(box, mark.getBoundingClientRect()))
          found.push([svg.classList.value, a.textContent, mark.outerHTML]);
    });
    const frame = svg.getBoundingClientRect();
    for (const [el, box] of texts)
      if (box.left < frame.left - 1 || box.right > frame.right + 1)
        found.push([svg.classList.value, 'cut off', el.textContent]);
  }
  return found;
}"""

CUT = """() => {
  const touching = [...document.querySelectorAll('.heat td .gatemark')].filter((el) =>
    el.offsetParent && el.scrollWidth > el.clientWidth);
  const beyond = [...document.querySelectorAll('.scroll caption:not(.sr)')].filter((el) =>
    el.offsetParent && innerWidth <= 390 && el.getBoundingClientRect().right > innerWidth);
  return [...touching, ...beyond].map((el) => el.textContent);
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", sorted(set(report_states.SHAPES) - {"empty"}))
def test_chart_text_is_large_enough_and_overlaps_nothing(laid_out, name, width):
    page = laid_out(name, width=width, opened=True)
    sizes = page.evaluate(SIZES)
    assert name == "missing" or sizes
    assert [entry for entry in sizes if entry[1] < LEAST - 0.01] == []
    assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", sorted(report_states.SHAPES))
def test_the_page_never_scrolls_sideways_and_no_mark_or_caption_is_cut(laid_out, name, width):
    for opened in (False, True):
        page = laid_out(name, width=width, opened=opened)
        assert page.evaluate("[innerWidth, document.documentElement.clientWidth]") == [width] * 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT) == []


def test_matrix_columns_are_equal_whatever_the_names(open_state):
    page = open_state("long").page
    widths = page.evaluate(
        "[...document.querySelectorAll('#t-matrix thead th')].slice(1)"
        ".map((el) => Math.round(el.getBoundingClientRect().width))"
    )
    assert len(set(widths)) == 1


@pytest.mark.parametrize("name", ["normal", "many"])
def test_first_screen_says_what_the_evidence_says_and_what_is_missing(open_state, name):
    page = open_state(name, size=(1280, 800)).page
    for selector in ("#says li:first-child", "#missing-h", "#missing li:first-child"):
        box = page.locator(selector).first.bounding_box()
        assert box is not None, selector
        assert box["y"] + box["height"] <= 800, selector
    box = page.locator("#ranks .finding").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800


def test_an_opened_table_of_a_chart_shows_its_last_column(open_state, open_all):
    page = open_state("normal", size=(1280, 800)).page
    open_all(page)
    tables = page.evaluate(
        "[...document.querySelectorAll('#ranks .fig .scroll')].map((el) =>"
        " [el.scrollWidth - el.clientWidth, el.querySelector('th:last-child').textContent])"
    )
    assert "Method" in {head for _, head in tables}
    assert len(tables) > 1
    assert [entry for entry in tables if entry[0] > 0] == []
