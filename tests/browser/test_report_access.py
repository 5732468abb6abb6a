"""The report can be read by everybody: axe finds nothing in any state, size or theme."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

import report_states

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
PLACES = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"size": (390, 844)},
}


def _violations(page):
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [(v["id"], [n["target"] + [n["html"][:160]] for n in v["nodes"][:3]]) for v in found]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", sorted(set(report_states.SHAPES) - {"many"}))
def test_axe_finds_nothing_with_all_parts_open(open_state, open_all, name, place):
    opened = open_state(name, bypass_csp=True, **PLACES[place])
    open_all(opened.page)
    assert _violations(opened.page) == []


@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_with_twelve_candidates_and_fourteen_dimensions(open_state, place):
    opened = open_state("many", bypass_csp=True, **PLACES[place])
    assert _violations(opened.page) == []
