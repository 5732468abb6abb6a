"""A scenario that no scorer judges: its quality is what people said, and the decision says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.core.estimate import Estimate, not_measured
from befit.core.policy import Gate, Policy
from befit.decide.people import preferred, quality_by_people
from befit.decide.record import decide
from befit.decide.wording import headline
from befit.stats.means import estimate_amount
from decision_worlds import evidence_of, rates, scenario_of

N = 40
NAMES = ("a", "b")


def rate(value, half, n=20, votes=60):
    """A win rate of people."""
    return Estimate(value=value, low=value - half, high=value + half, n_samples=n, n_trials=votes,
                    n_missing=0, method="mean over items and people")  # fmt: skip


def open_ended(said, *, prices=(0.001, 0.01), name="letters", metric="human_win_rate"):
    """Evidence of one scenario without any score, and what people said of it."""
    unscored = np.full((2, N), np.nan)
    cost = np.repeat(np.array(prices)[:, None], N, axis=1)
    one = scenario_of(name, "t", unscored, cost=cost)
    places = {(metric, name, c): found for c, found in zip(NAMES, said, strict=True)}
    metric, people = quality_by_people(one.items, name, NAMES, places)

    def measure(metric, candidate, level):
        if metric == "cost":
            return estimate_amount(cost[candidate], n_trials=N, n_missing=0, level=level)
        return one.measure(metric, candidate, level)

    return replace(one, people=people, people_metric=metric, measure=measure), places


GATE = Policy(gates=(Gate(metric="human_win_rate", floor=0.5),), tier_floors=False)


def decided(said, policy=GATE, **more):
    one, places = open_ended(said, **more)
    return decide(replace(evidence_of(NAMES, [one]), outside=places), policy)


def test_a_route_is_chosen_by_what_people_said():
    found = decided((rate(0.1, 0.08), rate(0.9, 0.08)))
    tier = found.tiers[0]
    assert (tier.outcome, tier.candidate) == ("decided", "b")  # ten times as dear, but preferred
    assert tier.by_people
    assert "on the word of people alone" in headline(tier)
    chosen = next(s for s in tier.standings if s.candidate == "b")
    assert chosen.quality.value == pytest.approx(0.9)
    assert (chosen.quality.n_samples, chosen.quality.n_trials) == (20, 60)
    assert "win rate by people" in chosen.quality.method
    assert chosen.cost_per_task.value == pytest.approx(0.01)
    assert chosen.cost_per_success.value is None
    assert any("no automatic score" in text and "alone" in text for text in found.open_questions)
    assert "win rate by people" in tier.reason
    assert "pass rate" not in tier.reason


def test_the_cheaper_of_two_that_people_like_alike_is_taken_only_if_its_gate_is_shown():
    tier = decided((rate(0.5, 0.2), rate(0.5, 0.2))).tiers[0]
    assert tier.outcome == "not_decided"
    assert tier.contenders
    assert "nothing measured" not in headline(tier)


def test_without_a_gate_whoever_people_like_less_does_not_win_by_its_price():
    found = decided((rate(0.1, 0.08), rate(0.9, 0.08)), Policy(tier_floors=False))
    assert found.tiers[0].candidate == "b"
    unclear = decided((rate(0.45, 0.2), rate(0.55, 0.2)), Policy(tier_floors=False))
    assert unclear.tiers[0].candidate == "a"
    assert {s.letters for s in unclear.tiers[0].standings} == {"a"}


def test_a_candidate_that_people_have_not_seen_is_not_measured_and_the_question_stays_open():
    tier = decided((not_measured("no votes"), rate(0.9, 0.08))).tiers[0]
    unseen = next(s for s in tier.standings if s.candidate == "a")
    assert unseen.verdict == "insufficient_evidence"
    assert unseen.quality.value is None


def test_where_nobody_was_asked_nothing_is_made_up():
    tier = decided((not_measured("x"), not_measured("x"))).tiers[0]
    assert (tier.outcome, tier.candidate, tier.people) == ("not_decided", None, ())


def test_rubric_alone_is_a_quality_too_and_is_named():
    policy = Policy(gates=(Gate(metric="human_rubric", floor=0.4),), tier_floors=False)
    found = decided((rate(0.8, 0.1), rate(0.3, 0.05)), policy, metric="human_rubric")
    assert found.tiers[0].candidate == "a"
    assert found.tiers[0].quality_name == "lowest rubric row by people"


def test_an_automatic_score_comes_before_what_people_said():
    one = scenario_of("letters", "t", rates((0.9, 0.9), N))
    seen = {("human_win_rate", "letters", "a"): rate(0.9, 0.05)}
    assert quality_by_people(one.items, "letters", NAMES, seen) == ("", ())


def test_scored_and_judged_scenarios_of_one_tier_stand_together():
    judged, places = open_ended((rate(0.2, 0.1), rate(0.8, 0.1)))
    scored = scenario_of("sums", "t", rates((0.9, 0.9), 200), cost=np.full((2, 200), 0.001))
    found = decide(
        replace(evidence_of(NAMES, [scored, judged]), outside=places),
        Policy(gates=(Gate(metric="pass_rate", scenario="sums", floor=0.7),
                      Gate(metric="human_win_rate", scenario="letters", floor=0.5)),
               tier_floors=False),
    )  # fmt: skip
    tier = found.tiers[0]
    assert (tier.candidate, tier.people, tier.by_people) == ("b", ("letters",), False)
    value = next(s for s in tier.standings if s.candidate == "b").quality.value
    assert value == pytest.approx((0.9 + 0.8) / 2, abs=0.01)


def test_intervals_that_touch_show_no_preference():
    # 0.5 +- 0.2 and 0.7 +- 0.2 overlap; 0.2 +- 0.1 and 0.8 +- 0.1 do not
    assert not preferred((rate(0.5, 0.2), rate(0.7, 0.2))).any()
    assert preferred((rate(0.2, 0.1), rate(0.8, 0.1)))[1, 0]
