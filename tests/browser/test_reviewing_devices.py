"""One link on two devices, in Chromium: who was overtaken is told, and loses nothing."""

from __future__ import annotations

import pytest

from browser_wait import until
from review_ground import make_study, plain_sources, served

pytestmark = pytest.mark.browser
SCHEMES = ("light", "dark")
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
IN_SIGHT = """s => { const r = document.querySelector(s).getBoundingClientRect();
  return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight }"""
CLASH = "() => { const at = document.querySelector('[data-clash]'); return at && !at.hidden }"
STATUS = "t => document.querySelector('[data-status]')?.textContent === t"


def seat(browser, address, ground, **options):
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(20_000)
    page.goto(f"{address}/r/{ground.tokens['Ann']}")
    page.get_by_role("button", name="I agree").click()
    page.goto(f"{address}/work")
    until(page, "() => document.documentElement.dataset.ready")
    return page


def test_a_draft_of_another_device_is_told_and_either_can_be_kept(browser, tmp_path):
    ground = make_study(tmp_path, sources=plain_sources(2), practice=(), people=("Ann",), guess=0.0)
    work = ground.workspace.reviews.work
    with served(ground) as (address, _):
        phone, desk = seat(browser, address, ground), seat(browser, address, ground)
        item = phone.locator("form[data-vote]").get_attribute("data-token")
        phone.locator("#comment").fill("from the phone")
        until(phone, STATUS, "draft kept")
        desk.locator("#comment").fill("from the desk")
        until(desk, CLASH)
        assert work.draft(item)[1]["ballot"]["comment"] == "from the phone"
        desk.get_by_role("button", name="Show the other device's").click()
        until(desk, "() => document.querySelector('#comment')?.value === 'from the phone'")
        until(desk, CLASH)
        desk.get_by_role("button", name="Bring back what this device had").click()
        assert desk.locator("#comment").input_value() == "from the desk"
        until(desk, STATUS, "draft kept")
        assert work.draft(item)[1]["ballot"]["comment"] == "from the desk"
        phone.locator("#comment").fill("from the phone again")
        until(phone, CLASH)
        phone.get_by_role("button", name="Keep this device's").click()
        until(phone, STATUS, "draft kept")
        assert work.draft(item)[1]["ballot"]["comment"] == "from the phone again"
        # a vote over a later draft is asked about, on the page itself
        desk.locator("label.v-left").click()
        desk.locator("[data-save]").click()
        until(
            desk,
            "() => /Another device went on/.test(document.querySelector('#error')?.textContent)",
        )
        assert "from the phone again" in desk.locator("#error").inner_text()
        assert desk.locator("[name=verdict][value=left]").is_checked()
        assert work.vote_on(item) is None
        desk.locator("[data-save]").click()
        until(desk, "() => /Pair 2/.test(document.querySelector('h1').textContent)")
        assert work.vote_on(item).body["verdict"] == "left"
        for page in (phone, desk):
            page.context.close()


def found_by_axe(page):
    """Return what axe finds in either colour scheme, and whether the page can be moved sideways."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        told = axe.run(page).response["violations"]
        found += [(scheme, one["id"], one["nodes"][0]["html"][:160]) for one in told]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(("sideways", "", ""))
    return found


def overtaken(browser, address, ground, size):
    """Have two devices write on one item; return the page of the one that came second."""
    first = seat(browser, address, ground)
    width, height = SIZES[size]
    second = seat(browser, address, ground, viewport={"width": width, "height": height})
    first.locator("#comment").fill("مرحبا, 青い空")
    until(first, STATUS, "draft kept")
    second.locator("#comment").fill("from the other one")
    until(second, CLASH)
    first.context.close()
    return second


@pytest.mark.slow
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_who_was_overtaken_reads_so_in_sight_and_axe_finds_nothing(browser, tmp_path, size):
    ground = make_study(tmp_path, sources=plain_sources(1), practice=(), people=("Ann",), guess=0.0)
    with served(ground) as (address, _):
        page = overtaken(browser, address, ground, size)
        until(page, IN_SIGHT, "[data-clash]")  # whoever writes has to see it
        assert found_by_axe(page) == []
        page.locator("label.v-left").click()
        page.locator("[data-save]").click()
        until(page, "() => document.activeElement.id === 'error'")
        # what is shown is this device's: nothing else may say that it is the other's
        assert not page.evaluate(CLASH)
        assert page.locator("#comment").input_value() == "from the other one"
        until(page, IN_SIGHT, "#error")
        assert found_by_axe(page) == []
        page.context.close()


def test_a_vote_that_could_not_be_sent_is_told_where_it_is_seen(browser, tmp_path):
    ground = make_study(tmp_path, sources=plain_sources(1), practice=(), people=("Ann",), guess=0.0)
    with served(ground) as (address, _):
        page = seat(browser, address, ground, viewport={"width": 390, "height": 844})
        page.route("**/i/**", lambda route: route.abort())
        page.locator("#comment").fill("kept")
        until(page, "() => /No connection/.test(document.querySelector('[data-away]').textContent)")
        until(page, IN_SIGHT, "[data-away]")
        page.locator("label.v-tie").click()
        page.locator(".last button").click()
        until(page, "() => /will be sent/.test(document.querySelector('[data-away]').textContent)")
        until(page, IN_SIGHT, "[data-away]")
        assert page.locator("#comment").input_value() == "kept"
        page.context.close()
