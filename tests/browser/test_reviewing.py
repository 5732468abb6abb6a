"""Reviewing in real Chromium: by keyboard alone, on a phone, without scripts, server killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from browser_wait import until
from review_ground import CALIBRATION, free_port, make_study, served

pytestmark = pytest.mark.browser


SMALL = """() => [...document.querySelectorAll(
  '.bar label, .bar button, .tag .box, .tabs button')]
  .filter(el => el.getClientRects().length).map(el => el.getBoundingClientRect())
  .filter(r => r.width < 44 || r.height < 44).length"""


READY = """p => { const h = document.querySelector('h1')?.textContent || '';
  return new RegExp(p).test(h) && document.documentElement.dataset.ready === h }"""


class Seat:
    """One person at one browser, and all that the browser asked for and said."""

    def __init__(self, browser, link, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.noise, self.requests = [], []
        self.page.on("console", lambda message: self.noise.append(message.text))
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("dialog", lambda dialog: self.noise.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(link)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, selector, most=60):
        """Go on with Tab until the focus is on it; the focus has to be seen at every step."""
        for _ in range(most):
            self.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
            assert self.page.evaluate("document.activeElement !== document.body"), "focus is lost"
        raise AssertionError(f"{selector} cannot be reached")

    def heading(self, pattern):
        until(self.page, READY, pattern)


def test_practice_and_five_pairs_by_keyboard_alone(browser, tmp_path):
    ground = make_study(tmp_path, practice=CALIBRATION[:2], guess=0.2, strength=True)
    with served(ground) as (address, _):
        ann = Seat(browser, f"{address}/r/{ground.tokens['Ann']}")
        practised(ann)
        worked(ann, ground)
        assert [one for one in ann.noise if "422" not in one] == []
        assert all(url.startswith(address) for url in ann.requests)
        ann.context.close()


def practised(ann):
    ann.tab_to("button.main")
    ann.press("Enter")
    # both pages have the study's title as their heading: only the second has the way on
    until(
        ann.page, "() => document.querySelector('a.main') && document.documentElement.dataset.ready"
    )
    ann.tab_to("a.main")
    ann.press("Enter")
    for number in (1, 2):
        ann.heading(f"Practice {number} of 2")
        left = int(ann.page.locator(".side-a pre").inner_text())
        asked = 2 * int(re.search(r"\d+", ann.page.locator(".question pre").inner_text())[0])
        ann.press("a" if left == asked else "b", "Enter")
        ann.heading("Right")
        until(ann.page, "() => document.activeElement.tagName === 'H1'")
        assert "Expected" in ann.page.locator("main").inner_text()
        ann.press("Enter")


def worked(ann, ground):
    work = ground.workspace.reviews.work
    ann.heading("Pair 1 of 8")
    # a verdict only selects; typing votes nothing; both bad asks for a reason
    ann.press("n", "Enter")
    ann.page.wait_for_selector("#error")
    assert "write a short reason" in ann.page.locator("#error").inner_text().lower()
    ann.press("r")
    ann.page.keyboard.type("at bants")
    assert ann.page.locator("#comment").input_value() == "at bants"
    assert ann.page.locator("[value=both_bad]").is_checked()
    ann.press("Escape", "3", "3", "j", "2", "j", "4")
    assert ann.page.locator("[name='tag.2.left']").is_checked() is False
    assert ann.page.locator("[name='tag.2.right']").is_checked()
    ann.press("Control+Enter")
    ann.heading("Pair 2 of 8")
    until(ann.page, "() => document.activeElement.tagName === 'H1'")
    assert ann.page.title().startswith("Pair 2 of 8")
    assert "Saved" in ann.page.locator("#live").inner_text()
    for number, key in ((2, "a"), (3, "t"), (4, "b"), (5, "a")):
        ann.heading(f"Pair {number} of 8")
        ann.press(key, "Enter")
    ann.heading("Pair 6 of 8")
    ann.press("u")  # the fifth comes back as it was left, and is changed
    ann.page.wait_for_selector("text=Taken back")
    assert ann.page.locator("[name=verdict][value=left]").is_checked()
    ann.press("b", "Enter")
    ann.heading("Pair 6 of 8")
    ann.press("?")
    ann.page.wait_for_selector("dialog[open]")
    ann.press("a")  # the list is open: nothing is voted
    ann.press("Escape")
    assert not ann.page.locator("[name=verdict]:checked").count()
    done = [one for one in work.of(ground.study_id) if one.state == "done"]
    assert [one.purpose for one in done].count("work") == 5
    first = work.vote_on(next(one.id for one in done if one.purpose == "work")).body
    assert first["comment"] == "at bants"
    assert first["tags"] == [{"tag": 'guessed instead of "not found"', "side": "right"}]
    assert first["rubric"]["relevance"] == {"left": 2, "right": 4}
    assert first["active_seconds"] is not None
    ann.press("p")
    ann.heading("Which answer helps more")
    assert "5 of 8 done" in ann.page.locator("main").inner_text()


def test_keys_can_be_changed_and_switched_off_and_fast_mode_saves_at_once(browser, tmp_path):
    ground = make_study(tmp_path, practice=())
    with served(ground) as (address, _):
        ann = Seat(browser, f"{address}/r/{ground.tokens['Ann']}")
        ann.page.get_by_role("button", name="I agree").click()
        ann.page.goto(f"{address}/keys")
        ann.page.locator("[data-remap=left]").fill("q")
        ann.page.locator("[data-remap=left]").blur()
        ann.page.get_by_label("Fast").check()
        ann.page.goto(f"{address}/work")
        ann.heading("Pair 1 of 8")
        ann.press("a")
        assert not ann.page.locator("[name=verdict]:checked").count()
        ann.page.wait_for_timeout(700)
        ann.press("q")
        ann.heading("Pair 2 of 8")
        ann.press("q")  # the second of two presses: nobody has seen this pair yet
        assert not ann.page.locator("[name=verdict]:checked").count()
        ann.heading("Pair 2 of 8")
        ann.page.goto(f"{address}/keys")
        ann.page.get_by_label("Keys are on").uncheck()
        ann.page.goto(f"{address}/work")
        ann.heading("Pair 2 of 8")
        ann.press("q", "b", "Enter")
        assert not ann.page.locator("[name=verdict]:checked").count()
        ann.context.close()


def test_a_rubric_that_comes_after_the_verdict_is_not_seen_before(browser, tmp_path):
    ground = make_study(tmp_path, practice=(), rubric_after=True)
    with served(ground) as (address, _):
        ann = Seat(browser, f"{address}/r/{ground.tokens['Ann']}")
        ann.page.get_by_role("button", name="I agree").click()
        ann.page.goto(f"{address}/work")
        ann.heading("Pair 1 of 8")
        sheet, hint = ann.page.locator("[data-sheet]"), ann.page.get_by_text("once you have chosen")
        assert (sheet.is_visible(), hint.is_visible()) == (False, True)
        ann.press("j", "a")
        assert (sheet.is_visible(), hint.is_visible()) == (True, False)
        ann.press("j", "3", "Enter")
        ann.heading("Pair 2 of 8")
        (done,) = [o for o in ground.workspace.reviews.work.of(ground.study_id) if o.voted_at]
        body = ground.workspace.reviews.work.vote_on(done.id).body
        assert body["rubric"] == {"relevance": {"left": 3}}
        assert not ann.noise
        ann.context.close()


def test_a_phone_has_tabs_large_targets_and_no_sideways_scrolling(browser, tmp_path):
    ground = make_study(tmp_path, practice=CALIBRATION[:1], calibration_pass=0.0)
    with served(ground) as (address, _):
        phone = {"viewport": {"width": 360, "height": 700}, "has_touch": True, "is_mobile": True}
        ben = Seat(browser, f"{address}/r/{ground.tokens['Ben']}", **phone)
        ben.page.get_by_role("button", name="I agree").tap()
        ben.page.get_by_role("link", name="Begin").tap()
        ben.heading("Practice 1 of 1")
        ben.page.locator("label.v-left").tap()
        ben.page.locator("[data-save]").tap()
        ben.page.get_by_role("link", name="Begin the work").tap()
        ben.heading("Pair 1 of 8")
        ben.page.locator("[data-tab=b]").tap()
        assert ben.page.locator(".side-b").is_visible()
        assert not ben.page.locator(".side-a").is_visible()
        ben.page.locator("[data-tab=both]").tap()
        assert ben.page.locator(".side-a").is_visible()
        small = ben.page.evaluate(SMALL)
        assert small == 0
        assert ben.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ben.page.locator("label.v-tie").tap()
        ben.page.locator("[data-save]").tap()
        ben.heading("Pair 2 of 8")
        assert not ben.noise
        ben.context.close()


def test_everything_can_be_done_without_scripts(browser, tmp_path):
    ground = make_study(tmp_path, practice=CALIBRATION[:1], calibration_pass=0.0, guess=0.5)
    with served(ground) as (address, _):
        ann = Seat(browser, f"{address}/r/{ground.tokens['Ann']}", java_script_enabled=False)
        page = ann.page
        page.get_by_role("button", name="I agree").click()
        page.get_by_role("link", name="Begin").click()
        page.locator("label.v-left").click()
        page.locator("[data-save]").click()
        page.get_by_role("link", name="Begin the work").click()
        page.locator("label.v-both_bad").click()
        page.locator("[data-save]").click()
        assert "Write a short reason" in page.locator("[role=alert]").inner_text()
        assert page.locator("[value=both_bad]").is_checked()
        page.locator("#comment").fill("neither helps")
        page.locator("[data-save]").click()
        assert "Pair 2 of 8" in page.title()
        page.get_by_role("button", name="Take it back").click()
        assert page.locator("#comment").input_value() == "neither helps"
        for _ in range(8):
            page.locator("label.v-tie").click()
            page.locator("[data-save]").click()
        page.wait_for_selector("text=Last questions")
        for _ in range(4):
            page.get_by_role("button", name="Next").click()
        page.wait_for_selector("text=Thank you, that was all")
        page.get_by_role("link", name="My votes").first.click()
        page.get_by_role("link", name="Change Item 8").click()
        page.locator("label.v-left").click()
        page.get_by_role("button", name="Save the change").first.click()
        page.wait_for_selector("text=A is better")
        ann.context.close()


@contextmanager
def serving(folder, study, port):
    """Run the server as an owner would; yields the process."""
    command = [sys.executable, "-c", "from befit.cli.main import main; main()", "review", "serve"]
    command += [study, "-p", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)
    deadline = time.monotonic() + 60
    while "owner" not in process.stderr.readline() and time.monotonic() < deadline:
        assert process.poll() is None, "the server did not come up"
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)
        process.stderr.close()


@pytest.mark.slow
def test_a_draft_and_an_unsent_vote_outlive_a_server_that_is_killed(browser, tmp_path):
    ground = make_study(tmp_path, practice=())
    work, port = ground.workspace.reviews.work, free_port()
    address = f"http://127.0.0.1:{port}"
    with serving(tmp_path, ground.study_id, port) as process:
        ann = Seat(browser, f"{address}/r/{ground.tokens['Ann']}")
        ann.page.get_by_role("button", name="I agree").click()
        ann.page.get_by_role("link", name="Begin").click()
        ann.heading("Pair 1 of 8")
        ann.press("r")
        ann.page.keyboard.type("half a thought")
        ann.page.wait_for_selector("text=draft kept")
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        ann.page.keyboard.type(", and more")
        ann.page.wait_for_selector("text=kept on this device")
    with serving(tmp_path, ground.study_id, port) as process:
        ann.page.goto(f"{address}/work")
        assert ann.page.locator("#comment").input_value() == "half a thought, and more"
        ann.page.wait_for_selector("text=draft kept")
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        ann.press("a", "Enter")
        ann.page.wait_for_selector("text=your vote is kept here")
        assert not [one for one in work.of(ground.study_id) if one.state == "done"]
    with serving(tmp_path, ground.study_id, port):
        ann.heading("Pair 2 of 8")
        (done,) = [one for one in work.of(ground.study_id) if one.state == "done"]
        vote = work.vote_on(done.id)
        assert vote.body["comment"] == "half a thought, and more"
        assert vote.revision == 1
        ann.context.close()
    ground.workspace.close()
