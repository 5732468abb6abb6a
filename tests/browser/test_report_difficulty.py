"""The report's sections on difficulty, wording and settings: accessible, inert, at every width."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from axe_playwright_python.sync_playwright import Axe

import report_difficulty

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    # In a thread of its own: the browser's driver leaves an event loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        folder = tmp_path_factory.mktemp("difficulty")
        return pool.submit(report_difficulty.page, folder).result(timeout=120)


def test_every_section_is_there_and_nothing_in_them_is_live(open_text, text):
    opened = open_text(text, size=(390, 844))
    for section in report_difficulty.SECTIONS:
        assert opened.page.locator(section).count() == 1, section
        assert opened.page.locator(f"{section} img").count() == 0
    assert not opened.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert opened.noise == []


@pytest.mark.slow  # axe looks at every cell of every table
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_axe_finds_nothing_in_them(open_text, text, scheme, size):
    opened = open_text(text, size=size, bypass_csp=True)
    opened.page.emulate_media(color_scheme=scheme)
    for section in report_difficulty.SECTIONS:
        found = Axe().run(opened.page, context=section, options=OPTIONS).response["violations"]
        assert [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found] == []
