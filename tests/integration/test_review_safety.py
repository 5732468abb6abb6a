"""The review pages against whoever means harm: forged forms, guessed links, others' items."""

from __future__ import annotations

import re
import time

import pytest

from befit.review import states
from befit.review.app.serve import make_review_app
from befit.review.people import reviewers, revoke
from befit.review.states import study_of
from befit.web.limits import MOST_KEYS, Limit
from befit.web.shell import FORMS, GUESSES, PROXIED, SESSIONS
from review_client import Client, form_token, item_of
from review_ground import AT, CALIBRATION, SECRET, make_study, served
from review_intruder import POLICY, entered, votes_of
from review_leaks import crawl, leaks, mapping_of


@pytest.fixture
def ground(tmp_path):
    return make_study(tmp_path, practice=CALIBRATION[:1], calibration_pass=0.0)


def test_every_answer_of_every_kind_carries_the_exact_policy(ground):
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        crawl(ann)
        crawl(owner)
        page = ann.get("/work")
        ann.vote(page, "")
        ann.ask("POST", "/undo", {})
        seen = [*ann.told, *owner.told]
        assert {200, 303, 403, 404, 422} <= {one.status for one in seen}
        for one in seen:
            assert one.header("Content-Security-Policy") == POLICY, one.path
            assert one.header("X-Content-Type-Options") == "nosniff"
            assert one.header("Referrer-Policy") == "same-origin"
            own = one.path.startswith("/a/") and one.status == 200
            assert ("no-store" in one.header("Cache-Control")) is not own, one.path


def test_forms_from_elsewhere_are_refused_and_change_nothing(ground):
    with served(ground) as (address, _):
        ann, ben = entered(address, ground), entered(address, ground, "Ben")
        page = ann.get("/work")
        where = f"/i/{item_of(page)}"
        good = {"form_token": form_token(page), "verdict": "left", "request_id": "r1"}
        assert ann.ask("POST", where, {**good, "form_token": ""}).status == 403
        assert ann.ask("POST", where, {**good, "form_token": "0" * 64}).status == 403
        theirs = form_token(ben.get("/work"))
        assert ann.ask("POST", where, {**good, "form_token": theirs}).status == 403
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ):
            assert ann.ask("POST", where, good, headers=headers).status == 403, headers
        assert ann.ask("GET", "/work", headers={"Host": "evil.example"}).status == 403
        assert ann.ask("GET", f"{where}?verdict=left&form_token={good['form_token']}").status == 200
        assert votes_of(ground) == []
        assert ann.ask("POST", where, good, headers={"Origin": address}).status == 303
        assert len(votes_of(ground)) == 1


def test_a_session_cannot_be_planted_or_kept_over_a_new_sign_in(ground):
    with served(ground) as (address, _):
        planted = Client(address, cookies={"befit_session": "WyJhIl0=.0000"})
        assert planted.ask("GET", "/work").status == 403
        planted.enter(f"{address}/r/{ground.tokens['Ann']}")
        first = planted.cookies["befit_session"]
        assert not first.startswith("WyJhIl0=")
        old = form_token(planted.get("/work"))
        planted.enter(f"{address}/r/{ground.tokens['Ann']}")
        assert planted.cookies["befit_session"] != first
        assert planted.ask("POST", "/undo", {"form_token": old}).status == 403
        cookie = next(v for k, v in planted.told[-3].headers if k == "Set-Cookie")
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        body, _, mark = first.rpartition(".")
        for forged in (f"{body}.{mark[:-1]}0", f"A{body[1:]}.{mark}", body, "." * 9, "é"):
            held = Client(address, cookies={"befit_session": forged.encode().decode("latin-1")})
            assert held.ask("GET", "/work").status == 403, forged


def test_the_cookie_of_a_server_behind_https_is_for_https_only(ground):
    app, link = make_review_app(
        ground.workspace, ground.study_id, secret=SECRET,
        address="https://review.example", hosts=frozenset({"review.example"}),
    )  # fmt: skip
    assert link.startswith("https://review.example/start/owner-")
    assert app[FORMS] is not app[GUESSES]
    with served(ground, address="https://review.example") as (address, _):
        client = Client(address)
        client.enter(f"{address}/r/{ground.tokens['Ann']}")
        cookie = next(v for one in client.told for k, v in one.headers if k == "Set-Cookie")
        assert "Secure" in cookie.split("; ")


def test_links_cannot_be_guessed_at_will(ground):
    with served(ground) as (address, link):
        client = Client(address)
        for number in range(30):
            path = f"/r/guess{number}" if number % 2 else f"/start/owner-{number:040d}"
            assert client.ask("GET", path).status == 404
        for path in ("/r/another", f"/r/{ground.tokens['Ann']}", link.removeprefix(address)):
            told = client.ask("GET", path)
            assert told.status == 429
            assert int(told.header("Retry-After")) > 0


