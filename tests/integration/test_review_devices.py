"""Two devices at one link: neither overwrites the other unseen, and nothing is lost."""

from __future__ import annotations

import json
import re

from review_client import item_of, read_page
from review_ground import make_study, plain_sources, served
from review_intruder import entered


def two(address, ground):
    """Return one reviewer at two devices, both with the same item before them."""
    phone, desktop = entered(address, ground), entered(address, ground)
    pages = phone.get("/work"), desktop.get("/work")
    assert item_of(pages[0]) == item_of(pages[1])
    return phone, desktop, *pages


def draft(client, page, number, **fields):
    """Save what stands in the form of a page, as its script does."""
    where, held = next(one for one in read_page(page.text).forms if one[0].startswith("/i/"))
    form = {**dict(held), "number": str(number), **fields}
    told = client.ask("POST", f"{where}/draft", form)
    return told.status, json.loads(told.body)


def only(ground, **more):
    return make_study(ground, sources=plain_sources(2), practice=(), people=("Ann",), guess=0.0,
                      **more)  # fmt: skip


def test_a_vote_over_another_devices_vote_is_told_first_and_then_taken(tmp_path):
    ground = only(tmp_path)
    with served(ground) as (address, _):
        phone, desktop, here, there = two(address, ground)
        item = item_of(here)
        phone.vote(here, "left", comment="It has the date.")
        told = desktop.vote(there, "tie", comment="Alike.")
        assert told.status == 409
        assert "Another device voted on this item meanwhile (A is better; " in told.text
        assert "It has the date." in told.text
        assert re.search(r"<textarea[^>]*>Alike\.</textarea>", told.text), "what was typed is kept"
        work = ground.workspace.reviews.work
        assert work.vote_on(item).body["verdict"] == "left"
        assert desktop.vote(told, "tie").status == 200
        assert work.vote_on(item).body["verdict"] == "tie"
        bodies = [one.body["verdict"] for one in work.votes(ground.study_id, every_revision=True)]
        assert bodies == ["left", "tie"], "both are kept"


def test_a_form_that_is_sent_twice_is_no_second_device(tmp_path):
    ground = only(tmp_path)
    with served(ground) as (address, _):
        ann = entered(address, ground)
        page = ann.get("/work")
        where, held = next(one for one in read_page(page.text).forms if one[0].startswith("/i/"))
        form = {**dict(held), "verdict": "left"}
        assert [ann.ask("POST", where, form).status for _ in range(2)] == [303, 303]
        assert len(ground.workspace.reviews.work.votes(ground.study_id, every_revision=True)) == 1


def test_a_draft_never_replaces_another_devices_draft_or_vote(tmp_path):
    ground = only(tmp_path)
    with served(ground) as (address, _):
        phone, desktop, here, there = two(address, ground)
        work, item = ground.workspace.reviews.work, item_of(here)
        assert draft(phone, here, 1, comment="from the phone") == (200, {"kept": True})
        assert draft(phone, here, 2, comment="from the phone, more") == (200, {"kept": True})
        answer = 409, {"kept": False, "vote": 0, "draft": 2}
        assert draft(desktop, there, 1, comment="from the desk") == answer
        assert draft(desktop, there, 9, comment="from the desk") == answer
        assert work.draft(item)[1]["ballot"]["comment"] == "from the phone, more"
        # a page that has seen it goes on with it
        again = desktop.get("/work")
        assert "from the phone, more" in again.text
        assert draft(desktop, again, 3, comment="from the desk") == (200, {"kept": True})
        assert draft(phone, here, 4, comment="late")[0] == 409
        told = phone.vote(here, "left")
        assert told.status == 409
        assert "Another device went on with this item meanwhile (" in told.text
        assert "from the desk" in told.text
        phone.vote(told, "left")
        late = draft(desktop, again, 5, comment="too late")
        assert late == (409, {"kept": False, "vote": 1, "draft": 0})
        assert work.draft(item) is None


def test_a_vote_that_was_taken_back_elsewhere_is_told(tmp_path):
    ground = only(tmp_path)
    with served(ground) as (address, _):
        phone, desktop, here, _ = two(address, ground)
        saved = phone.vote(here, "left")
        edit = desktop.get(f"/i/{item_of(here)}")
        phone.send(saved, "/undo")
        told = desktop.vote(edit, "right")
        assert told.status == 409
        assert "meanwhile" in told.text
        assert desktop.vote(told, "right").status == 200
        assert ground.workspace.reviews.work.vote_on(item_of(here)).body["verdict"] == "right"


def test_a_refused_form_keeps_what_its_page_had_seen(tmp_path):
    """What is mended after an error may not overwrite what came before the mending."""
    ground = only(tmp_path)
    with served(ground) as (address, _):
        phone, desktop, here, there = two(address, ground)
        wrong = desktop.vote(there, "both_bad")
        assert wrong.status == 422
        phone.vote(here, "left")
        told = desktop.vote(wrong, "both_bad", comment="Neither helps.")
        assert told.status == 409
