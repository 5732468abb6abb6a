"""Cost per call, task and month, failed tries apart, and latency from the moment of being due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering import engineering_cells
from befit.analysis.engineering_cost import cost_per_month, traffic
from befit.analysis.frame import build_frame
from befit.core.estimate import Estimate
from befit.core.policy import Policy
from befit.core.tier import Tier


def cell(facts, **more):
    made = manifest(["a"], [(spec(), len(facts))]).model_copy(update=more)
    return engineering_cells(build_frame(made, facts, ()))[0]


def test_a_conversation_costs_a_task_what_its_calls_cost_together():
    # 10 tasks of 4 calls at 0.04 and 10 of 1 call at 0.01: 0.025 a task, 0.01 a call.
    facts = [fact("a", f"s{i}", 1.0, calls=4, cost=0.04) for i in range(10)]
    facts += [fact("a", f"t{i}", 1.0, calls=1, cost=0.01) for i in range(10)]
    found = cell(facts)
    assert found.cost_per_task.value == pytest.approx(0.025)
    assert found.cost_per_call.value == pytest.approx(0.01)
    assert found.cost_per_success.value == pytest.approx(0.025)


def test_calls_that_nobody_counted_have_no_cost_each():
    found = cell([fact("a", f"s{i}", 1.0) for i in range(10)])
    assert found.cost_per_call.value is None
    assert found.cost_per_task.value == pytest.approx(0.001)


def test_failed_tries_stand_apart_and_untold_ones_are_not_free():
    facts = [fact("a", f"s{i}", 1.0, attempts=0) for i in range(10)]
    assert cell(facts).retry_cost == 0.0
    paid = fact("a", "x", 1.0, attempts=2, retry_cost=0.5, cost=1.5)
    assert cell([*facts, paid]).retry_cost == 0.5
    assert cell([*facts, fact("a", "y", 1.0, attempts=1)]).retry_cost is None


def test_latency_from_due_adds_the_waiting_and_timeouts_are_counted():
    facts = [fact("a", f"s{i}", 1.0, latency=1.0, waited=3.0) for i in range(9)]
    facts.append(fact("a", "late", None, status="missing", failure="timeout_total", latency=None))
    found = cell(facts)
    assert (found.latency_p50.value, found.scheduled_p50.value) == (1.0, 4.0)
    assert found.timeout_rate.value == pytest.approx(0.1)
    # An earlier befit did not note the waiting: unknown, not 0.
    assert cell([fact("a", f"s{i}", 1.0) for i in range(9)]).scheduled_p50.value is None


def test_input_tokens_are_told_as_output_tokens_are():
    facts = [fact("a", f"s{i}", 1.0, input_tokens=100 + i, output_tokens=5) for i in range(21)]
    found = cell(facts)
    assert (found.input_tokens_p50.value, found.output_tokens_p50.value) == (110.0, 5.0)
    assert found.input_tokens_p50.low < 110 < found.input_tokens_p50.high
    assert found.input_tokens_p95.value == 119.0
    assert (found.input_tokens_p50.n_samples, found.input_tokens_p50.n_trials) == (21, 21)
    untold = cell([fact("a", f"s{i}", 1.0, input_tokens=None) for i in range(9)])
    assert untold.input_tokens_p50.value is None


def test_a_month_is_the_stated_traffic_times_the_cost_of_a_task():
    facts = [fact("a", f"s{i}", 1.0, cost=0.002) for i in range(10)]
    scenario = spec().model_copy(update={"tier": "desk"})
    made = manifest(["a"], [(scenario, 10)]).model_copy(
        update={"tiers": (Tier(name="desk", volume_per_month=50_000),)}
    )
    found = engineering_cells(build_frame(made, facts, ()))[0]
    assert (found.tasks_per_month, found.cost_per_month.value) == (50_000, pytest.approx(100.0))
    assert cell(facts).cost_per_month.value is None


def test_traffic_is_shared_out_by_the_policy_and_equally_without_one():
    specs = [spec().model_copy(update={"tier": "desk", "name": name}) for name in ("x", "y")]
    made = manifest(["a"], [(one, 1) for one in specs]).model_copy(
        update={"tiers": (Tier(name="desk", volume_per_month=1000),)}
    )
    assert traffic(made) == {"x": 500.0, "y": 500.0}
    assert traffic(made, Policy(traffic={"x": 3, "y": 1})) == {"x": 750.0, "y": 250.0}


def estimate(value, width):
    return Estimate(
        value=value, low=value - width, high=value + width, n_samples=10, n_trials=10,
        n_missing=0, method="t",
    )  # fmt: skip


def test_months_of_several_scenarios_add_up_with_the_root_of_squared_widths():
    # 100 x 2 + 10 x 5 = 250; widths 100 x 0.3 = 30 and 10 x 4 = 40: together 50.
    found = cost_per_month([(100, estimate(2.0, 0.3)), (10, estimate(5.0, 4.0))])
    assert (found.value, found.low, found.high) == (250.0, pytest.approx(200), pytest.approx(300))


def test_samples_that_all_cost_the_same_add_no_width_and_a_single_one_leaves_it_unknown():
    same = replace(estimate(5.0, 4.0), low=None, high=None)
    found = cost_per_month([(100, estimate(2.0, 0.3)), (10, same)])
    assert (found.value, found.low, found.high) == (250.0, pytest.approx(220), pytest.approx(280))
    alone = replace(same, n_samples=1)
    assert cost_per_month([(100, estimate(2.0, 0.3)), (10, alone)]).low is None
