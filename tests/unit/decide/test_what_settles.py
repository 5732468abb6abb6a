"""What an open tier waits for: samples for whom they can settle, else what was never measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from befit.core.estimate import Estimate
from befit.core.policy import Gate, Policy
from befit.decide.record import decide
from befit.decide.wording import headline
from befit.report.decision import waits_for
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
