"""Verdicts weighted by the probability of their token, from the wire to the score."""

from __future__ import annotations

import json
from math import log

import pytest

from befit.core.completion import Completion
from befit.core.message import Message
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.judge import Judge
from befit.scorers.judge_weights import chances, weighted
from befit.storage.trial_record import read_trial, trial_body
from befit.targets.wire.chat import token_chances
from scorer_ground import answered, named

GRADES = (1, 2, 3, 4, 5)


def reply(pieces, *, verdict, beside):
    """A reply whose token `verdict` had `beside` (text -> probability) beside it."""
    told = tuple(
        (piece, log(0.9), tuple((t, log(p)) for t, p in beside.items()) if piece == verdict else ())
        for piece in pieces
    )
    return Completion(text="".join(pieces), logprobs=told)


PIECES = ['{"reason":', ' "r", ', '"verdict', '": ', "4", ', "code": "c"}']


def test_a_grade_is_weighted_by_what_stood_beside_it():
    given = reply(PIECES, verdict="4", beside={"4": 0.6, " 5": 0.3, "3": 0.05, "x": 0.05})
    found = chances(given, GRADES)
    # "x" is no grade: 0.6, 0.3 and 0.05 of 0.95 remain.
    assert found == pytest.approx({4: 0.6 / 0.95, 5: 0.3 / 0.95, 3: 0.05 / 0.95})
    expected = (0.6 * 0.75 + 0.3 * 1.0 + 0.05 * 0.5) / 0.95
    assert weighted(found) == pytest.approx(expected)


def test_a_word_may_be_begun_only_and_the_quote_may_be_in_its_token():
    pieces = ['{"verdict', '":', ' "pa', 'ss", "code": "c"}']
    given = reply(pieces, verdict=' "pa', beside={' "pa': 0.8, ' "fa': 0.2})
    assert weighted(chances(given, ("pass", "fail"))) == pytest.approx(0.8)


@pytest.mark.parametrize(
    "pieces",
    [["no verdict here"], ['{"verdict', '": ', "4", ', "verdict": ', "5"], []],
)
def test_where_the_verdict_cannot_be_placed_nothing_is_weighted(pieces):
    assert chances(reply(pieces, verdict="4", beside={"4": 1.0}), GRADES) == {}
    assert weighted({}) is None


def test_the_scorer_gives_it_beside_the_verdict_and_only_where_all_tell_it():
    judge = Judge(Judge.Options.model_validate({"mode": "scale", "anchors": {1: "bad", 5: "good"}}))
    sample, trial = Sample(id="s", input="?"), answered("an answer")
    (asked,) = judge.ask(sample, trial)
    code = asked.messages[0].text.partition('the text "')[2].partition('"')[0]
    pieces = [*PIECES[:-1], f', "code": "{code}"}}']
    sure = reply(pieces, verdict="4", beside={"4": 0.5, "5": 0.5})
    scores = list(judge.read(sample, trial, [sure]))
    assert named(scores, "judge").value == 1.0
    assert named(scores, "judge_weighted").value == pytest.approx(0.875)
    silent = Completion(text=sure.text)
    assert named(list(judge.read(sample, trial, [silent])), "judge_weighted") is None
    assert named(list(judge.read(sample, trial, [sure, silent])), "judge_weighted") is None


def test_they_are_read_from_a_body_and_kept_in_the_store():
    top = [{"token": "5", "logprob": -1.5}]
    body = {"content": [{"token": "4", "logprob": -0.25, "top_logprobs": top}]}
    told = token_chances(json.loads(json.dumps(body)))
    assert told == (("4", -0.25, (("5", -1.5),)),)
    assert token_chances({"content": [{"no": 1}]}) == ()
    assert token_chances({"content": None}) == ()
    trial = Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(Message(role="assistant", content="4"),),
        completions=(Completion(text="4", logprobs=told),),
    )
    assert read_trial(trial_body(trial)) == trial
