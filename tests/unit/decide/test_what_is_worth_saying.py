"""A decision tells no saving that is none, and advises nothing that buys no certainty."""

from __future__ import annotations

import numpy as np
import pytest

from befit.core.policy import Gate, Policy
from befit.core.tier import Tier
from befit.decide import sensitivity
from befit.decide.amounts import saving_words
from befit.decide.record import decide
from befit.report.decision import saving
from befit.report.decision_markdown import render
from decision_worlds import evidence_of, rates, scenario_of


def world(quality, price, *, n=400, volume=1000, seconds=()):
    cost = np.repeat(np.array(price)[:, None], n, axis=1)
    latency = [np.full(n, own) for own in seconds]
    one = scenario_of("tickets", "triage", rates(quality, n), cost=cost, latency=latency)
    tier = Tier(name="triage", value=0.1, volume_per_month=volume)
    return evidence_of(("first", "second"), [one], [tier])


FLOOR = Gate(metric="pass_rate", floor=0.7)


def test_who_has_a_known_cost_and_is_never_right_saves_nothing_beside_an_unknown_one():
    decision = decide(world((1.0, 0.0), (np.nan, 0.014)), Policy(gates=(FLOOR,)))
    assert decision.tiers[0].candidate == "first"
    (gate,) = decision.constraints
    assert (gate.routes, gate.saving) == ({}, 0.0)


def test_what_a_dropped_gate_saves_is_the_cheaper_ones_difference():
    decision = decide(world((1.0, 0.5), (0.02, 0.001)), Policy(gates=(FLOOR,)))
    (gate,) = decision.constraints
    assert gate.routes == {"triage": "second"}
    assert gate.saving == pytest.approx(1000 * (0.02 - 0.001))
    assert saving_words(gate.saving) == "saves 19.00 USD a month"


def test_a_better_route_that_a_limit_forbids_costs_more_and_saves_nothing():
    policy = Policy(gates=(FLOOR,), prefer="quality", budget_per_month=10)
    decision = decide(world((0.9, 0.99), (0.001, 0.02)), policy)
    (limit,) = (one for one in decision.constraints if one.routes)
    assert limit.routes == {"triage": "second"}
    assert limit.saving == pytest.approx(1000 * (0.001 - 0.02))
    assert saving(limit) == ", costs 19.00 USD more a month"
    assert "triage → second, costs 19.00 USD more a month" in render(decision)
    assert saving_words(0.0) == saving_words(-1e-12) == saving_words(None) == ""


def advised(made):
    found = decide(made, Policy(gates=(FLOOR,), price_doubt=0.15))
    assert found.tiers[0].candidate == "first"
    return found.sensitivity.evidence, [q for q in found.open_questions if "more samples" in q]


def test_no_further_samples_are_advised_that_take_nothing_off_the_doubt(monkeypatch):
    # 18 samples: the first is right on all and cheaper; the second on 10, half as dear again, quick
    made = world((1.0, 0.56), (0.0019, 0.0028), n=18, seconds=(2.0, 1.0))
    assert advised(made) == ((), [])
    monkeypatch.setattr(sensitivity, "WORTHWHILE", 1e-9)
    ((idle,), _) = advised(made)
    assert round(100 * idle.settles) == 0


def test_no_further_samples_are_advised_of_whom_the_chosen_one_beats(monkeypatch):
    monkeypatch.setattr(sensitivity, "WORTHWHILE", 0)
    assert advised(world((1.0, 0.56), (0.0019, 0.0028), n=18)) == ((), [])
    # who is cheaper per task is not idle, though each success of it costs more
    ((second,), (told,)) = advised(world((1.0, 0.56), (0.0019, 0.0015), n=18))
    assert second.candidates == ("second",)
    assert "for second" in told