def test_behind_a_proxy_everybody_is_counted_by_the_address_the_proxy_adds(ground):
    def tune(app):
        app[PROXIED] = True

    with served(ground, tune=tune) as (address, _):
        bad = Client(address, headers={"X-Forwarded-For": "192.0.2.9, 198.51.100.7"})
        for number in range(30):
            assert bad.ask("GET", f"/r/guess{number}").status == 404
        bad.headers = {"X-Forwarded-For": "203.0.113.5, 198.51.100.7"}  # only the last counts
        assert bad.ask("GET", f"/r/{ground.tokens['Ann']}").status == 429
        good = Client(address, headers={"X-Forwarded-For": "198.51.100.8"})
        assert good.ask("GET", f"/r/{ground.tokens['Ann']}").status == 200


def test_floods_of_forms_are_slowed_down(ground):
    def tune(app):
        app[FORMS] = Limit(most=20, seconds=1e9, clock=time.monotonic)

    with served(ground, tune=tune) as (address, _):
        ann, ben = entered(address, ground), entered(address, ground, "Ben")
        codes = [ann.ask("POST", "/undo", {}).status for _ in range(22)]
        assert codes == [403] * 20 + [429] * 2
        assert ben.ask("POST", "/undo", {}).status == 403, "others are not slowed down with her"


def test_a_limit_gives_back_what_time_has_earned_and_forgets_the_quiet():
    now = [0.0]
    limit = Limit(most=3, seconds=30, clock=lambda: now[0])
    assert [limit.take("a") for _ in range(4)] == [True, True, True, False]
    assert limit.take("b")
    assert limit.wait("a") == 11
    now[0] = 10.0
    assert [limit.take("a") for _ in range(2)] == [True, False]
    now[0] = 1000.0
    assert not limit.spent("a")
    for number in range(MOST_KEYS + 5):
        limit.take(str(number))
    assert len(limit._held) == MOST_KEYS


def test_nobody_gets_at_another_persons_item(ground):
    with served(ground) as (address, _):
        ann, ben = entered(address, ground), entered(address, ground, "Ben")
        item = item_of(ann.get("/work"))
        token = form_token(ben.get("/work"))
        form = {"form_token": token, "verdict": "left", "number": "1", "request_id": "x"}
        assert ben.ask("GET", f"/i/{item}").status == 403
        assert ben.ask("GET", f"/i/{item}/told").status == 403
        assert ben.ask("POST", f"/i/{item}", form).status == 403
        assert ben.ask("POST", f"/i/{item}/draft", form).status == 403
        assert ben.ask("GET", f"/m/{item}/{'0' * 24}").status == 403
        assert votes_of(ground) == []


def test_roles_are_kept_apart(ground):
    with served(ground) as (address, link):
        ann, owner, nobody = entered(address, ground), Client(address), Client(address)
        owner.enter(link, name="Olga")
        for path in ("/board", "/people", "/trail", "/result"):
            assert ann.ask("GET", path).status == 403
            assert nobody.ask("GET", path).status == 403
            assert owner.ask("GET", path).status == 200
        for path in ("/work", "/guide", "/history", "/guess"):
            assert owner.ask("GET", path).status == 403
        token = form_token(ann.get("/work"))
        for path in ("/state/close", "/state/unblind", "/state/pause", "/people"):
            form = {"form_token": token, "sure": "1", "name": "Eve", "group": "own_team"}
            assert ann.ask("POST", path, form).status == 403
        told = owner.enter(f"{address}/r/{ground.tokens['Ben']}")
        assert told.status == 403
        assert "signed in as the owner" in told.text
        assert study_of(ground.workspace.reviews, ground.study_id).state == "open"


def test_a_withdrawn_link_ends_every_session(ground):
    with served(ground) as (address, _):
        ann = entered(address, ground)
        assert ann.ask("GET", "/work").status == 200
        reviews = ground.workspace.reviews
        who = next(i for i, r in reviewers(reviews, ground.study_id).items() if r.name == "Ann")
        revoke(reviews, ground.study_id, who, at=AT, by="Olga")
        assert ann.ask("GET", "/work").status == 403
        assert Client(address).ask("GET", f"/r/{ground.tokens['Ann']}").status == 404


