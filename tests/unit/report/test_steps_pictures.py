"""Turns and steps are drawn, one line a candidate, and what they say stands above."""

from __future__ import annotations

from types import SimpleNamespace

from befit.analysis.results import ChainCurve, StepSurvival, TurnCurve
from befit.core.estimate import Estimate
from befit.report.steps_view import chain_picture, turn_picture, turns_say

ANALYSIS = SimpleNamespace(candidates=("a", "b"))


def rate(value, low, high):
    return Estimate(
        value=value, low=low, high=high, n_samples=20, n_trials=20, n_missing=0, method="t"
    )


def turns(name, *rates):
    found = tuple((n, rate(*one)) for n, one in enumerate(rates, start=1))
    return TurnCurve(candidate=name, scenario="talk", turns=found)


STEADY, FALLING = (0.9, 0.7, 0.97), (0.3, 0.15, 0.5)


def test_the_turn_at_which_answers_first_fall_is_told_and_drawn():
    curves = [turns("a", STEADY, STEADY, FALLING, FALLING), turns("b", STEADY, STEADY)]
    assert turns_say(curves) == "a falls from 90 % to 30 % at turn 3."
    (picture,) = turn_picture(ANALYSIS, curves)
    assert picture.count('class="course c1"') == 2  # one for each layout
    assert picture.count('class="course c2') == 2
    assert turns_say(curves[1:]) == "No turn is told from the first by its interval."


def test_a_single_turn_is_no_curve():
    assert turn_picture(ANALYSIS, [turns("a", STEADY)]) == ()


def test_chains_stay_whole_between_the_steps_at_which_some_broke():
    broke = StepSurvival(step=2, at_risk=10, failed=4, alive=rate(0.6, 0.3, 0.8))
    chain = ChainCurve(
        candidate="a", scenario="talk", n_chains=10, n_missing=0, longest=4, points=(broke,)
    )
    (picture,) = chain_picture(ANALYSIS, [chain])
    rows = [row.split("</td>")[1:2] for row in picture.split("<tr>")[2:]]
    assert len(rows) == 5  # the start, at which all are whole, and four steps
    assert picture.count("60 % [30, 80]") >= 3
    assert "a: 60 % whole after step 4." in picture
