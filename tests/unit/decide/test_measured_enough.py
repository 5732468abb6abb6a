"""Who lacks too many of the planned samples is neither a route nor a fallback, and is told so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.core.policy import Policy
from befit.decide.record import decide
from befit.decide.wording import headline
from decision_worlds import evidence_of, rates, scenario_of

N = 200


def world(*, lost=100, floor=0.8, price=(0.001, 0.004, 0.02), quality=(1.0, 0.98, 0.97)):
    """`holed` has no value on the first `lost` of 200 samples and is right on all others."""
    means = rates(quality, N)
    means[0, :lost] = np.nan
    cost = np.repeat(np.array(price)[:, None], N, axis=1)
    cost[0, :lost] = np.nan
    return evidence_of(
        ("holed", "whole", "other"), [scenario_of("desk", "t", means, cost=cost, floor=floor)]
    )


@pytest.mark.parametrize("floor", [0.8, None])
def test_who_lacks_half_of_its_samples_is_no_route_however_right_the_rest(floor):
    decision = decide(world(floor=floor), Policy())
    found = decision.tiers[0]
    assert (found.outcome, found.candidate) == ("not_decided", "whole")
    assert found.standings[0].verdict == "insufficient_evidence"
    assert found.standings[0].front == "unknown"
    assert found.standings[0].letters == ""
    assert found.standings[0].why == (
        "not measured enough: 100 of the 200 planned samples of desk (50 %) have no value"
    )
    assert (
        "holed is not measured enough: 100 of the 200 planned samples of desk (50 %) have no "
        "value, and at most 5 % may lack one; `befit run` asks for them again"
    ) in headline(found)
    assert found.samples_needed is None


def test_who_lacks_half_of_its_samples_is_no_fallback_and_is_told_of():
    decision = decide(world(price=(0.01, 0.001, 0.02)), Policy())
    found = decision.tiers[0]
    assert (found.outcome, found.candidate, found.fallback) == ("decided", "whole", "other")
    told = [text for text in decision.open_questions if "holed" in text]
    assert len(told) == 1
    assert "100 of the 200 planned samples of desk (50 %) have no value" in told[0]


def test_five_in_a_hundred_may_be_missing_and_not_one_more():
    # 10 of 200 are 5 %; 11 are 5.5 %
    assert decide(world(lost=10), Policy()).tiers[0].candidate == "holed"
    assert decide(world(lost=11), Policy()).tiers[0].candidate == "whole"


def test_a_run_that_stopped_itself_lacks_only_what_it_asked_for():
    evidence = world()
    one = replace(evidence.scenarios[0], asked=np.array([100, 200, 200]))
    found = decide(replace(evidence, scenarios=(one,)), Policy()).tiers[0]
    assert (found.outcome, found.candidate) == ("decided", "holed")


def test_who_is_not_ranked_puts_nobody_out_where_no_gate_is_stated():
    # right on all 100 that it has, where `whole` is right on 70 %: on the shared ones better
    decision = decide(world(floor=None, quality=(1.0, 0.7, 0.7)), Policy())
    assert decision.tiers[0].candidate == "whole"


def test_a_gate_is_not_passed_by_the_half_of_the_samples_that_is_there():
    decision = decide(world(), Policy())
    first, second, _ = decision.verdicts
    assert (first.candidate, first.verdict, first.samples_needed) == (
        "holed",
        "insufficient_evidence",
        None,
    )
    assert (second.candidate, second.verdict) == ("whole", "pass")
