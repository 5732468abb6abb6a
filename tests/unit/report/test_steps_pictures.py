"""Turns and steps are drawn, one line a candidate, and what they say stands above."""

from __future__ import annotations

from types import SimpleNamespace

from befit.analysis.results import ChainCurve, StepSurvival, TurnCurve
from befit.core.estimate import Estimate
from befit.report.falling import NO_FALL, fall_words
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
    assert turns_say(curves) == ("a falls from 90 % [70, 97] to 30 % [15, 50] at turn 3.",)
    (picture,) = turn_picture(ANALYSIS, curves)
    assert picture.count('class="course c1"') == 2  # one for each layout
    assert picture.count('class="course c2') == 2
    assert turns_say(curves[1:]) == (NO_FALL,)


def test_a_single_turn_is_no_curve():
    assert turn_picture(ANALYSIS, [turns("a", STEADY)]) == ()


def test_chains_stay_whole_between_the_steps_at_which_some_broke():
    broke = StepSurvival(step=2, at_risk=10, failed=4, alive=rate(0.6, 0.3, 0.8))
    chain = ChainCurve(
        candidate="a",
        scenario="talk",
        n_chains=10,
        n_missing=0,
        longest=4,
        points=(broke,),
        unbroken=rate(1.0, 0.7, 1.0),
    )
    (picture,) = chain_picture(ANALYSIS, [chain])
    rows = [row.split("</td>")[1:2] for row in picture.split("<tr>")[2:]]
    assert len(rows) == 5  # the start, at which all are whole, and four steps
    assert picture.count("60 % [30, 80]") >= 3
    assert "Whole after step 4: a 60 % [30, 80]." in picture
    assert "100 % [70, 100]" in picture
    assert "[no bounds]" not in picture


def test_a_fall_is_told_from_where_it_lasts_and_a_dip_as_one():
    def told(*rates):
        return fall_words("a", ((f"turn {n}", rate(*one)) for n, one in enumerate(rates, start=1)))

    assert told(STEADY, FALLING, STEADY, FALLING).endswith(" at turn 4.")
    dip = told(STEADY, FALLING, (0.2, 0.1, 0.4), STEADY)
    assert dip == "a dips from 90 % [70, 97] to 20 % [10, 40] at turn 3, and comes back."
    assert told(STEADY, (0.6, 0.4, 0.8)) == ""


def test_more_candidates_than_one_picture_shows_have_further_pictures():
    names = tuple(f"c{n}" for n in range(8))
    curves = [turns(name, STEADY, FALLING) for name in names]
    pictures = turn_picture(SimpleNamespace(candidates=names), curves)
    assert len(pictures) == 2
    assert all(any(f">{name}<" in picture for picture in pictures) for name in names)
