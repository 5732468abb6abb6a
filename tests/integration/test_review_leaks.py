"""No byte a reviewer gets tells who answered: the crawl, and proof that the crawl can fail."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from dataclasses import replace
from random import Random

import pytest
from aiohttp import web
from scipy.stats import mannwhitneyu

from befit.core.message import Message
from befit.review import shown as showing
from befit.review.app.serve import make_review_app
from befit.review.material import Known
from befit.review.packet import make_packet
from befit.review.people import reviewers
from review_client import Client, Told
from review_ground import (
    CALIBRATION,
    NAMES,
    make_study,
    picture_turn,
    plain_sources,
    png,
    served,
    source,
    url_of,
)
from review_leaks import crawl, leaks, work_through


def telling_sources(plain=3):
    """Return answers that would tell who gave them, in every kind of item."""
    made = plain_sources(plain)
    for number, name in enumerate(NAMES, 10):
        picture = picture_turn("What does it show?", url_of(png(b"made by Zeta Labs zeta-large")))
        turns = (
            picture,
            Message(role="assistant", content=f"I am {name}, made by Zeta Labs. Blue squares."),
            Message(role="user", content="That is wrong, look again."),
            Message(role="assistant", content="As zeta-large-2026-01 I see four squares."),
        )
        made.append(source(10, name, "", turns=turns, marked_turn=1))
        fields = f'{{"total": "12.{number}", "model": "{name}"}}'
        made.append(source(11, name, fields, document="Invoice, total 12.10"))
        made.append(source(12, name, "Same.", repeats=(f"Same, says {name}.", "Same again.")))
    return made


GOLD = (Known(question="Is 9 prime?", left="No.", right="Yes.", verdict="left"),)


def make(tmp_path, *, plain=3, **settings):
    return make_study(
        tmp_path,
        sources=telling_sources(plain),
        practice=CALIBRATION[:1],
        gold_items=GOLD,
        calibration_pass=0.0,
        guess=0.5,
        gold=0.05,
        **settings,
    )


def everything(ground, **started) -> dict[str, list[Told]]:
    """Return all answers two reviewers are given, from the invitation to the last page."""
    found = {}
    with served(ground, **started) as (address, _):
        for name, token in ground.tokens.items():
            client = Client(address)
            client.enter(f"{address}/r/{token}")
            work_through(client)
            crawl(client)
            found[name] = client.told
    return found


def test_no_byte_a_reviewer_gets_tells_who_answered(tmp_path):
    ground = make(tmp_path)
    told = everything(ground)
    for answers in told.values():
        kinds = {one.header("Content-Type").partition(";")[0] for one in answers}
        assert {"text/html", "text/css", "text/javascript", "image/png"} <= kinds
        paths = " ".join(one.path for one in answers)
        for part in ("/r/", "/work", "/told", "/guess", "/history", "/draft", "/undo", "/m/"):
            assert part in paths, part
        assert {200, 303, 403, 404, 422} <= {one.status for one in answers}
        assert leaks(answers, ground) == []


def every_answer(change):
    """Return a way to spoil the application: every answer passes through `change`."""

    def act(monkeypatch):
        @web.middleware
        async def spoil(request, handler):
            response = await handler(request)
            change(response)
            return response

        def spoiled(*args, **kwargs):
            app, link = make_review_app(*args, **kwargs)
            app.middlewares.append(spoil)
            return app, link

        monkeypatch.setattr("review_ground.make_review_app", spoiled)

    return act


def into_pages(text):
    def change(response):
        if response.content_type == "text/html":
            response.text += text

    return every_answer(change)


def item_id_in_the_question(monkeypatch):
    kept_shown = showing.shown

    def spoiled(asked, assigned, item, answers, *, kept):
        made = kept_shown(asked, assigned, item, answers, kept=kept)
        turn = replace(made.left.turns[0], answer=f"{made.left.turns[0].answer} ({item.x})")
        return replace(made, left=replace(made.left, turns=(turn, *made.left.turns[1:])))

    monkeypatch.setattr(showing, "shown", spoiled)


def answer_id_in_the_question(monkeypatch):
    kept = showing.guess_page

    def spoiled(asked, assigned, item, answers, *, place):
        made = kept(asked, assigned, item, answers, place=place)
        return replace(made, token=f"{made.token}-{item.y}")

    monkeypatch.setattr(showing, "guess_page", spoiled)


def pictures_as_they_came(monkeypatch):
    monkeypatch.setattr(showing, "clean_picture", lambda raw, **_: raw)
    monkeypatch.setattr("befit.review.making.redrawn", lambda raw, **_: raw)


def nothing_masked(monkeypatch):
    monkeypatch.setattr("befit.review.masking.Lexicon.mask", lambda _, text, **_more: (text, ()))


LEAKS = {
    "a comment in the page": into_pages("<!-- zeta-large -->"),
    "a hash of a name": into_pages(f"<i>{hashlib.sha256(b'omega-mini').hexdigest()}</i>"),
    "a header": every_answer(lambda r: r.headers.update({"X-Served-By": "17"})),
    "a cookie": every_answer(
        lambda r: r.set_cookie("seen", base64.urlsafe_b64encode(NAMES[0].encode()).decode())
    ),
    "the id of an answer": item_id_in_the_question,
    "an id in an address": answer_id_in_the_question,
    "metadata of a picture": pictures_as_they_came,
    "an answer that says who it is": nothing_masked,
}


QUICK = ("a header", "the id of an answer", "an answer that says who it is")


@pytest.mark.parametrize(
    "leak",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in LEAKS],
)
def test_the_crawl_finds_a_leak_that_is_planted(tmp_path, monkeypatch, leak):
    LEAKS[leak](monkeypatch)
    ground = make(tmp_path, plain=0, people=("Ann",))
    (told,) = everything(ground).values()
    assert leaks(told, ground)


def test_a_packet_tells_nothing_either(tmp_path):
    ground = make(tmp_path, people=("Ann",))
    reviews = ground.workspace.reviews
    (ann,) = reviewers(reviews, ground.study_id).values()
    text = make_packet(reviews, ground.study_id, ann, items=20)
    ground.workspace.close()
    told = Told(method="FILE", path="/", status=200, headers=(), body=text.encode())
    held = [hit for hit in leaks([told], ground) if f" study {ground.study_id}" not in hit]
    assert held == []  # the id of the study says where the answers belong, and is nobody's


@pytest.mark.slow
def test_the_time_a_page_takes_does_not_tell_who_stands_left(tmp_path):
    """A short and a long answer, both ways: no difference that chance would not make."""
    sources = [
        source(n, name, text)
        for n in range(6)
        for name, text in zip(NAMES, ("Short.", "A long answer. " * 400), strict=True)
    ]
    ground = make_study(tmp_path, sources=sources, practice=(), guess=0.0,
                        people=[f"P{n}" for n in range(4)])  # fmt: skip
    with served(ground) as (address, _):
        pages = []
        for token in ground.tokens.values():
            client = Client(address)
            page = client.enter(f"{address}/r/{token}") and client.get("/work")
            while found := re.search(r'action="(/i/\w+)"', page.text):
                held = ground.workspace.reviews.work.assigned(found[1][3:])
                pages.append((bool(held.flipped), client, found[1]))
                page = client.vote(page, "tie")
        spent: dict[bool, list[float]] = {True: [], False: []}
        order = Random(3)  # noqa: S311 - an order, no secret
        for _ in range(6):
            order.shuffle(pages)
            for flipped, client, path in pages:
                began = time.perf_counter()
                client.ask("GET", path)
                spent[flipped].append(time.perf_counter() - began)
    assert min(map(len, spent.values())) >= 30
    # chance alone fails this once in ten thousand runs
    assert mannwhitneyu(spent[True], spent[False]).pvalue > 1e-4
