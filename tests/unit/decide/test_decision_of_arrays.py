"""Decisions on arrays of known truth: outcomes, gates judged together, words of the record."""

from __future__ import annotations

import numpy as np
import pytest

from befit.core.candidate import Traits
from befit.core.policy import Gate, Policy, Requirements
from befit.core.tier import Tier
from befit.decide.record import decide
from befit.decide.wording import headline
from befit.report.decision import standing_words
from befit.report.decision_markdown import render
from decision_worlds import evidence_of, rates, scenario_of

NAMES = ("cheap", "middle", "dear")


def flat(price, n):
    return np.repeat(np.array(price)[:, None], n, axis=1)


def world(quality, *, n=400, price=(0.001, 0.004, 0.02), floor=0.85, **more):
    one = scenario_of("desk", "t", rates(quality, n), cost=flat(price, n), floor=floor)
    return evidence_of(NAMES[: len(quality)], [one], **more)


def test_the_cheapest_proven_candidate_serves_and_the_next_steps_in():
    found = decide(world((0.70, 0.93, 0.97)), Policy()).tiers[0]
    assert (found.outcome, found.candidate, found.fallback) == ("decided", "middle", "dear")
    assert [s.verdict for s in found.standings] == ["fail", "pass", "pass"]


def test_a_cheaper_candidate_that_might_pass_leaves_the_tier_undecided():
    found = decide(world((0.86, 0.93, 0.97)), Policy()).tiers[0]
    assert found.outcome == "not_decided"
    assert found.contenders == ("cheap", "middle")
    assert found.candidate == "middle"
    assert found.samples_needed > 400
    assert "about" in headline(found)


def test_a_dearer_candidate_that_might_pass_changes_nothing():
    found = decide(world((0.93, 0.70, 0.86)), Policy()).tiers[0]
    assert (found.outcome, found.candidate) == ("decided", "cheap")


def test_nobody_good_enough_names_the_nearest_and_what_it_lacks():
    decision = decide(world((0.60, 0.70, 0.75)), Policy())
    found = decision.tiers[0]
    assert (found.outcome, found.candidate, found.nearest) == ("none_good_enough", None, "dear")
    assert found.missing == "pass rate on desk is 75 % [71, 79] (n = 400), at least 85 % is asked"
    assert decision.routes == ()
    assert decision.outcome == "none_good_enough"


def test_what_is_lacking_is_said_in_percent_and_open_gates_as_open():
    found = decide(world((0.86, 0.93, 0.97), floor=0.855), Policy()).tiers[0]
    assert found.standings[0].why == (
        "pass rate on desk is 86 % [82, 89] (n = 400), which does not yet show 85.5 %"
    )


def test_without_a_gate_the_cheapest_of_those_not_shown_to_be_worse_serves():
    decision = decide(world((0.70, 0.95, 0.96), floor=None), Policy())
    assert decision.tiers[0].candidate == "middle"
    told = "no gate was stated, so nothing is proven"
    assert any(told in text for text in decision.open_questions)
    tier = decision.tiers[0]
    assert told in tier.reason
    assert [(one.candidate, one.why) for one in tier.standings if one.verdict == "pass"] == [
        ("middle", told),
        ("dear", told),
    ]
    for text in (*(standing_words(decision, tier, one) for one in tier.standings), headline(tier)):
        assert "proven" not in text
    assert "✓" not in render(decision)


def test_only_who_was_asked_for_something_and_gave_it_is_proven():
    decision = decide(world((0.70, 0.93, 0.97)), Policy())
    tier = decision.tiers[0]
    words = [standing_words(decision, tier, one) for one in tier.standings]
    assert words == ["✕ out", "✓ proven", "✓ proven"]
    assert tier.gated


def test_without_a_gate_nobody_is_chosen_who_gave_not_one_right_answer():
    found = decide(world((0.0, 0.0), floor=None, n=10, price=(0.001, 0.004)), Policy()).tiers[0]
    assert (found.outcome, found.candidate) == ("none_good_enough", None)
    assert [s.verdict for s in found.standings] == ["fail", "fail"]
    assert found.standings[0].why == "not one right answer was seen"


def test_of_equally_many_missed_gates_the_least_missed_is_nearest():
    late = [np.full(50, seconds) for seconds in (9.0, 2.0, 5.0)]
    one = scenario_of("desk", "t", rates((0.0, 0.0, 0.0), 50), floor=0.85, latency=late)
    gate = Gate(metric="latency_p95", scenario="desk", ceiling=1.0)
    decision = decide(evidence_of(NAMES, [one]), Policy(gates=(gate,)))
    assert decision.tiers[0].nearest == "middle"


def test_one_candidate_alone_is_decided_by_its_gate():
    assert decide(world((0.95,), price=(0.001,)), Policy()).tiers[0].candidate == "cheap"


def test_missing_prices_are_said_and_quality_decides():
    one = scenario_of("desk", "t", rates((0.93, 0.97), 400), floor=0.85)
    decision = decide(evidence_of(("a", "b"), [one]), Policy())
    assert decision.tiers[0].candidate == "b"
    assert "no price is known" in decision.tiers[0].reason
    assert decision.combination.cost.value is None


