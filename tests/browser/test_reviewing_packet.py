"""A packet in Chromium: answered from a file, kept over a reload, written, taken in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from befit.review.packet import make_packet, take_packet
from befit.review.people import reviewers
from review_ground import make_study, plain_sources

pytestmark = pytest.mark.browser


def test_a_packet_is_answered_written_and_taken_in_with_what_was_seen(browser, tmp_path):
    ground = make_study(tmp_path, sources=plain_sources(3), practice=(), people=("Ann",))
    reviews = ground.workspace.reviews
    (ann,) = reviewers(reviews, ground.study_id).values()
    file = tmp_path / "ann.html"
    file.write_text(make_packet(reviews, ground.study_id, ann, items=3), encoding="utf-8")
    context = browser.new_context(accept_downloads=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.get_by_text("Worked examples").click()
    assert page.get_by_role("heading", name="Example 2").is_visible()
    forms = page.locator("form[data-item]")
    for number in range(2):
        forms.nth(number).get_by_label("A is better").check()
    first = forms.first
    first.get_by_text("Write down something you saw").click()
    first.get_by_label("What was seen in B").fill("Invents a number")
    first.get_by_label("Severity, in B").select_option("4")
    page.reload()
    page.wait_for_selector("#write:not([hidden])")
    with page.expect_download() as download:
        page.get_by_role("button", name="Write the answers").click()
    returned = json.loads(download.value.path().read_text())
    taken = take_packet(reviews, returned)
    assert (taken.new, taken.problems) == (2, ())
    votes = {one.assignment: one.body for one in reviews.work.votes(ground.study_id)}
    assert [body["verdict"] for body in votes.values()] == ["left", "left"]
    (seen,) = votes[returned["items"][0]]["observations"]
    assert (seen["side"], seen["seen"], seen["severity"]) == ("right", "Invents a number", 4)
    assert votes[returned["items"][1]]["observations"] == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in asked)
    context.close()
    ground.workspace.close()


def test_a_packet_with_an_answer_of_one_endless_line_stays_a_page(browser, tmp_path):
    sources = plain_sources(1)
    turns = sources[0].turns
    endless = turns[-1].model_copy(update={"content": "x" * 300_000})
    sources = [replace(sources[0], turns=(*turns[:-1], endless)), *sources[1:]]
    ground = make_study(tmp_path, sources=sources, practice=(), people=("Ann",))
    reviews = ground.workspace.reviews
    (ann,) = reviewers(reviews, ground.study_id).values()
    file = tmp_path / "ann.html"
    file.write_text(make_packet(reviews, ground.study_id, ann, items=1), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto(file.as_uri())
    cut = page.evaluate("document.documentElement.scrollHeight")
    page.get_by_text("Cut here: show 270,000 characters more").click()
    whole = page.evaluate("document.documentElement.scrollHeight")
    # a tenth of the line is shown at first
    assert whole > 4 * cut
    page.context.close()
    ground.workspace.close()
