"""What the store promises to blind review, on a file and on a server."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from befit.errors import ForbiddenError, StoreError
from befit.storage.review_work import Assigned
from befit.storage.reviews import Part
from befit.storage.workspace import Workspace
from store_places import BOTH, place

BODY = {"run_id": "r-1", "state": "open", "title": "t"}


def assigned(number, *, item="i1", reviewer="ann", **more):
    return Assigned(
        id=f"a{number}", study="v-1", reviewer=reviewer, ordinal=number, item=item, purpose="work",
        cell="p|q", cycle=0, mirror_of=None, flipped=0, state="leased", leased_until=100.0,
        created_at=0.0, shown_at=None, voted_at=None, outcome=None,
    )._replace(**more)  # fmt: skip


@pytest.mark.parametrize("kind", BOTH)
class TestReviews:
    @pytest.fixture(autouse=True)
    def _place(self, kind, tmp_path):
        with ExitStack() as stack:
            self.location = stack.enter_context(place(kind, tmp_path))
            self.workspace = stack.enter_context(Workspace.open(self.location))
            self.reviews = self.workspace.reviews
            self.reviews.create(
                "v-1", BODY, parts={"item work": [Part("i1", {"n": 1}), Part("i2", {"n": 2})]},
                sealed=b"\x00sealed\xff", event=("2026-01-01", "owner"),
            )  # fmt: skip
            yield

    def test_a_study_comes_back_whole_and_in_order(self):
        assert self.reviews.study("v-1") == BODY
        assert list(self.reviews.parts("v-1", "item work")) == ["i1", "i2"]
        assert self.reviews.sealed("v-1") == b"\x00sealed\xff"
        with pytest.raises(StoreError):
            self.reviews.create("v-1", BODY, parts={}, sealed=b"", event=("", ""))
        with pytest.raises(StoreError):
            self.reviews.study("v-2")

    def test_a_part_that_is_put_again_is_replaced_in_its_place(self):
        self.reviews.put("v-1", "item work", [Part("i1", {"n": 9}), Part("i3", {"n": 3})])
        assert self.reviews.parts("v-1", "item work") == {
            "i1": {"n": 9}, "i2": {"n": 2}, "i3": {"n": 3}
        }  # fmt: skip
        self.reviews.put("v-1", "reviewer", [Part("ann", {"name": "Ann\x00"}, "hash")])
        assert self.reviews.look_up("reviewer", "hash") == ("v-1", {"name": "Ann\x00"})
        assert self.reviews.look_up("reviewer", "other") is None

    def test_a_state_is_left_only_from_where_it_may_be(self):
        changed = self.reviews.change(
            "v-1", {"state": "closed"}, only_from=("open",), event=("t", "me", "closed", {"a": 1})
        )
        assert changed["state"] == "closed"
        with pytest.raises(ForbiddenError):
            self.reviews.change("v-1", {"state": "open"}, only_from=("draft",),
                                event=("t", "me", "opened", {}))  # fmt: skip
        assert [event.kind for event in self.reviews.events("v-1")] == ["created", "closed"]
        assert self.reviews.events("v-1")[1].body == {"a": 1}

    def test_a_request_that_is_sent_twice_is_one_vote(self):
        work = self.reviews.work
        work.assign("v-1", "ann", lambda _: assigned(1), now=0.0)
        one = work.vote("a1", {"v": "left"}, request_id="x", outcome="left", now=5.0)
        again = work.vote("a1", {"v": "right"}, request_id="x", outcome="right", now=6.0)
        assert one == again
        assert [vote.body for vote in work.votes("v-1")] == [{"v": "left"}]

    def test_an_edit_is_a_revision_and_an_undo_takes_back(self):
        work = self.reviews.work
        work.assign("v-1", "ann", lambda _: assigned(1), now=0.0)
        work.vote("a1", {"v": 1}, request_id="x", outcome="left", now=5.0)
        work.vote("a1", {"v": 2}, request_id="y", outcome="right", now=6.0)
        assert [vote.revision for vote in work.votes("v-1", every_revision=True)] == [1, 2]
        assert work.vote_on("a1").body == {"v": 2}
        work.vote("a1", {}, request_id="z", outcome=None, now=7.0, withdrawn=True)
        assert work.votes("v-1") == []
        assert work.vote_on("a1") is None
        assert work.assigned("a1").state == "leased"
        assert len(work.votes("v-1", every_revision=True)) == 3

    def test_an_older_draft_never_replaces_a_newer_one(self):
        work = self.reviews.work
        work.assign("v-1", "ann", lambda _: assigned(1), now=0.0)
        assert work.save_draft("a1", {"text": "\x00\ud800"}, number=2, now=1.0)
        assert not work.save_draft("a1", {"text": "old"}, number=1, now=2.0)
        assert work.draft("a1") == (2, {"text": "\x00\ud800"})
        work.vote("a1", {}, request_id="x", outcome="left", now=3.0)
        assert work.draft("a1") is None

    def test_a_closed_study_takes_no_vote_no_draft_and_gives_no_item(self):
        work = self.reviews.work
        work.assign("v-1", "ann", lambda _: assigned(1), now=0.0)
        self.reviews.change("v-1", {"state": "closed"}, only_from=("open",),
                            event=("t", "me", "closed", {}))  # fmt: skip
        with pytest.raises(ForbiddenError):
            work.vote("a1", {}, request_id="x", outcome="left", now=1.0)
        with pytest.raises(ForbiddenError):
            work.save_draft("a1", {}, number=1, now=1.0)
        with pytest.raises(ForbiddenError):
            work.assign("v-1", "ann", lambda _: assigned(2), now=0.0)
        with pytest.raises(ForbiddenError):
            work.bring("v-1", [(assigned(3, state="done"), {}, "r")])

    def test_a_lease_that_has_run_out_is_free_again(self):
        work = self.reviews.work
        work.assign("v-1", "ann", lambda _: assigned(1), now=0.0)
        assert work.standing("v-1", "ben", now=50.0).taken == {"i1": 1}
        assert work.standing("v-1", "ben", now=150.0).taken == {}
        work.vote("a1", {}, request_id="x", outcome="left", now=160.0)
        standing = work.standing("v-1", "ben", now=999.0)
        assert (standing.taken, standing.voted) == ({"i1": 1}, {"i1": 1})
        assert standing.cells == {("p|q", "left"): 1}

    def test_reviewers_who_ask_at_once_never_take_the_same_last_place(self):
        got = []

        def choose(standing):
            number = len(standing.taken) + 1
            me = threading.current_thread().name
            free = [item for item in ("i1", "i2") if not standing.taken.get(item)]
            return assigned(number, item=free[0], reviewer=me) if free else None

        def ask():
            with Workspace.open(self.location) as own:
                me = threading.current_thread().name
                got.append(own.reviews.work.assign("v-1", me, choose, now=0.0))

        threads = [threading.Thread(target=ask, name=f"p{number}") for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(one.item for one in got if one is not None) == ["i1", "i2"]

    def test_votes_brought_from_elsewhere_come_once(self):
        work = self.reviews.work
        brought = [(assigned(n, item="i1", reviewer=f"p{n}", state="done", voted_at=1.0,
                             outcome="left"), {"n": n}, f"row {n}") for n in range(3)]  # fmt: skip
        assert work.bring("v-1", brought) == 3
        assert work.bring("v-1", brought) == 0
        assert len(work.votes("v-1")) == 3
