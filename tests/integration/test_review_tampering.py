"""Bodies that are no forms, strange addresses, a database that was written past befit."""

from __future__ import annotations

import gzip
import http.client
import sqlite3

import pytest

from befit.errors import ForbiddenError, StoreError
from befit.review import states
from befit.storage.codec import pack, unpack
from review_client import Client, form_token, item_of
from review_ground import AT, CALIBRATION, make_study, served
from review_intruder import POLICY, entered, votes_of
from review_leaks import leaks


@pytest.fixture
def ground(tmp_path):
    return make_study(tmp_path, practice=CALIBRATION[:1], calibration_pass=0.0)


PLAIN = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("multipart/form-data; boundary=B", b"--B\r\nxx", 415),
        ("multipart/form-data", b"xx", 415),
        ("application/json", b'{"form_token": "x"}', 415),
        (f"{PLAIN}; charset=nonsense", b"form_token=x", 400),
        (f"{PLAIN}; charset=utf-8", b"form_token=\xff", 400),
        (PLAIN, b"form_token=x&comment=" + b"x" * 5_000_000, 413),
        (PLAIN, b"form_token=x" + b"&a=1" * 1_100_000, 413),
    ],
)
def test_bodies_that_are_no_forms_are_refused_without_a_fault_of_ours(
    ground, caplog, kind, body, status
):
    with served(ground) as (address, _):
        ann = entered(address, ground)
        item = item_of(ann.get("/work"))
        connection = http.client.HTTPConnection(address.partition("//")[2], timeout=30)
        cookie = "; ".join(f"{name}={value}" for name, value in ann.cookies.items())
        headers = {"Content-Type": kind, "Cookie": cookie}
        connection.request("POST", f"/i/{item}", body=body, headers=headers)
        told = connection.getresponse()
        assert told.status == status
        assert told.headers["Content-Security-Policy"] == POLICY
        told.read()
        connection.close()
        assert votes_of(ground) == []
        assert "could not be made" not in caplog.text


def test_a_packed_body_is_measured_unpacked(ground):
    with served(ground) as (address, _):
        ann = entered(address, ground)
        body = gzip.compress(b"comment=" + b"a" * 100_000_000)
        assert len(body) < 200_000
        connection = http.client.HTTPConnection(address.partition("//")[2], timeout=30)
        headers = {"Content-Type": PLAIN, "Content-Encoding": "gzip"}
        connection.request("POST", f"/i/{item_of(ann.get('/work'))}", body=body, headers=headers)
        assert connection.getresponse().status == 413
        connection.close()


STRANGE = (
    *("/i/%00", "/i/%ff%fe", "/i/..%2f..%2fetc/passwd", f"/i/{'a' * 7000}", "/r/%ff", "/r/%00"),
    *("/a/..%2f..%2f/seal.py", "/a/x/..%2freview.css", "/m/%00/%00", "/start/%ff", "/start/-"),
    *("//evil.example", "/%5cevil.example", "/own/..%2fshell.css", "/..%2f.befit/web.key"),
    *("/review-keys/", "/.befit/workspace.db", "/r/'%20or%201=1--", "/trials?page=%ff"),
)


def test_strange_addresses_lead_nowhere(ground, caplog):
    with served(ground) as (address, link):
        ann, owner = entered(address, ground), Client(address)
        owner.enter(link, name="Olga")
        for path in STRANGE:
            for who in (ann, owner):
                told = who.ask("GET", path)
                assert told.status in {403, 404, 429} or path.startswith("/trials"), path
                assert b"PLTE" not in told.body
                assert told.header("Location") == ""
        assert "could not be made" not in caplog.text


def written_past(ground, change):
    """Change a study's body in the database, as somebody with an editor would."""
    with sqlite3.connect(ground.workspace.folder / "workspace.db") as raw:
        (body,) = raw.execute("SELECT body FROM review_studies").fetchone()
        made = pack({**unpack(body), **change})
        raw.execute("UPDATE review_studies SET body = ?, state = ?", (made, change["state"]))


@pytest.mark.parametrize("state", ["closed", "unblinded"])
def test_a_state_written_into_the_database_opens_nothing(ground, state):
    reviews, study_id = ground.workspace.reviews, ground.study_id
    written_past(ground, {"state": state, "closed_at": AT})
    with pytest.raises((StoreError, ForbiddenError), match=r"audit trail|was not unblinded"):
        states.unblind(reviews, study_id, at=AT, by="Eve")
    assert reviews.part(study_id, "mapping", "mapping") is None
    with served(ground) as (address, link):
        owner = Client(address)
        owner.enter(link, name="Olga")
        for path in ("/result", "/notes", "/trials"):
            assert owner.ask("GET", path).status in {200, 403, 503}
        token = form_token(owner.get("/board"))
        owner.ask("POST", "/state/unblind", {"form_token": token, "sure": "1"})
        assert [one for one in leaks(owner.told, ground) if ": identity" in one] == []


def test_a_study_opened_again_in_the_database_can_never_be_used(ground):
    """Whoever unblinded, opened it again past befit and voted, is told apart."""
    reviews, study_id = ground.workspace.reviews, ground.study_id
    states.close(reviews, study_id, at=AT, by="Olga")
    states.unblind(reviews, study_id, at=AT, by="Olga")
    written_past(ground, {"state": "open"})
    states.close(reviews, study_id, at=AT, by="Olga")
    with pytest.raises(StoreError, match="cannot be"):
        states.unblind(reviews, study_id, at=AT, by="Olga")
