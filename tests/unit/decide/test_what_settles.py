"""What an open tier waits for: samples for whom they can settle, else what was never measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.core.candidate import Traits
from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy, Requirements
from befit.core.tier import Tier
from befit.decide.record import decide
from befit.decide.wording import headline
from befit.report.decision import floor_notes, waits_for
from decision_worlds import evidence_of, rates, scenario_of

NAMES = ("cheap", "dear")


def world(quality, *, n=400, price=(0.001, 0.02), floor=0.85, **more):
    cost = np.repeat(np.array(price)[:, None], n, axis=1)
    one = scenario_of("desk", "t", rates(quality, n), cost=cost, floor=floor)
    return evidence_of(NAMES[: len(quality)], [one], **more)


@pytest.mark.parametrize(
    ("metric", "verb"),
    [
        ("throughput", "befit load"),
        ("human_win_rate", "befit review create"),
        ("fallback_retention", "befit fallback check"),
    ],
)
def test_a_gate_that_was_never_measured_is_named_with_what_measures_it(metric, verb):
    policy = Policy(gates=(Gate(metric=metric, floor=0.5),))
    decision = decide(world((0.97, 0.96)), policy)
    found = decision.tiers[0]
    assert (found.outcome, found.samples_needed) == ("not_decided", None)
    said = headline(found)
    assert f"{metric} on desk is not measured for cheap and dear" in said
    assert f"run `{verb}`" in said
    assert "too close" not in said
    assert waits_for(found) in said
    assert sum(verb in text for text in decision.open_questions) == 1


def test_a_metric_measured_elsewhere_waits_for_more_of_what_measured_it():
    near = Estimate(
        value=20.5, low=18, high=23, n_samples=40, n_trials=40, n_missing=0, method="peak"
    )
    outside = {("throughput", "desk", name): near for name in NAMES}
    policy = Policy(gates=(Gate(metric="throughput", floor=20),))
    evidence = replace(world((0.97, 0.96)), outside=outside)
    found = decide(evidence, policy).tiers[0]
    assert "not settled by samples but by a longer `befit load`" in headline(found)


REQUIRED = Policy(require=Requirements(context_tokens=8000, regions=("eu",)))


def test_a_trait_that_is_not_stated_is_named_and_no_samples_are_promised_for_it():
    stated = Traits(context_tokens=32_000, region="eu")
    evidence = world((0.97, 0.96), traits=(Traits(), stated))
    decision = decide(evidence, REQUIRED)
    found = decision.tiers[0]
    assert (found.outcome, found.contenders) == ("not_decided", NAMES)
    assert found.samples_needed is None
    said = headline(found)
    assert "context_tokens and region of cheap are not stated" in said
    assert "under `traits` of the candidate" in said
    assert "samples" not in said
    assert not any("more samples" in one.text for one in decision.sensitivity.evidence)


def test_samples_are_counted_for_those_alone_whom_they_can_settle():
    stated = Traits(context_tokens=32_000, region="eu")
    evidence = world((0.87, 0.96), traits=(stated, Traits()))
    found = decide(evidence, REQUIRED).tiers[0]
    assert found.by_samples == ("cheap",)
    said = headline(found)
    assert f"about {found.samples_needed:,} samples in all settle cheap; " in said
    assert "context_tokens and region of dear are not stated" in said


def test_latencies_too_few_for_a_bound_are_not_too_close_to_their_limit():
    late = [np.linspace(0.1, 0.5, 30)] * 2
    one = scenario_of("desk", "t", rates((1.0, 1.0), 30), latency=late)
    gate = Gate(metric="latency_p95", scenario="desk", ceiling=1.0)
    found = decide(evidence_of(NAMES, [one]), Policy(gates=(gate,))).tiers[0]
    # two pairs at 5 % in all: 0.95^n < 0.025 from 72 samples on
    assert found.samples_needed == 72


def test_a_floor_that_a_tier_sets_says_where_its_number_comes_from():
    tier = Tier(name="t", value=0.02, cost_of_error=1.0)
    found = decide(world((0.90, 0.91), floor=None, tiers=(tier,)), Policy())
    # 1 / (0.02 + 1) = 0.98039
    (note,) = floor_notes(found)
    assert note.startswith("At least 98.04 % right is asked on desk")
    assert "a right answer is worth 0.02 USD, a wrong one costs 1.00 USD" in note
    assert floor_notes(decide(world((0.90, 0.91), tiers=(tier,)), Policy())) == ()
