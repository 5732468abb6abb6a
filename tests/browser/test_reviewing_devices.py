"""One link on two devices, in Chromium: who was overtaken is told, and loses nothing."""

from __future__ import annotations

import pytest

from browser_wait import until
from review_ground import make_study, plain_sources, served

pytestmark = pytest.mark.browser
CLASH = "() => { const at = document.querySelector('[data-clash]'); return at && !at.hidden }"
STATUS = "t => document.querySelector('[data-status]')?.textContent === t"


def seat(browser, address, ground):
    page = browser.new_context().new_page()
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
