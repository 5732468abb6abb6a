"""Weights speak of the production mix: in costs, latencies, months and routes as in pass rates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering import engineering_cells
from befit.analysis.frame import build_frame
from befit.core.policy import Policy
from befit.core.tier import Tier
from befit.decide.reading import read_evidence
from befit.decide.record import decide

SHORT, LONG = 40, 40
VOLUME = 100_000
# weight, USD of `mixed` (20 or 2,000 tokens at 1 USD a million) and its seconds; `flat` is at 400
MIX = [(96.0, 20e-6, 0.1)] * SHORT + [(5.0, 2000e-6, 3.0)] * LONG
# (40 x 96 x 20 + 40 x 5 x 2,000) / (40 x 101) tokens, where all samples alike give 1,010
TASK = 476_800 / 4_040 * 1e-6


def frame(*, weighted=True):
    rows = [
        fact(
            name,
            f"s{i}",
            1.0,
            calls=1,
            cost=cost,
            latency=seconds,
            weight=weight if weighted else 1.0,
        )
        for name in ("mixed", "flat")
        for i, (weight, own, own_seconds) in enumerate(MIX)
        for cost, seconds in [(own, own_seconds) if name == "mixed" else (400e-6, 0.5)]
    ]
    tier = Tier(name="t", volume_per_month=VOLUME)
    made = manifest(["mixed", "flat"], [(spec(tier="t"), SHORT + LONG)])
    return build_frame(made.model_copy(update={"tiers": (tier,)}), rows, ())


def decided(made, **policy):
    found = made.manifest
    evidence = read_evidence(made, tiers=found.tiers)
    one = replace(evidence.scenarios[0], accept=spec().accept)
    return decide(replace(evidence, scenarios=(one,)), Policy(**policy))


def test_the_route_goes_by_what_the_traffic_costs_and_not_the_samples():
    assert decided(frame()).tiers[0].candidate == "mixed"
    assert decided(frame(weighted=False)).tiers[0].candidate == "flat"


def test_task_success_and_month_cost_what_the_mix_costs_wherever_they_stand():
    made = frame()
    cell = engineering_cells(made)[0]
    decision = decided(made)
    told = decision.tiers[0].standings[0]
    for found in (cell.cost_per_task, cell.cost_per_call, cell.cost_per_success,
                  told.cost_per_task, told.cost_per_success):  # fmt: skip
        assert found.value == pytest.approx(TASK)
        assert found.low < found.value < found.high
    assert cell.cost_per_month.value == pytest.approx(VOLUME * TASK)
    assert decision.combination.cost.value == pytest.approx(VOLUME * TASK)
    assert cell.total_cost == pytest.approx(SHORT * 20e-6 + LONG * 2000e-6)


def test_the_median_is_that_of_the_traffic():
    cell = engineering_cells(frame())[0]
    assert (cell.latency_p50.value, cell.latency_p50.high) == (0.1, 0.1)
    unweighted = engineering_cells(frame(weighted=False))[0]
    assert unweighted.latency_p50.value == pytest.approx((0.1 + 3.0) / 2)


def test_gates_on_cost_and_latency_go_by_the_mix():
    one = read_evidence(frame(), tiers=()).scenarios[0]
    assert one.measure("cost", 0, 0.95).value == pytest.approx(TASK)
    assert one.measure("cost_per_success", 0, 0.95).value == pytest.approx(TASK)
    assert one.measure("latency_p50", 0, 0.95).value == 0.1


def test_the_frontier_goes_by_the_mix():
    cheap = decided(frame()).tiers[0].standings
    assert [standing.cost_per_success.value < 200e-6 for standing in cheap] == [True, False]
    assert cheap[0].front == "on"
    assert cheap[0].front_chance > 0.9
