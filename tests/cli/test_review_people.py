"""`befit review renew`, `withdraw` and the bounds of the options, on a study made elsewhere."""

from __future__ import annotations

import pytest

from befit.review.desk import Desk
from befit.review.notes import add_note
from befit.review.people import reviewers
from befit.storage.workspace import Workspace
from cli_ground import befit
from review_world import world


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = world(tmp_path / ".befit")
    made.workspace.close()
    return made.id


def entered(study, path):
    with Workspace.open(".befit") as workspace:
        return Desk(workspace.reviews, study).enter(path.removeprefix("/r/"))


def test_a_lost_link_is_replaced_and_the_old_one_is_good_no_more(study):
    old = befit("review", "invite", "Ann", "--json").data["path"]
    told = befit("review", "renew", "ann", "--days", "3", "--json")
    assert told.code == 0, told.err
    new = told.data["path"]
    assert entered(study, old) is None
    again = entered(study, new)
    assert (again.name, again.id) == ("Ann", told.data["reviewer"])
    refused = befit("review", "renew", "Bob")
    assert refused.code == 2
    assert "nobody called 'Bob' is invited" in refused.err


def test_withdrawing_asks_first_and_is_for_good(study):
    path = befit("review", "invite", "Ann", "--json").data["path"]
    refused = befit("review", "withdraw", "Ann")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert entered(study, path) is not None
    assert befit("review", "withdraw", "Ann", "--yes").code == 0
    assert entered(study, path) is None
    with Workspace.open(".befit") as workspace:
        assert [one.revoked for one in reviewers(workspace.reviews, study).values()] == [True]
    for again in (
        ("withdraw", "Ann", "--yes"),
        ("renew", "Ann"),
        ("packet", "Ann", "--out", "ann.html"),
    ):
        told = befit("review", *again)
        assert told.code == 2
        assert "withdrawn" in told.err


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--port", "99999"),
        ("serve", "--port", "-1"),
        ("packet", "Ann", "--out", "a.html", "--items", "0"),
        ("invite", "Ann", "--days", "-1"),
        ("invite", "Ann", "--days", "99999999999"),
        ("renew", "Ann", "--days", "-1"),
    ],
)
def test_numbers_out_of_bounds_are_told_in_a_line(words):
    told = befit("review", *words)
    assert told.code == 2
    assert "Input should be" in told.err
    assert "internal" not in told.err


@pytest.mark.usefixtures("study")
def test_a_name_of_hidden_signs_is_told_as_one():
    told = befit("review", "invite", "\x1b\u202e")
    assert told.code == 2
    assert "nothing but hidden signs" in told.err
    told = befit("review", "invite", "Ann\u202e")
    assert told.code == 2
    assert "the name has hidden signs in it" in told.err


@pytest.mark.usefixtures("study")
def test_ending_a_recalibration_that_is_not_on_is_refused():
    told = befit("review", "recalibrate", "--end")
    assert told.code == 2
    assert "has no recalibration that is on" in told.err
    assert befit("review", "recalibrate").code == 0
    assert befit("review", "recalibrate", "--end").code == 0
    assert befit("review", "recalibrate", "--end").code == 2


def test_one_is_no_many_and_a_withdrawn_record_is_not_due(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["sample,left,right,winner,reviewer", "q1,red,blue,left,Ann"]
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n")
    told = befit("review", "import", "votes.csv")
    assert "1 vote on 1 pair, closed" in told.out
    told = befit("review", "unblind").out
    assert "1 vote counts, 0 left out, 0 could not be judged" in told
    assert "1 vote of 1 reviewer, alpha" in told
    assert "(1 vote, 1 pair, 1 reviewer, ties" in told
    with Workspace.open(".befit") as workspace:
        given = {"trial": "t", "candidate": "red", "seen": "a slip", "severity": 2}
        made = add_note(workspace.reviews, given, at="2026-01-01T00:00:00+00:00", by="Ann")
    told = befit("note", made.id, "gone", "--mark", "withdrawn")
    assert told.code == 0, told.err
    assert "is withdrawn" in told.out
    assert "due" not in told.out
