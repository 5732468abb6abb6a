"""A reviewer's new link on the owner's pages: the old link and what it opened end."""

from __future__ import annotations

import re

from befit.review.people import reviewers
from review_client import Client
from review_ground import make_study, plain_sources, served
from review_intruder import entered


def test_a_new_link_ends_the_old_one_and_its_sessions_and_keeps_the_votes(tmp_path):
    ground = make_study(tmp_path, sources=plain_sources(2), practice=(), people=("Ann",), guess=0.0)
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        ann.vote(ann.get("/work"), "left")
        (who,) = reviewers(ground.workspace.reviews, ground.study_id)
        people = owner.get("/people")
        told = owner.send(people, f"/people/{who}/link", sure="1")
        assert "has a new link; the old one is good no more" in told.text
        new = re.search(r'value="(http[^"]+/r/[^"]+)"', told.text)[1]
        assert ann.ask("GET", "/work").status == 403
        assert Client(address).ask("GET", f"/r/{ground.tokens['Ann']}").status == 404
        again = Client(address)
        again.enter(new)
        assert "1 given" in again.get("/history").text
        kinds = [one.kind for one in ground.workspace.reviews.events(ground.study_id)]
        assert kinds.count("new link") == 1
