"""A reviewer's work as one file: it goes out, comes back, and is checked."""

from __future__ import annotations

import json

import pytest

from befit.errors import DataError, UsageError
from befit.review.app.view import CUT
from befit.review.board import board
from befit.review.desk import load_pool
from befit.review.packet import make_packet, take_packet
from befit.review.people import reviewers, revoke
from befit.review.rows import read_rows
from review_world import NAMES, source, world


def test_a_packet_goes_round_without_a_server(tmp_path):
    one = world(tmp_path, settings={"pairs": 10}, calibration=2)
    ann = one.person("Ann")
    page = make_packet(one.reviews, one.id, ann, items=5, clock=lambda: one.now)
    head = json.loads(page.split('id="packet">')[1].split("</script>")[0])
    assert len(head["items"]) == 5
    assert "default-src 'none'" in page
    one.now += 10 * 86_400
    answers = {token: {"verdict": "left"} for token in head["items"][:4]}
    answers[head["items"][3]] = {"verdict": "both_bad"}
    answers["0" * 24] = {"verdict": "left"}
    taken = take_packet(one.reviews, {**head, "answers": answers}, clock=lambda: one.now)
    assert (taken.reviewer, taken.new, taken.known) == ("Ann", 3, 0)
    strange, short = taken.problems
    assert strange == "1 answer is not of this packet"
    assert short.startswith("item 4: write a short reason")
    again = take_packet(one.reviews, {**head, "answers": answers}, clock=lambda: one.now)
    assert (again.new, again.known) == (0, 3)
    assert board(one.reviews, one.id, now=one.now).votes == 3


def test_another_answer_to_the_same_item_is_told_and_not_taken_in_silence(tmp_path):
    one = world(tmp_path)
    page = make_packet(one.reviews, one.id, one.person("Ann"), items=1, clock=lambda: one.now)
    head = json.loads(page.split('id="packet">')[1].split("</script>")[0])
    (token,) = head["items"]

    def take(verdict, **more):
        answers = {token: {"verdict": verdict}}
        return take_packet(one.reviews, {**head, "answers": answers}, clock=lambda: one.now, **more)

    assert take("left").new == 1
    older = take("right")
    assert (older.new, older.known) == (0, 0)
    assert older.problems == (
        "item 1: another answer was taken in before; --replace takes this one",
    )
    assert take("right", replace=True).new == 1
    assert one.reviews.work.vote_on(token).body["verdict"] == "right"
    # the file that is given with --replace becomes current, also one that was taken in before
    for verdict in ("tie", "left", "tie"):
        assert take(verdict, replace=True).new == 1
        assert one.reviews.work.vote_on(token).body["verdict"] == verdict
    assert take("tie", replace=True).known == 1
    assert len(read_rows(one.reviews, one.id, load_pool(one.reviews, one.id))) == 1


def test_whoever_was_withdrawn_gets_no_packet(tmp_path):
    one = world(tmp_path)
    ann = one.person("Ann")
    revoke(one.reviews, one.id, ann.id, at="2026-01-01T00:00:00+00:00", by="owner")
    gone = reviewers(one.reviews, one.id)[ann.id]
    with pytest.raises(UsageError, match="link of 'Ann' was withdrawn"):
        make_packet(one.reviews, one.id, gone, items=1, clock=lambda: one.now)


def test_a_lost_packet_is_made_again_out_of_what_nobody_has_answered(tmp_path):
    one = world(tmp_path)
    ann = one.person("Ann")

    def made(items):
        page = make_packet(one.reviews, one.id, ann, items=items, clock=lambda: one.now)
        return json.loads(page.split('id="packet">')[1].split("</script>")[0])

    head = made(400)
    first, *others = head["items"]
    answers = {first: {"verdict": "left"}}
    take_packet(one.reviews, {**head, "answers": answers}, clock=lambda: one.now)
    assert sorted(made(400)["items"]) == sorted(others)


def test_a_packet_that_was_altered_or_is_of_somebody_else_is_refused(tmp_path):
    one = world(tmp_path)
    ann, ben = one.person("Ann"), one.person("Ben")
    page = make_packet(one.reviews, one.id, ann, items=2, clock=lambda: one.now)
    head = json.loads(page.split('id="packet">')[1].split("</script>")[0])
    for change in ({"reviewer": ben.id}, {"seal": "0" * 64}, {"items": head["items"][:1]},
                   {"format": "other"}, {"study": "v-other"}):  # fmt: skip
        with pytest.raises(DataError):
            take_packet(one.reviews, {**head, "answers": {}, **change})


def test_a_returned_file_that_means_harm_is_told_in_a_few_lines(tmp_path):
    one = world(tmp_path)
    ann = one.person("Ann")
    page = make_packet(one.reviews, one.id, ann, items=2, clock=lambda: one.now)
    head = json.loads(page.split('id="packet">')[1].split("</script>")[0])
    deep = "[" * 400 + "]" * 400
    answers = {f"{n:024x}": {"verdict": "left"} for n in range(10_000)}
    answers[head["items"][0]] = {"verdict": json.loads(deep)}
    answers[head["items"][1]] = {"verdict": "left", "observations": [{"seen": "x"}] * 21}
    taken = take_packet(one.reviews, {**head, "answers": answers}, clock=lambda: one.now)
    assert taken.new == 0
    told = list(taken.problems)
    assert told[0] == "10000 answers are not of this packet"
    assert told[1] == "item 1: the answer is nested too deep"
    assert told[2].startswith("item 2: the vote cannot be read: observations")
    assert len(told) == 3


def test_a_long_answer_is_cut_as_on_the_server_and_the_rest_is_one_press_away(tmp_path):
    sources = [source(i, n, "x" * CUT + "y" * 12_345) for i in range(3) for n in NAMES]
    one = world(tmp_path, sources=sources, settings={"style": "raw"})
    page = make_packet(one.reviews, one.id, one.person("Ann"), items=1, clock=lambda: one.now)
    assert page.count(f"{'x' * CUT}</pre>") == 2  # both sides alike
    more = "<summary>Cut here: show 12,345 characters more</summary>"
    assert page.count(f'{more}<pre dir="auto">{"y" * 12_345}</pre></details>') == 2


def test_hostile_answers_stay_text_in_a_packet(tmp_path):
    bad = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    sources = [source(i, n, f"{bad} {i} {n[-1]}") for i in range(3) for n in NAMES]
    one = world(tmp_path, sources=sources, settings={"style": "raw"})
    page = make_packet(one.reviews, one.id, one.person("Ann"), items=3, clock=lambda: one.now)
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert page.count("<script") == 2  # the data, and our own
