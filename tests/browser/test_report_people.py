"""The report's section of what people said: readable by everybody, inert, at every width."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

import report_people
from befit.report.html import render

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def text():
    return render(report_people.document())


def open_all(page):
    page.evaluate("document.querySelectorAll('#people details').forEach(d => { d.open = true; })")


@pytest.mark.slow  # axe looks at every cell of every table
@pytest.mark.parametrize(
    ("scheme", "size"), [("light", (1280, 800)), ("dark", (1280, 800)), ("light", (390, 844))]
)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(open_text, text, scheme, size):
    opened = open_text(text, bypass_csp=True)
    page = opened.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
    open_all(page)
    found = Axe().run(page, context="#people", options=OPTIONS).response["violations"]
    assert [(v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found] == []
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide


def test_what_reviewers_wrote_is_inert(open_text, text):
    opened = open_text(text)
    open_all(opened.page)
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("#people img").count() == 0
    assert "onerror" in opened.page.locator("#people blockquote").first.inner_text()
    assert "\u202e" not in opened.page.locator("#people blockquote").first.inner_text()
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.noise == []


def test_its_numbers_are_those_of_the_json(open_text, text):
    opened = open_text(text)
    open_all(opened.page)
    numbers = opened.page.evaluate("JSON.parse(document.getElementById('numbers').textContent)")
    told = numbers["people"][0]["preference"]["candidates"]
    rows = opened.page.locator("#people table.sortable").first.locator("tbody tr")
    assert rows.count() == len(told)
    for number, one in enumerate(told):
        shown = rows.nth(number).inner_text()
        assert one["candidate"] in shown
        assert f"{100 * one['win_rate']['value']:.0f}" in shown
