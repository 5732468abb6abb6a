"""Two labellers and an adjudicator, by keyboard, over a server that is killed in between."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from browser_wait import until

pytestmark = pytest.mark.browser

N = 4


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@contextmanager
def serving(folder, port):
    """Run the page as a person would; yields the process and role -> link."""
    command = [sys.executable, "-c", "from befit.cli.main import main; main()"]
    command += ["data", "label", str(folder / "set.jsonl"), "-p", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder
    )
    links = {}
    deadline = time.monotonic() + 60
    while len(links) < 2 and time.monotonic() < deadline:
        line = process.stderr.readline()
        found = re.match(r"(\w+)\s+(http://\S+)", line)
        if found:
            links[found[1]] = found[2]
    try:
        yield process, links
    finally:
        process.kill()
        process.wait(10)
        process.stderr.close()


@pytest.fixture
def folder(tmp_path):
    lines = [
        {"id": f"s{i}", "input": f"What is {i} + {i}?", "observed": str(2 * i)} for i in range(N)
    ]
    lines[0]["input"] = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def sign_in(browser, link, name, **options):
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(link)
    page.keyboard.press("Tab")
    page.get_by_label("Your name").focus()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Continue with sample")
    return context, page


def label(page, text):
    """Press T, type the answer, send it; all without a mouse."""
    page.wait_for_load_state("load")
    page.keyboard.press("t")
    page.keyboard.press("Control+a")
    page.keyboard.type(text)
    page.keyboard.press("Control+Enter")


def done(page, number):
    page.wait_for_selector(f"text=Saved sample {number}.")
    page.wait_for_load_state("load")  # the keys are there from then on


def until_killed(browser, process, link):
    """Ann labels two samples and begins a third, then the server dies."""
    context, ann = sign_in(browser, link, "Ann")
    noise = []
    ann.on("pageerror", lambda error: noise.append(str(error)))
    ann.on("dialog", lambda dialog: noise.append(dialog.message))
    ann.wait_for_load_state("load")
    ann.keyboard.press("c")
    ann.wait_for_selector("text=Sample 1 of 4")
    assert ann.title() == "Sample 1 of 4"
    assert "<script>" in ann.locator(".quote").first.inner_text()
    label(ann, "zero")
    done(ann, 1)
    label(ann, "2")
    done(ann, 2)
    ann.keyboard.press("t")
    ann.keyboard.type("a draft of th")
    ann.wait_for_selector("text=Draft saved")
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert not noise
    return context, ann


def resumed(ann, port):
    """Ann goes on with the cookie she had; her draft is there."""
    ann.goto(f"http://127.0.0.1:{port}/s/3")
    assert ann.get_by_label("Right answer").input_value() == "a draft of th"
    label(ann, "4")
    done(ann, 3)
    ann.keyboard.press("o")
    until(ann, "document.querySelector('#target').value === '6'")
    ann.wait_for_load_state("load")
    ann.keyboard.press("Control+Enter")
    ann.wait_for_selector("text=Nothing is left for you to do")


def without_scripts(browser, link):
    """Ben labels without JavaScript and sees nothing of Ann's."""
    context, ben = sign_in(browser, link, "Ben", java_script_enabled=False)
    ben.get_by_role("link", name="Continue with sample 1").click()
    for number, text in ((1, "zero"), (2, "two"), (3, "4")):
        assert "Ann" not in ben.content()
        ben.get_by_label("Right answer").fill(text)
        ben.get_by_role("button", name="Save and next").click()
        ben.wait_for_selector(f"text=Saved sample {number}.")
    ben.get_by_role("button", name="Cannot be judged").click()
    ben.wait_for_selector("text=Nothing is left for you to do")
    return context