def test_a_candidate_without_a_price_is_not_chosen_over_priced_ones():
    n = 400
    cost = flat((0.001, 0.004, 0.02), n)
    cost[0] = np.nan
    one = scenario_of("desk", "t", rates((0.95, 0.95, 0.95), n), cost=cost, floor=0.85)
    decision = decide(evidence_of(NAMES, [one]), Policy())
    assert decision.tiers[0].candidate == "middle"
    assert any("price of cheap is unknown" in text for text in decision.open_questions)


def test_gates_are_judged_together_so_a_bare_pass_among_many_is_not_enough():
    # 360 of 400: the one-sided 95 % bound is .8727, the one for the 12th part of 5 % is .855
    n, floor = 400, 0.865
    table = rates((0.90,) + (0.5,) * 11, n)
    price = np.linspace(0.001, 0.012, 12)
    one = scenario_of("desk", "t", table, cost=flat(price, n), floor=floor)
    names = [f"m{i}" for i in range(12)]
    found = decide(evidence_of(names, [one]), Policy())
    assert found.verdicts[0].verdict == "pass"
    assert found.tiers[0].standings[0].verdict == "insufficient_evidence"
    assert "passes alone" in found.tiers[0].standings[0].why


def test_a_tier_sets_the_floor_where_right_answers_pay_for_wrong_ones():
    # value 1, cost of error 3: q = 3 / 4; complexity high doubles the cost: q = 6 / 7
    n = 400
    one = scenario_of("desk", "t", rates((0.80, 0.95), n), cost=flat((0.001, 0.004), n))
    plain = Tier(name="t", value=1, cost_of_error=3)
    hard = Tier(name="t", value=1, cost_of_error=3, complexity="high")
    easy = decide(evidence_of(("a", "b"), [one], [plain]), Policy()).tiers[0]
    strict = decide(evidence_of(("a", "b"), [one], [hard]), Policy()).tiers[0]
    assert (easy.candidate, strict.candidate) == ("a", "b")


def test_a_stated_trait_that_is_missing_is_open_not_passed():
    traits = (Traits(), Traits(region="us"), Traits(region="eu"))
    policy = Policy(require=Requirements(regions=("eu",)))
    decision = decide(world((0.95, 0.95, 0.95), traits=traits), policy)
    assert [s.verdict for s in decision.tiers[0].standings] == [
        "insufficient_evidence",
        "fail",
        "pass",
    ]
    assert decision.tiers[0].outcome == "not_decided"


def test_limits_that_no_combination_keeps_are_named_and_priced():
    n = 400
    first = scenario_of("a", "one", rates((0.95, 0.60), n), cost=flat((0.001, 0.002), n), floor=0.9)
    second = scenario_of(
        "b", "two", rates((0.60, 0.95), n), cost=flat((0.001, 0.002), n), floor=0.9
    )
    decision = decide(evidence_of(("x", "y"), [first, second]), Policy(max_models=1))
    assert {tier.outcome for tier in decision.tiers} == {"none_good_enough"}
    assert "at most 1 different model" in decision.tiers[0].missing
    price = next(c for c in decision.constraints if "different model" in c.constraint)
    assert price.routes == {"one": "x", "two": "y"}


def test_a_gate_on_something_nobody_measured_is_open_and_said():
    policy = Policy(gates=(Gate(metric="human_win_rate", floor=0.5),))
    decision = decide(world((0.95, 0.95, 0.95)), policy)
    assert decision.outcome == "not_decided"
    assert any("human_win_rate" in text for text in decision.open_questions)


def test_savings_against_one_model_are_the_sum_of_paired_differences():
    # tier one: x at .001 serves 1,000 tasks; tier two: only y at .01 is good enough
    n = 400
    first = scenario_of("a", "one", rates((0.95, 0.96), n), cost=flat((0.001, 0.01), n), floor=0.9)
    second = scenario_of("b", "two", rates((0.60, 0.96), n), cost=flat((0.001, 0.01), n), floor=0.9)
    tiers = [Tier(name="one", volume_per_month=1000), Tier(name="two", volume_per_month=100)]
    made = decide(evidence_of(("x", "y"), [first, second], tiers), Policy()).combination
    assert made.cost.value == pytest.approx(1000 * 0.001 + 100 * 0.01)
    assert made.one_model == "y"
    assert made.saving.value == pytest.approx(1000 * 0.009)


def test_a_cascade_is_found_on_one_half_and_judged_on_the_other():
    # the cheap one answers steadily where it is right, and differently where it is wrong
    n = 400
    right = rates((0.7, 0.97), n)
    right[1] = np.random.default_rng(3).random(n) < 0.97
    answers = np.zeros((n, 3))
    answers[right[0] == 0] = (1, 2, 3)
    passes = np.repeat(right[0][:, None], 3, axis=1)
    one = scenario_of(
        "desk",
        "t",
        right,
        cost=flat((0.001, 0.02), n),
        floor=0.9,
        repeats=3,
        answers=(answers, np.zeros((n, 3))),
        passes=(passes, np.repeat(right[1][:, None], 3, axis=1)),
    )
    found = decide(evidence_of(("cheap", "dear"), [one]), Policy()).tiers[0].cascade
    # twice the cheap one, and the dear one for the 30 % it is unsure of
    assert found.cost_per_task == pytest.approx(0.002 + 0.3 * 0.02, rel=0.15)
    assert found.escalated == pytest.approx(0.3, abs=0.05)
    assert found.quality.value > 0.95
    assert found.meets_floor == "pass"
