"""Evidence that no run holds, weights in a tier, and the leaderboard beside one's own figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.core.candidate import Candidate
from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy
from befit.core.run import ManifestCandidate
from befit.core.screening import RankEntry, RankGroups, Screening
from befit.decide.funnel import public_view
from befit.decide.gates import at_level
from befit.decide.record import decide
from decision_worlds import evidence_of, rates, scenario_of


def estimate(value, low, high, n=100):
    """An estimate made elsewhere."""
    return Estimate(
        value=value, low=low, high=high, n_samples=n, n_trials=n, n_missing=0, method="elsewhere"
    )


def world(quality, prices, **more):
    n = 400
    cost = np.repeat(np.array(prices)[:, None], n, axis=1)
    one = scenario_of("desk", "t", rates(quality, n), cost=cost, floor=0.8)
    return replace(evidence_of(("a", "b")[: len(quality)], [one]), **more)


PEOPLE = Policy(gates=(Gate(metric="human_win_rate", scenario="desk", floor=0.5),))


def test_people_decide_by_the_lower_bound_of_the_win_rate():
    seen = {("human_win_rate", "desk", "a"): estimate(0.45, 0.40, 0.49),
            ("human_win_rate", "desk", "b"): estimate(0.62, 0.55, 0.69)}  # fmt: skip
    found = decide(world((0.95, 0.95), (0.001, 0.01), outside=seen), PEOPLE)
    verdicts = {v.candidate: v.verdict for v in found.verdicts if v.gate.metric == "human_win_rate"}
    assert verdicts == {"a": "fail", "b": "pass"}
    assert found.tiers[0].candidate == "b"  # cheaper, but people prefer the other


def test_without_a_review_the_gate_on_people_is_open_and_says_so():
    found = decide(world((0.95, 0.95), (0.001, 0.01)), PEOPLE)
    open_ = [v for v in found.verdicts if v.gate.metric == "human_win_rate"]
    assert {v.verdict for v in open_} == {"insufficient_evidence"}
    assert all("not reviewed by people" in v.evidence.method for v in open_)
    assert found.tiers[0].outcome == "not_decided"


@pytest.mark.parametrize("metric", ["throughput", "fallback_retention"])
def test_load_and_fallback_that_nobody_measured_are_open(metric):
    policy = Policy(gates=(Gate(metric=metric, scenario="desk", floor=0.5),))
    found = decide(world((0.95,), (0.001,)), policy)
    verdict = next(v for v in found.verdicts if v.gate.metric == metric)
    assert verdict.verdict == "insufficient_evidence"
    assert "befit " in verdict.evidence.method


def test_throughput_and_retention_are_judged_by_what_was_measured():
    seen = {("throughput", "desk", "a"): estimate(3.0, 2.6, 3.4),
            ("throughput", "desk", "b"): estimate(9.0, 8.0, 10.0),
            ("fallback_retention", "desk", "b"): estimate(0.97, 0.94, 1.0)}  # fmt: skip
    gates = (Gate(metric="throughput", scenario="desk", floor=5),
             Gate(metric="fallback_retention", scenario="desk", floor=0.9))  # fmt: skip
    found = decide(world((0.95, 0.95), (0.001, 0.01), outside=seen), Policy(gates=gates))
    verdicts = {(v.candidate, v.gate.metric): v.verdict for v in found.verdicts}
    assert verdicts["a", "throughput"] == "fail"
    assert verdicts["b", "throughput"] == "pass"
    assert verdicts["b", "fallback_retention"] == "pass"
    assert found.tiers[0].candidate == "b"


def test_an_estimate_made_elsewhere_is_stretched_to_the_level_of_the_test():
    # normal quantiles: 1.959964 at 95 %, 1.644854 at 90 %
    found = at_level(estimate(0.6, 0.5, 0.7), 0.90)
    assert found.low == pytest.approx(0.6 - 0.1 * 1.644854 / 1.959964, abs=1e-6)
    assert at_level(estimate(0.97, 0.94, 1.0), 0.999).high == 1.0
    assert at_level(estimate(9.0, 8.0, 10.0), 0.999).high > 10.0


def two_scenarios(policy):
    n = 400
    right = {"hard": rates((0.95, 0.80), n), "easy": rates((0.80, 0.90), n)}
    cost = np.full((2, n), 0.001)
    found = [scenario_of(name, "t", table, cost=cost, floor=0.5) for name, table in right.items()]
    return decide(evidence_of(("a", "b"), found), policy)


def test_weights_say_which_scenario_of_a_tier_counts():
    # a .95 and .80, b .80 and .90: equal weights .875 against .85, at 1 : 4 .83 against .88
    equal = two_scenarios(Policy(prefer="quality"))
    easy = two_scenarios(Policy(prefer="quality", weights={"hard": 1, "easy": 4}))
    assert (equal.tiers[0].candidate, easy.tiers[0].candidate) == ("a", "b")
    assert easy.tiers[0].standings[1].quality.value == pytest.approx(0.88)


def test_weights_are_moved_among_the_doubts():
    near = two_scenarios(Policy(prefer="quality", weights={"hard": 1, "easy": 1.5}))
    far = two_scenarios(Policy(prefer="quality", weights={"hard": 1, "easy": 100}))
    # at 1 : 1.5 the two are .86 and .86; at 1 : 100 no draw turns them round
    assert near.sensitivity.by_doubt["weights"] < 0.9
    assert far.sensitivity.by_doubt["weights"] == 1.0
    firm = two_scenarios(Policy(prefer="quality", weight_doubt=0))
    assert firm.sensitivity.by_doubt["weights"] == 1.0


def entered(names):
    made = [Candidate(name=name, target="openai", model=f"{name}-model") for name in names]
    return [
        ManifestCandidate(candidate=c, fingerprint=c.fingerprint, price=None, price_snapshot=None)
        for c in made
    ]


def leaderboard(scores):
    entries = tuple(
        RankEntry(
            model=f"{name}-model",
            estimate=estimate(s, s - 0.01, s + 0.01),
            letters="a",
            noise="sampling",
        )
        for name, s in scores.items()
    )
    group = RankGroups(
        benchmark="public-bench", paired="none", entries=entries, neighbours=(), n_left_out=0
    )
    return Screening(
        made_on="2026-01-01", tables=(), table_hash="", n_models=len(scores), groups=(group,)
    )


def decided(own):
    n = 400
    cost = np.full((len(own), n), 0.001)
    one = scenario_of("desk", "t", rates(tuple(own.values()), n), cost=cost, floor=0.5)
    return decide(evidence_of(tuple(own), [one]), Policy())


def test_every_pair_that_turns_round_is_named_with_tau_and_its_interval():
    own = {"a": 0.70, "b": 0.90, "c": 0.80}
    public = {"a": 0.95, "b": 0.85, "c": 0.60}
    found = public_view(decided(own), entered(own), leaderboard(public))
    # a>b turns, a>c turns, b>c stands: tau = (1 - 2) / 3
    assert found.tau.value == pytest.approx(-1 / 3)
    assert found.tau.low <= -1 / 3 <= found.tau.high
    assert [pair[:2] for pair in found.turned] == [("b", "a"), ("c", "a")]
    assert found.leaderboard == "public-bench"
    assert (found.public["a"], found.own["a"]) == (0.95, pytest.approx(0.70))


def test_the_same_order_turns_nobody_round():
    own = {"a": 0.70, "b": 0.80, "c": 0.90}
    found = public_view(decided(own), entered(own), leaderboard(own))
    assert found.tau.value == 1.0
    assert found.turned == ()


@pytest.mark.parametrize("public", [{}, {"a": 0.9}, {"x": 0.9, "y": 0.8}])
def test_one_candidate_or_none_on_a_leaderboard_is_no_comparison(public):
    own = {"a": 0.70, "b": 0.80}
    assert public_view(decided(own), entered(own), leaderboard(public)) is None
    assert public_view(decided(own), entered(own), None) is None
