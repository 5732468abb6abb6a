"""What reviewers do at the desk: calibration, work, drafts, going back, leases, cycles, notes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from befit.core.message import Message
from befit.errors import ForbiddenError, UsageError
from befit.review import states
from befit.review.board import board, unblinded_result
from befit.review.concluding import named
from befit.review.cycles import drift
from befit.review.desk import Desk, load_pool
from befit.review.material import Source
from befit.review.notes import add_note, change_note, notes, notes_of_study, overdue
from befit.review.pages import Halt
from befit.review.pick import choose_fresh
from befit.review.records import Ballot, Change, Item, Observation
from befit.review.rows import read_rows
from befit.review.settings import Settings
from befit.review.shown import field_table
from review_world import AT, NAMES, RIGHT, honest, source, world


def wrong(shown):
    return {"left": "right", "right": "left"}.get(honest(shown), "tie")


def test_calibration_tells_right_and_wrong_and_lets_through_who_is_right(tmp_path):
    one = world(tmp_path, calibration=5)
    ann = one.person("Ann")
    for number in range(1, 6):
        shown = one.desk().next_item(ann)
        assert (shown.stage, shown.number, shown.progress.total) == ("calibration", number, 5)
        # four of five is 80 %
        told = one.vote(ann, shown, wrong(shown) if number == 2 else honest(shown)).feedback
        assert told.right == (number != 2)
        assert told.expected == honest(shown)
        assert told.why == "It is four."
        assert told.passed == (True if number == 5 else None)
    assert one.desk().next_item(ann).stage == "work"


def test_who_fails_calibration_may_try_once_more_and_then_waits_for_the_owner(tmp_path):
    one = world(tmp_path, calibration=5)
    ann = one.person("Ann")
    seen, told = [], []
    for _ in range(10):
        shown = one.desk().next_item(ann)
        seen.append(shown.left.turns[0].user)
        told.append(one.vote(ann, shown, wrong(shown)).feedback)
    assert len(set(seen)) == 10  # the second attempt has fresh items as long as there are any
    assert (told[4].passed, told[4].retry) == (False, True)
    assert (told[9].passed, told[9].retry) == (False, False)
    assert one.desk().next_item(ann).stop == "calibration failed"
    assert board(one.reviews, one.id, now=one.now).people[0].calibrated is False


def test_a_calibration_answer_cannot_be_changed_after_it_was_told(tmp_path):
    one = world(tmp_path, calibration=2)
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    assert one.vote(ann, shown, wrong(shown)).feedback.right is False
    assert one.vote(ann, shown, honest(shown)).feedback.right is False
    assert one.desk().undo(ann, request_id="u") is None


def test_each_pair_gets_its_reviewers_and_nobody_sees_one_twice(tmp_path):
    one = world(tmp_path, settings={"pairs": 12, "per_pair": 2})
    for name in ("Ann", "Ben", "Cem"):
        seen, end = one.work(one.person(name), honest)
        texts = [(s.left.turns[0].user, *sorted((s.left.turns[1:] or s.left.turns[0].answer,
                  s.right.turns[0].answer))) for s in seen]  # fmt: skip
        assert len(set(texts)) == len(texts)
        assert isinstance(end, Halt)
    rows = read_rows(one.reviews, one.id, load_pool(one.reviews, one.id))
    assert Counter(Counter(row.item for row in rows).values()) == {2: 12}
    assert board(one.reviews, one.id, now=one.now).wanted == 24


def test_the_overlap_says_how_many_pairs_are_judged_twice(tmp_path):
    sources = [source(i, name) for i in range(100) for name in NAMES[:2]]
    one = world(tmp_path, sources=sources, settings={"pairs": 100, "per_pair": 3, "overlap": 0.2})
    pool = load_pool(one.reviews, one.id)
    needed = Counter(pool.needed(item, one.made.study) for item in pool.work.values())
    # binomial(100, 0.2): 99.9 % lie within 20 +- 13
    assert set(needed) == {1, 3}
    assert 7 <= needed[3] <= 33


def test_an_item_that_was_begun_is_given_again_and_its_draft_is_there(tmp_path):
    one = world(tmp_path)
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    assert one.desk().save_draft(ann, shown.token, {"comment": "half"}, number=3)
    again = Desk(one.reviews, one.id, clock=lambda: one.now).next_item(ann)  # started again
    assert (again.token, again.draft, again.draft_number) == (shown.token, {"comment": "half"}, 3)


def test_a_lease_keeps_others_away_and_runs_out(tmp_path):
    sources = [source(0, name) for name in NAMES[:2]]
    one = world(tmp_path, sources=sources, settings={"pairs": 1, "per_pair": 1})
    ann, ben = one.person("Ann"), one.person("Ben")
    shown = one.desk().next_item(ann)
    assert one.desk().next_item(ben).stop == "nothing now"
    one.now += one.made.study.settings.lease_seconds + 1
    other = one.desk().next_item(ben)
    assert other.token != shown.token
    # the late vote is not lost
    one.vote(ann, shown, "left")
    one.vote(ben, other, "right")
    assert board(one.reviews, one.id, now=one.now).votes == 2
    assert one.desk().next_item(ben).stop == "done"


def test_a_vote_can_be_changed_and_taken_back_until_closing(tmp_path):
    one = world(tmp_path)
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    assert one.vote(ann, shown, "left").revision == 1
    assert one.vote(ann, shown, "right").revision == 2
    assert one.desk().item(ann, shown.token).ballot.verdict == "right"
    back = one.desk().undo(ann, request_id="u1")
    assert back.token == shown.token
    assert back.draft["ballot"]["verdict"] == "right"
    assert one.desk().history(ann) == ()
    states.close(one.reviews, one.id, at=AT, by="owner")
    with pytest.raises(ForbiddenError):
        one.vote(ann, shown, "left")
    assert one.desk().next_item(ann).stop == "closed"


def test_what_a_ballot_lacks_is_told_in_words(tmp_path):
    one = world(tmp_path, settings={"explain": 1.0})
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    assert shown.comment_required

    def refused(words, **ballot):
        with pytest.raises(UsageError, match=words):
            one.desk().vote(ann, shown.token, ballot, request_id="x")

    refused("choose a verdict")
    refused("say why it cannot be judged", verdict="cannot_judge", comment="x")
    refused("reason on this item", verdict="left")
    refused("reason when both are bad", verdict="both_bad")
    refused("no tag 'odd'", verdict="left", comment="x", tags=[{"tag": "odd", "side": "left"}])
    refused("no row 'odd'", verdict="left", comment="x", rubric={"odd": {"left": 1}})
    refused("cannot be read: verdict", verdict="middle")
    assert one.desk().vote(ann, shown.token, {"verdict": "left", "comment": "x"}, request_id="x")


def test_the_day_and_the_quota_have_an_end(tmp_path):
    one = world(tmp_path, settings={"quota": 6, "per_day": 4})
    ann = one.person("Ann")
    seen, end = one.work(ann, honest)
    assert (len(seen), end.stop) == (4, "enough for today")
    one.now += 90_000
    seen, end = one.work(ann, honest)
    assert (len(seen), end.stop) == (2, "done")


def test_a_break_is_due_after_forty_minutes_and_not_after_a_pause(tmp_path):
    one = world(tmp_path, settings={"break_after": 100})
    ann = one.person("Ann")
    for _ in range(5):
        one.vote(ann, one.desk().next_item(ann), "left")
    assert one.desk().progress(ann).break_due
    assert one.desk().progress(ann).minutes_left is not None
    one.now += 1_000
    assert not one.desk().progress(ann).break_due


def test_new_pairs_are_drawn_where_a_vote_removes_most_variance():
    items = [Item(id=f"{cell}{n}", scenario="", sample="", x="", y="", cell=cell)
             for cell in ("a|b", "a|c", "b|c") for n in range(5)]  # fmt: skip
    # a-b is settled by 200 votes; of a-c there is none; b-c has 20 even ones
    cells = {("a|b", "left"): 200, ("b|c", "left"): 10, ("c|b", "left"): 10}
    rng = np.random.default_rng(1)
    drawn = Counter(choose_fresh(items, cells, explore=0.2, rng=rng).cell for _ in range(3_000))
    share = {cell: drawn[cell] / 3_000 for cell in drawn}
    assert share["a|c"] > share["b|c"] > share["a|b"]
    # a fifth is uniform over three pairs: none gets less than 1/15, within its 99.9 % band
    assert share["a|b"] > 1 / 15 - 0.015


def test_gold_attention_and_mirrored_items_look_like_work(tmp_path):
    one = world(
        tmp_path, gold=6,
        sources=[source(i, name) for i in range(60) for name in NAMES],
        settings={"gold": 0.1, "attention": 0.05, "mirrored": 0.1, "pairs": 100, "per_pair": 1},
    )  # fmt: skip
    seen, _ = one.work(one.person("Ann"), honest, most=130)
    assert {s.stage for s in seen} == {"work"}
    rows = read_rows(one.reviews, one.id, load_pool(one.reviews, one.id))
    kinds = Counter(row.purpose for row in rows)
    assert kinds["gold"] >= 3
    assert 1 <= kinds["attention"] <= 0.05 * len(rows) + 1
    first = {row.id: row for row in rows}
    mirrors = [row for row in rows if row.purpose == "mirror"]
    assert len(mirrors) >= 3
    for row in mirrors:
        assert row.item == first[row.mirror_of].item
        assert row.flipped != first[row.mirror_of].flipped
    line = board(one.reviews, one.id, now=one.now).quality[0]
    assert (line.gold.value, line.attention_missed, line.self_consistency.value) == (1.0, 0, 1.0)


def test_which_model_is_it_is_asked_at_the_end_about_a_tenth(tmp_path):
    one = world(tmp_path, settings={"guess": 0.1, "pairs": 20, "per_pair": 1})
    ann = one.person("Ann")
    seen, end = one.work(ann, honest)
    assert (len(seen), end.stop) == (20, "guesses")
    desk, asked = one.desk(), 0
    while (page := desk.next_guess(ann)) is not None:
        assert page.names == tuple(sorted(NAMES))
        with pytest.raises(UsageError):
            desk.guess(ann, page.token, named="somebody")
        desk.guess(ann, page.token, named="" if asked else NAMES[0])
        asked += 1
    assert asked == 2  # a tenth of 20
    assert desk.next_item(ann).stop == "done"
    states.close(one.reviews, one.id, at=AT, by="owner")
    found = unblinded_result(one.reviews, *states.unblind(one.reviews, one.id, at=AT, by="o"))
    assert found.guessing.chance == pytest.approx(1 / 3)
    assert (found.guessing.right.n_samples, found.guessing.no_idea.n_samples) == (1, 2)


def test_a_study_of_single_answers_asks_for_no_comparison(tmp_path):
    one = world(tmp_path, settings={"kind": "ratings", "pairs": 6, "per_pair": 2})
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    assert (shown.kind, shown.right, shown.verdicts) == ("ratings", None, ("cannot_judge",))
    with pytest.raises(UsageError, match="rate at least one row"):
        one.desk().vote(ann, shown.token, Ballot(), request_id="x")
    with pytest.raises(UsageError, match="no comparison"):
        one.desk().vote(ann, shown.token, Ballot(verdict="left"), request_id="x")
    for name in ("Ben", "Cem"):
        who = one.person(name)
        number = 0
        while not isinstance(item := one.desk().next_item(who), Halt):
            number += 1
            one.now += 30.0
            value = 4 if item.left.turns[0].answer.endswith("b") else 2
            ballot = Ballot(rubric={"relevance": {"left": value}})
            one.desk().vote(who, item.token, ballot, request_id=f"{name}{number}")
    states.close(one.reviews, one.id, at=AT, by="owner")
    found = unblinded_result(one.reviews, *states.unblind(one.reviews, one.id, at=AT, by="o"))
    assert found.preference is None
    assert found.n_votes == 11  # one place is Ann's
    # 2 on the scale 1..4 is a third of the way from the worst anchor to the best
    assert {round(r.score.value, 6) for r in found.rubric} <= {round(1 / 3, 6), 1.0}
    assert found.rubric_agreement[0].row == "relevance"


def test_a_study_of_pairs_has_guidelines_and_two_worked_examples_of_its_own_accord(tmp_path):
    one = world(tmp_path, sources=[source(1, n) for n in ("friendly", "letter")])
    told = one.desk().welcome(one.person("Ann"))  # its words are no names: all studies have them
    assert [w.verdict for w in told.worked] == ["right", "both_bad"]
    assert "longer answer is not a better one" in told.guidelines
    assert Settings(kind="ratings").worked == ()
    assert Settings(worked=(), guidelines="Be kind.").guidelines == "Be kind."


def test_an_adjudicator_gets_what_others_disagree_on_blind_as_well(tmp_path):
    one = world(tmp_path, settings={"pairs": 4, "per_pair": 2})
    for name, sign in (("Ann", 1), ("Ben", -1)):
        who = one.person(name)
        for _ in range(4):
            shown = one.desk().next_item(who)
            first = shown.left.turns[0].answer < shown.right.turns[0].answer
            one.vote(who, shown, "left" if first == (sign > 0) else "right")
    made = board(one.reviews, one.id, now=one.now).agreement
    assert len(made.disputed) == 4
    judge = one.person("Eva", adjudicator=True)
    seen, end = one.work(judge, lambda _: "left")
    assert (len(seen), end.stop) == (4, "done")
    after = board(one.reviews, one.id, now=one.now)
    assert (len(after.agreement.disputed), after.agreement.adjudicated) == (0, 4)
    assert after.votes == 8  # adjudications are no votes


def test_a_recalibration_shows_how_far_a_reviewer_has_moved(tmp_path):
    one = world(tmp_path, gold=3, settings={"pairs": 10, "per_pair": 1, "gold": 0.0})
    ann = one.person("Ann")
    rubric = {"relevance": {"left": 2, "right": 2}}
    for _ in range(10):
        one.vote(ann, one.desk().next_item(ann), "left", rubric=rubric)
    states.close(one.reviews, one.id, at=AT, by="owner")
    states.begin_cycle(one.reviews, one.id, at=AT, by="owner")
    seen = []
    while not isinstance(shown := one.desk().next_item(ann), Halt):
        assert shown.stage == "cycle"
        known = RIGHT in (shown.left.turns[0].answer, shown.right.turns[0].answer)
        verdict = honest(shown) if known else ("left" if len(seen) % 2 else "right")
        one.vote(ann, shown, verdict, rubric={"relevance": {"left": 3, "right": 3}})
        seen.append(known)
    assert (seen.count(True), seen.count(False)) == (3, 5)
    states.end_cycle(one.reviews, one.id, at=AT, by="owner")
    assert isinstance(one.desk().next_item(ann), Halt)
    before, after = drift(read_rows(one.reviews, one.id, load_pool(one.reviews, one.id)))
    assert (before.cycle, before.same.value) == (0, None)
    assert (after.cycle, after.gold.value) == (1, 1.0)
    assert after.same.n_samples == 5
    # from 2 to 3 is a third of the scale
    assert after.rubric_shift.value == pytest.approx(1 / 3)
    # and it is no work: the votes of the study stay ten
    assert board(one.reviews, one.id, now=one.now).votes == 10


def test_observations_become_records_with_trial_and_candidate_once(tmp_path):
    sources = [source(i, name, key_ids=(f"key-{i}-{name}",)) for i in range(4) for name in NAMES]
    one = world(tmp_path, sources=sources)
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    seen = Observation(side="right", seen="invents a source", severity=4, tag="wrong fact")
    one.vote(ann, shown, "left", observations=(seen,))
    assert notes(one.reviews) == []
    states.close(one.reviews, one.id, at=AT, by="owner")
    study, mapping = states.unblind(one.reviews, one.id, at=AT, by="owner")
    rows = named(read_rows(one.reviews, one.id, load_pool(one.reviews, one.id)), mapping)
    (made,) = notes_of_study(one.reviews, study, rows, mapping, at=AT)
    assert notes_of_study(one.reviews, study, rows, mapping, at=AT) == []
    # the right answer, as it was shown, ends with the last letter of its candidate
    assert made.candidate[-1] == shown.right.turns[0].answer[-1]
    assert made.trial == f"key-{made.sample.removeprefix('q')}-{made.candidate}"
    assert (made.seen, made.severity, made.state) == ("invents a source", 4, "open")


def test_a_record_keeps_its_history_and_falls_due(tmp_path):
    one = world(tmp_path)
    given = {"trial": "k1", "candidate": NAMES[0], "seen": "too long", "severity": 2}
    made = add_note(one.reviews, given, at=AT, by="Ann", days=90)
    assert made.due_at.startswith("2026-05-30")
    assert overdue(notes(one.reviews), now="2026-05-29T00:00:00+00:00") == []
    assert len(overdue(notes(one.reviews), now="2026-06-01T00:00:00+00:00")) == 1
    step = Change(at="2026-06-02T00:00:00+00:00", author="Ben", state="revised", why="worse",
                  severity=3)  # fmt: skip
    after = change_note(one.reviews, made.id, step)
    assert (after.severity, after.seen, after.state) == (3, "too long", "revised")
    assert [(c.author, c.severity, c.why) for c in after.history] == [("Ben", 2, "worse")]
    assert overdue(notes(one.reviews), now="2026-06-10T00:00:00+00:00") == []
    with pytest.raises(UsageError, match="what was seen"):
        change_note(one.reviews, made.id, Change(at=AT, author="B", state="revised"))
    gone = change_note(one.reviews, made.id, Change(at=AT, author="Ben", state="withdrawn"))
    assert len(gone.history) == 2
    assert overdue(notes(one.reviews), now="2027-01-01T00:00:00+00:00") == []
    with pytest.raises(UsageError, match="withdrawn"):
        change_note(one.reviews, made.id, step)
    with pytest.raises(UsageError, match="seen"):
        add_note(one.reviews, {**given, "seen": ""}, at=AT, by="Ann")


def test_a_conversation_is_shown_turn_by_turn_with_the_mistake_marked(tmp_path):
    said = (("user", "two and two?"), ("assistant", "5"), ("user", "no"), ("assistant", "4"))
    turns = tuple(Message(role=role, content=text) for role, text in said)
    sources = [Source(scenario="s", sample="q", candidate=name, turns=turns, marked_turn=1)
               for name in NAMES[:2]]  # fmt: skip
    one = world(tmp_path, sources=sources)
    shown = one.desk().next_item(one.person("Ann"))
    assert [(t.user, t.answer, t.marked) for t in shown.left.turns] == [
        ("two and two?", "5", False), ("no", "4", True)
    ]  # fmt: skip


def test_json_too_deep_or_too_long_for_a_table_is_shown_as_text():
    for deep in (*range(930, 1010), 100_000):
        text = '{"a": ' + "[" * deep + "]" * deep + "}"
        assert len(field_table(text, text)) <= 1
    assert field_table('{"a": "' + "x" * 600_000 + '"}', "{}") == ()


def test_json_answers_get_a_field_table(tmp_path):
    text = '{"total": 12, "vat": null, "who": {"name": "A"}}'
    other = text.replace("null", '"DE1"')
    texts = {NAMES[0]: text, NAMES[1]: f"```json\n{other}\n```"}
    sources = [source(0, name, texts[name], document="Invoice 12") for name in texts]
    one = world(tmp_path, sources=sources, settings={"style": "raw"})
    shown = one.desk().next_item(one.person("Ann"))
    assert shown.source == "Invoice 12"
    rows = {row.name: (row.left, row.right, row.differs) for row in shown.fields}
    assert rows["total"] == ("12", "12", False)
    assert rows["who.name"] == ("A", "A", False)
    assert set(rows["vat"][:2]) == {"null", "DE1"}
    assert rows["vat"][2]