def adjudicated(browser, link, port):
    """Cleo decides the two samples that differ: one by taking Ann's, one by her own."""
    context, judge = sign_in(browser, link, "Cleo")
    judge.goto(f"http://127.0.0.1:{port}/agreement")
    assert "4" in judge.locator("tr", has_text="labelled twice").inner_text()
    assert "2" in judge.locator("tr", has_text="the same target").inner_text()
    judge.goto(f"http://127.0.0.1:{port}/")
    judge.wait_for_load_state("load")
    judge.keyboard.press("c")
    judge.wait_for_selector("text=Sample 2 of 4")
    judge.wait_for_load_state("load")
    judge.keyboard.press("1")
    done(judge, 2)
    label(judge, "6")
    judge.wait_for_selector("text=Nothing is left for you to do")
    return context


@pytest.mark.slow
def test_two_labellers_and_an_adjudicator_lose_nothing_when_the_server_is_killed(browser, folder):
    port = free_port()
    with serving(folder, port) as (process, links):
        first, ann = until_killed(browser, process, links["labeller"])
    with serving(folder, port) as (_, links):
        resumed(ann, port)
        second = without_scripts(browser, links["labeller"])
        third = adjudicated(browser, links["adjudicator"], port)
        assert ann.goto(f"http://127.0.0.1:{port}/agreement").status == 403
        for context in (first, second, third):
            context.close()
    command = [sys.executable, "-c", "from befit.cli.main import main; main()", "data", "label"]
    command += ["set.jsonl", "--apply", "2", "--json"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["data"] == {"changed": 4, "unlabelled": 0}
    held = [json.loads(line) for line in (folder / "set.jsonl").read_text().splitlines()]
    assert [one["target"] for one in held] == ["zero", "2", "4", "6"]


def test_every_answer_forbids_what_a_page_does_not_need(browser, folder):
    port = free_port()
    with serving(folder, port) as (_, links):
        context, page = sign_in(browser, links["labeller"], "Ann")
        answer = page.goto(f"http://127.0.0.1:{port}/s/1")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        cookie = context.cookies()[0]
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"
        forged = context.request.post(
            f"http://127.0.0.1:{port}/s/1", form={"target": "x", "form_token": "0"}
        )
        assert forged.status == 403
        renamed = context.request.get(
            f"http://127.0.0.1:{port}/s/1", headers={"Host": "evil.example"}
        )
        assert renamed.status == 403
        context.close()


LONG = [
    {"id": "r" + "x" * 90, "input": "مرحبا، أريد إرجاع المصباح رقم 123 (test)", "observed": "شكرا"},
    {"id": "w", "input": "A" * 3000, "observed": "B" * 2000, "target": {"total": 5}},
]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["phone", "desk", "dark"])
def test_the_pages_keep_the_rules_of_access_with_long_and_right_to_left_texts(
    browser, folder, place
):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    (folder / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LONG))
    options = {"desk": {}, "dark": {"color_scheme": "dark"},
               "phone": {"viewport": {"width": 390, "height": 844}}}[place]  # fmt: skip
    port = free_port()
    with serving(folder, port) as (_, links):
        # The rules are put into the page by the test, which the page's own policy forbids.
        context, page = sign_in(browser, links["labeller"], "Ann", bypass_csp=True, **options)
        for path in ("/", "/s/1", "/s/2", "/s/99", "/agreement"):
            page.goto(f"http://127.0.0.1:{port}{path}")
            found = axe.run(page)
            assert found.violations_count == 0, (path, found.generate_report())
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, path
        page.goto(f"http://127.0.0.1:{port}/s/1")
        shown = page.locator(".quote").first.evaluate("one => getComputedStyle(one).direction")
        assert shown == "rtl"
        page.goto(f"http://127.0.0.1:{port}/s/2")
        assert not page.get_by_text('{"total": 5}').is_visible()  # judged without it first
        page.get_by_text("The set has an answer already").click()
        assert page.get_by_text('{"total": 5}').is_visible()
        page.get_by_role("button", name="Save and next").click()
        assert "give a target" in page.get_by_role("alert").inner_text()
        assert axe.run(page).violations_count == 0
        context.close()