@pytest.mark.parametrize(
    "state",
    ["open", *(pytest.param(name, marks=pytest.mark.slow) for name in ("draft", "paused"))],
)
def test_no_route_unblinds_a_study_that_is_not_closed(tmp_path, state):
    ground = make_study(tmp_path, opened=state != "draft")
    if state == "paused":
        states.pause(ground.workspace.reviews, ground.study_id, at=AT, by="x")
    with served(ground) as (address, link):
        owner = Client(address)
        token = form_token(owner.enter(link, name="Olga"))
        form = {"form_token": token, "sure": "1", "key_file": ground.key_file, "reason": "so"}
        for path in tried_paths(ground):
            for method in ("GET", "POST", "PUT"):
                owner.ask(method, path, form)
            if study_of(ground.workspace.reviews, ground.study_id).state != state:
                back(ground, state)
        assert study_of(ground.workspace.reviews, ground.study_id).state in {
            state,
            "open",
            "paused",
        }
        names = [one for one in leaks(owner.told, ground) if ": identity" in one]
        assert names == []
        events = {one.kind for one in ground.workspace.reviews.events(ground.study_id)}
        assert not events & {"unblinded", "blind broken"}


def back(ground, state):
    reviews = ground.workspace.reviews
    if state == "open" and study_of(reviews, ground.study_id).state == "paused":
        states.open_study(reviews, ground.study_id, at=AT, by="x")
    if state == "paused" and study_of(reviews, ground.study_id).state == "open":
        states.pause(reviews, ground.study_id, at=AT, by="x")


def tried_paths(ground):
    """Return every route of the application, and some that somebody might wish there were."""
    app, _ = make_review_app(
        ground.workspace, ground.study_id, secret=SECRET, address="", hosts=frozenset()
    )
    words = ("unblind", "break-blind", "reveal", "pause")
    found = []
    for resource in app.router.resources():
        path = resource.canonical
        if path in {"/leave", "/start/{token}"}:
            continue
        found += [re.sub(r"\{\w+\}", word, path) for word in words] if "{" in path else [path]
    wished = (
        *("/unblind", "/result.json", "/result?unblind=1", "/export", "/mapping", "/sealed"),
        *("/board?reveal=1", "/api/result", "/../.befit/review-keys", "/a/x/../../seal.py"),
    )
    return [*dict.fromkeys(found), *wished]


def test_closing_then_unblinding_shows_the_result_and_only_then(ground):
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        page = ann.get("/work")
        while 'action="/i/' in page.text:
            told = ann.vote(page, "left")
            page = ann.get("/work") if "/told" in told.path else told
        board = owner.enter(link, name="Olga")
        assert "zeta" not in owner.get("/result").text
        assert owner.send(board, "/state/close").status == 422, "the box was not ticked"
        owner.send(board, "/state/close", sure="1")
        assert "closed" in ann.get("/work").text
        sealed = owner.get("/result")
        assert "zeta" not in sealed.text
        assert mapping_of(ground).answers
        result = owner.send(sealed, "/state/unblind", sure="1")
        assert result.path == "/result"
        assert "zeta-large@prompt-7" in result.text
        assert "Who is preferred" in result.text


def test_a_form_that_is_sent_twice_counts_once(ground):
    with served(ground) as (address, _):
        ann = entered(address, ground)
        ann.vote(ann.get("/work"), "left")
        page = ann.get("/work")
        item = item_of(page)
        ann.vote(page, "left")
        ann.vote(page, "left")
        ann.vote(page, "right")  # the same form again, changed: it has its number still
        assert ground.workspace.reviews.work.vote_on(item).body["verdict"] == "left"
        assert ground.workspace.reviews.work.vote_on(item).revision == 1
        again = ann.get(f"/i/{item}")
        ann.vote(again, "right")
        stored = ground.workspace.reviews.work.vote_on(item)
        assert (stored.body["verdict"], stored.revision) == ("right", 2)


def test_signing_out_ends_the_session_for_good(ground):
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        for who, path in ((ann, "/work"), (owner, "/board")):
            kept = Client(address, cookies=dict(who.cookies))
            assert kept.ask("GET", path).status == 200
            who.ask("POST", "/leave", {"form_token": form_token(who.get("/"))})
            assert kept.ask("GET", path).status == 403, "a copy of the cookie is still good"
        assert entered(address, ground).ask("GET", "/work").status == 200
        app, _ = make_review_app(
            ground.workspace, ground.study_id, secret=SECRET, address=address, hosts=frozenset()
        )
        assert len(app[SESSIONS].ended) == 2  # a server that is started again knows them


def test_whoever_can_open_the_seal_does_not_review(ground):
    reviews, study_id = ground.workspace.reviews, ground.study_id
    with served(ground) as (address, link):
        owner = Client(address)
        told = owner.enter(link, name="ann")
        assert "reviews this study" in told.text
        assert owner.ask("GET", "/board").status == 403
        board = owner.enter(link, name="Olga")
        assert board.status == 200
        people = owner.get("/people")
        told = owner.send(people, "/people", name="olga", group="own_team")
        assert told.status == 422
        assert "signed in as owner" in told.text
        events = [(one.actor, one.kind) for one in reviews.events(study_id)]
        assert ("Olga", "signed in") in events
        assert ("ann", "signed in") not in events
