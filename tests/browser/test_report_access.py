"""The report can be read by everybody: axe finds nothing in any state, size or theme."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

import report_states

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
COLOURS = ("normal", "missing")
"""States that hold every coloured thing; judging colours takes nearly all of axe's time, and they
are the same at every width and in every script."""
PLACES = {"light": (1280, 800), "dark": (1280, 800), "phone": (390, 844)}


def _violations(page, *, colours=True):
    rules = {} if colours else {"color-contrast": {"enabled": False}}
    found = Axe().run(page, options={**OPTIONS, "rules": rules}).response["violations"]
    return [(v["id"], [n["target"] + [n["html"][:160]] for n in v["nodes"][:3]]) for v in found]


def _everywhere(page, name):
    """Return the violations in light, in dark and on a phone."""
    found = {}
    for place, (width, height) in PLACES.items():
        if place == "dark" and name not in COLOURS:
            continue  # only colours differ there
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if place == "dark" else "light")
        violations = _violations(page, colours=name in COLOURS and place != "phone")
        if violations:
            found[place] = violations
    return found


@pytest.mark.slow  # axe takes minutes over a page with every part open
@pytest.mark.parametrize("name", sorted(set(report_states.SHAPES) - {"many"}))
def test_axe_finds_nothing_with_all_parts_open(open_state, open_all, name):
    opened = open_state(name, bypass_csp=True)
    open_all(opened.page)
    assert _everywhere(opened.page, name) == {}


@pytest.mark.slow
def test_axe_finds_nothing_with_twelve_candidates_and_fourteen_dimensions(open_state):
    name = "many"
    opened = open_state(name, bypass_csp=True)
    assert _everywhere(opened.page, name) == {}
