"""A model judge stands beside people: agreement, its own biases, corrected rates, wordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.review.agreeing import raw_agreement
from befit.review.judges import Judged, choose_wording, half_of, judge_against_people
from review_rows import row


def judged_world():
    rng = np.random.default_rng(6)
    rows, judged = [], []
    for n in range(200):
        longer = n % 2 == 0
        truth = "left" if rng.random() < 0.7 else "right"
        for who in ("p", "q", "r"):
            said = truth if rng.random() < 0.9 else ("right" if truth == "left" else "left")
            rows.append(row(n, said, who=who, item=f"i{n}"))
        score = float(truth == "left") if rng.random() < 0.8 else float(longer)
        lengths = (300.0, 100.0) if longer else (100.0, 300.0)
        judged.append(Judged(item=f"i{n}", x="a", y="b", score=score, lengths=lengths))
    return rows, judged


def test_a_judge_stands_beside_the_agreement_of_two_people():
    rows, judged = judged_world()
    found = judge_against_people("judge", judged, rows, needed=0.6, family=frozenset({"a"}))
    by_item = {one.item: one.score for one in judged}
    same = np.mean([(by_item[r.item] > 0.5) == (r.outcome == "left") for r in rows])
    assert found.agreement.value == pytest.approx(same)
    assert found.human_human.value == pytest.approx(raw_agreement(rows).value)
    # people ignore length here, a fifth of the judge's verdicts go to the longer answer
    assert 0.0 < found.length_bias.low < found.length_bias.value < 0.25
    assert found.may_gate
    strict = judge_against_people("judge", judged, rows, needed=0.95)
    assert not strict.may_gate
    assert strict.word == "uncalibrated judge"
    assert strict.family_bias.value is None


def test_a_judge_that_changes_with_the_order_is_told_so():
    judged = [Judged(item=f"i{n}", x="a", y="b", score=1.0, order="as is") for n in range(40)]
    # 28 stay, 12 change, of which 10 for the first place: p = .038574
    judged += [Judged(item=f"i{n}", x="a", y="b", score=1.0 if n < 28 else 0.0, order="swapped")
               for n in range(38)]  # fmt: skip
    judged += [Judged(item=f"i{n}", x="a", y="b", score=0.0, order="swapped") for n in (38, 39)]
    judged[38] = replace(judged[38], score=0.0)
    judged[39] = replace(judged[39], score=0.0)
    for n in (38, 39):
        judged = [replace(one, score=1.0) if one.item == f"i{n}" and one.order == "swapped" else one
                  for one in judged]  # fmt: skip
    rows = [row(n, "left", item=f"i{n}") for n in range(40)]
    found = judge_against_people("judge", judged, rows, needed=0.7)
    assert found.flip_rate.value == pytest.approx(12 / 40)
    assert found.first_p == pytest.approx(0.038574, abs=1e-6)


def test_judged_rates_are_corrected_by_the_votes():
    rows, judged = judged_world()
    few = [r for r in rows if int(r.item[1:]) < 60]
    found = dict(judge_against_people("judge", judged, few, needed=0.6).corrected)
    truth = np.mean([r.outcome == "left" for r in rows])
    assert found["a"].low <= truth <= found["a"].high
    assert found["a"].method.startswith("ppi++")
    assert found["a"].value == pytest.approx(1 - found["b"].value)


def test_the_best_wording_is_chosen_on_one_half_and_told_on_the_other():
    rows, judged = judged_world()
    bad = [replace(one, score=1 - one.score) for one in judged]
    found = {one.name: one for one in choose_wording({"good": judged, "bad": bad}, rows)}
    assert found["good"].proposed
    assert not found["bad"].proposed
    halves = [r for r in rows if half_of(r.sample) == 1]
    by_item = {one.item: one.score for one in judged}
    wanted = np.mean([(by_item[r.item] > 0.5) == (r.outcome == "left") for r in halves])
    assert found["good"].reported_on.value == pytest.approx(wanted)
    assert found["good"].chosen_on.n_trials + found["good"].reported_on.n_trials == len(rows)
