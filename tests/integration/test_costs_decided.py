"""Decisions on stored runs: costs equal, unknown or over budget, and what nothing measures."""

from __future__ import annotations

import re
import sys

import pytest

from befit.config.load import load_project
from befit.decide.wording import settling
from befit.pipeline.deciding import decide_run
from befit.pipeline.running import run_project
from befit.report.decision import (
    combination_sentence,
    headlines,
    outcome_words,
    stands_sentence,
)
from befit.report.decision_markdown import render
from befit.storage.workspace import Workspace
from decision_project import shares, write_project

N = 120


@pytest.fixture(autouse=True)
def fresh_modules():
    yield
    for name in [n for n in sys.modules if n.startswith("sim_")]:
        del sys.modules[name]


def decided(folder, right, *, policy, edit=None, **more):
    module = f"sim_{folder.name.replace('-', '_')}"
    prices = dict.fromkeys(right, 1)
    path = write_project(folder, right, prices=prices, policy=policy, module=module, **more)
    if edit is not None:
        path.write_text(edit(path.read_text()))
    with Workspace.open(folder / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        return decide_run(workspace, run)


def by_input(text):
    """Price the input alone, of which every call has as much."""
    return text.replace("{input: 0, output: 1}", "{input: 0.012, output: 0}")


def test_equal_costs_pass_their_gates(tmp_path):
    policy = """
    gates:
      - {metric: cost, ceiling: 0.01}
      - {metric: cost_per_success, ceiling: 0.01}
    """
    right = {"main": {"s": [1] * N}}
    found = decided(tmp_path, right, policy=policy, edit=by_input)
    assert [v.verdict for v in found.verdicts] == ["pass", "pass"]
    assert found.tiers[0].outcome == "decided"
    own = found.tiers[0].standings[0]
    assert (own.cost_per_task.low, own.cost_per_task.high) == (1.2e-6, 1.2e-6)
    # 120 of 120 right: at least 120 / (120 + 1.96^2) of all are
    assert own.cost_per_success.high == pytest.approx(1.2e-6 * (120 + 1.959964**2) / 120)


def test_a_limit_on_costs_between_the_value_and_its_bound_stays_open(tmp_path):
    policy = "gates: [{metric: cost_per_success, ceiling: 1.205e-6}]"
    found = decided(tmp_path, {"main": {"s": [1] * N}}, policy=policy, edit=by_input)
    assert found.verdicts[0].verdict == "insufficient_evidence"
    assert found.verdicts[0].samples_needed > N


def unpriced(text):
    return re.sub(r"    price: .*\n", "    price: null\n", text, count=1)


def test_the_only_price_that_is_known_is_no_cheapest_one(tmp_path):
    right = {name: {"s": shares(N, 0.97)} for name in ("unknown", "known")}
    policy = "gates: [{metric: pass_rate, floor: 0.8}]"
    found = decided(tmp_path, right, policy=policy, edit=unpriced)
    tier = found.tiers[0]
    assert (tier.outcome, tier.candidate, tier.confidence) == ("decided", "known", "low")
    assert tier.reason.startswith("the only one with a known price of those that pass: ")
    assert "the cost of unknown is unknown, so not compared" in tier.reason
    assert "among the candidates whose price is known" in stands_sentence(found)


def test_of_two_known_prices_the_cheaper_is_not_chosen_with_high_confidence(tmp_path):
    right = {name: {"s": shares(N, 0.97)} for name in ("unknown", "cheap", "dear")}

    def edit(text):
        return unpriced(text[::-1].replace("}1 :tuptuo", "}9 :tuptuo", 1)[::-1])

    policy = "gates: [{metric: pass_rate, floor: 0.8}]"
    tier = decided(tmp_path, right, policy=policy, edit=edit).tiers[0]
    assert (tier.candidate, tier.confidence) == ("cheap", "moderate")
    assert tier.reason.startswith("cheapest of those that pass and have a price: ")


def test_without_cost_in_the_choice_an_unknown_price_is_no_doubt(tmp_path):
    right = {"better": {"s": [1] * N}, "worse": {"s": shares(N, 0.5)}}
    policy = "{prefer: quality, gates: [{metric: pass_rate, floor: 0.3}]}"
    tier = decided(tmp_path, right, policy=policy, edit=unpriced).tiers[0]
    assert "not compared" not in tier.reason


def test_a_budget_that_nobody_keeps_says_what_the_cheapest_proven_route_costs(tmp_path):
    policy = "{budget_per_month: 0.001, gates: [{metric: pass_rate, floor: 0.5}]}"
    right = {"main": {"s": [1] * N}}
    found = decided(tmp_path, right, policy=policy, edit=by_input)
    assert [one.verdict for one in found.tiers[0].standings] == ["pass"]
    # 1.2e-6 USD a task, 1,000 tasks where no volume is stated: 0.0012 USD, a fifth over 0.001
    said = (
        "no combination of proven candidates keeps the limit of at most 0.001 USD a month; the "
        "cheapest proven one (main) costs 0.0012 USD a month, 0.0002 USD (20 %) over it, taken at "
        "1,000 tasks of each tier, since none states volume_per_month"
    )
    assert headlines(found) == (f"No route for all tasks: {said}.",)
    assert combination_sentence(found) == f"No combination: {said}."
    assert outcome_words(found) == "No combination keeps the limits"
    assert "None is good enough" not in render(found)


def test_a_metric_that_no_scorer_makes_waits_for_a_scorer_and_not_for_samples(tmp_path):
    def edit(text):
        return text.replace("dimension: classification", "dimension: extraction")

    policy = "gates: [{metric: field_accuracy, floor: 0.5}]"
    tier = decided(tmp_path, {"main": {"s": [1] * N}}, policy=policy, edit=edit).tiers[0]
    assert (tier.outcome, tier.samples_needed) == ("not_decided", None)
    said = settling(tier)
    assert "field_accuracy on s is not measured for main" in said
    assert "its scorers are match; add a scorer that makes it" in said
