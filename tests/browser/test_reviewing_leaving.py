"""What was just written outlives the page, in Chromium; an error goes with its reason."""

from __future__ import annotations

import time

import pytest

from browser_wait import until
from review_ground import make_study, plain_sources, served

pytestmark = pytest.mark.browser
READY = "() => document.documentElement.dataset.ready"
FILLED = "t => document.querySelector('#comment')?.value === t"


@pytest.fixture
def ground(tmp_path):
    return make_study(tmp_path, sources=plain_sources(2), practice=(), people=("Ann",), guess=0.0)


def seat(browser, address, ground):
    page = browser.new_context().new_page()
    page.set_default_timeout(20_000)
    page.goto(f"{address}/r/{ground.tokens['Ann']}")
    page.get_by_role("button", name="I agree").click()
    page.goto(f"{address}/work")
    until(page, READY)
    return page


def arrived(ground, item, words):
    """Whether the server comes to hold a draft with these words."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        found = ground.workspace.reviews.work.draft(item)
        if found is not None and found[1]["ballot"]["comment"] == words:
            return True
        time.sleep(0.05)
    return False


def test_what_was_just_written_outlives_pause_links_and_another_address(browser, ground):
    with served(ground) as (address, _):
        page = seat(browser, address, ground)
        ways = {
            "by Pause": lambda: page.locator(".last a.button").click(),
            "by a link": page.get_by_role("link", name="My votes").first.click,
            "by another address": lambda: page.goto(f"{address}/guide"),
        }
        item = page.locator("form[data-vote]").get_attribute("data-token")
        for words, go in ways.items():
            page.locator("#comment").fill(words)
            go()
            page.wait_for_load_state()
            # the server has it, not this device alone
            assert arrived(ground, item, words), words
            page.evaluate("localStorage.clear()")
            page.goto(f"{address}/work")
            until(page, READY)
            until(page, FILLED, words)
        page.context.close()


def test_an_error_is_gone_once_what_it_asks_for_is_there(browser, ground):
    with served(ground) as (address, _):
        page = seat(browser, address, ground)
        page.locator("[data-save]").click()
        until(page, "() => /Choose a verdict/.test(document.querySelector('#error')?.textContent)")
        page.locator("label.v-both_bad").click()
        until(page, "() => !document.querySelector('#error')")
        page.locator("[data-save]").click()
        until(page, "() => /short reason/.test(document.querySelector('#error')?.textContent)")
        page.locator("#comment").fill("both invent a number")
        until(page, "() => !document.querySelector('#error')")
        assert page.locator("[value=both_bad]").is_checked()
        page.context.close()
