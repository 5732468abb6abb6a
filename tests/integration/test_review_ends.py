"""What people read when a study takes no votes, and when their link is withdrawn."""

from __future__ import annotations

import re

import pytest

from befit.review.people import reviewers
from review_client import Client, form_token, item_of
from review_ground import make_study, plain_sources, served
from review_intruder import entered

WORDS = {
    "pause": ("The study is paused", "not be changed for now"),
    "close": ("The study is closed", "not be changed."),
}


def ground_of(tmp_path):
    return make_study(tmp_path, sources=plain_sources(2), practice=(), guess=0.0)


@pytest.mark.parametrize("step", WORDS)
def test_a_study_that_takes_no_votes_says_so_on_every_page_and_offers_no_vote(tmp_path, step):
    ground, (state, reading) = ground_of(tmp_path), WORDS[step]
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        item = item_of(ann.get("/work"))
        ann.vote(ann.get("/work"), "left")
        owner.send(owner.get("/board"), f"/state/{step}", sure="1")
        assert state in ann.get("/").text
        assert "Look why" not in ann.get("/").text
        assert ">Go on<" not in ann.get("/history").text
        assert 'href="/work"' not in ann.get("/guide").text
        page = ann.get(f"/i/{item}")
        assert state in page.text
        assert reading in page.text
        assert "data-save" not in page.text
        assert "data-vote " not in page.text
        assert '<fieldset class="bare" disabled>' in page.text
        invited = Client(address).get(f"/r/{ground.tokens['Ben']}")
        wanted = "Show my votes" if step == "close" else "The study is paused at the moment"
        assert wanted in invited.text
        assert ("I agree, start" in invited.text) == (step == "pause")


def test_a_link_is_withdrawn_only_when_that_is_said_once_more(tmp_path):
    ground = ground_of(tmp_path)
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        people = owner.get("/people")
        who = next(iter(reviewers(ground.workspace.reviews, ground.study_id)))
        bare = {"form_token": form_token(people)}
        assert owner.post(f"/people/{who}/revoke", bare).status == 422
        assert ann.get("/").status == 200
        assert people.text.count("Withdraw for good") == 2
        assert re.search(r"There is no way back; the votes stay", people.text)
        owner.send(people, f"/people/{who}/revoke")
        told = ann.get("/work")
        assert told.status == 403
        assert "Your link was withdrawn or has run out" in told.text
        for path in ('href="/history"', 'href="/guide"', "To the overview"):
            assert path not in told.text, "nothing here opens any more"


def test_the_audit_trail_names_people_instead_of_numbers(tmp_path):
    ground = ground_of(tmp_path)
    with served(ground) as (address, link):
        owner = Client(address)
        owner.enter(link, name="Olga")
        trail = owner.get("/trail").text
        assert "reviewer: <bdi>Ann</bdi>" in trail
        assert "group: <bdi>real user</bdi>" in trail
        assert not set(reviewers(ground.workspace.reviews, ground.study_id)) & set(
            re.findall(r"\w+", trail)
        )
