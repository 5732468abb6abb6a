"""One definition of the cost per success: USD of scored answers over those that passed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from analysis_ground import UNSCORED, fact, manifest, spec
from befit.analysis.engineering import engineering_cells, usability_cells
from befit.analysis.frame import build_frame
from befit.core.policy import Policy
from befit.decide.reading import read_evidence
from befit.decide.record import decide
from befit.decide.savings import Part, sum_of_means
from decision_worlds import evidence_of, rates, scenario_of

N = 100


def two_scenarios(easy, hard, *, price=((0.001, 0.001), (0.004, 0.004))):
    """Evidence of a tier of two scenarios; by scenario the rates and costs of two candidates."""
    return evidence_of(
        ("one", "other"),
        [
            scenario_of(name, "t", rates(quality, N), cost=np.repeat(np.c_[[*cost]], N, axis=1))
            for name, quality, cost in zip(("easy", "hard"), (easy, hard), price, strict=True)
        ],
    )


def standings(evidence, **policy):
    return decide(evidence, Policy(**policy)).tiers[0].standings


def test_of_a_tier_all_costs_are_over_all_successes():
    first = standings(two_scenarios((0.8, 0.9), (0.2, 0.9)))[0]
    # 100 x .001 + 100 x .004 USD over 80 + 20 successes; the mean of .00125 and .02 is .0106
    assert first.cost_per_success.value == pytest.approx(0.5 / 100)
    assert first.cost_per_success.low < 0.005 < first.cost_per_success.high
    assert first.cost_per_success.n_samples == 2 * N


def test_no_success_in_one_scenario_is_not_no_success_in_the_tier():
    first = standings(two_scenarios((0.8, 0.9), (0.0, 0.9)))[0]
    assert first.cost_per_success.value == pytest.approx(0.5 / 80)
    none = standings(two_scenarios((0.0, 0.9), (0.0, 0.9)))[0]
    assert none.cost_per_success.value is None
    assert none.cost_per_success.method == "no success"


def test_traffic_shares_out_costs_and_successes_alike():
    first = standings(two_scenarios((0.8, 0.9), (0.2, 0.9)), traffic={"easy": 9, "hard": 1})[0]
    # .9 x .001 + .1 x .004 over .9 x .8 + .1 x .2
    assert first.cost_per_success.value == pytest.approx(0.0013 / 0.74)


def test_where_all_passed_the_limits_are_of_cost_and_pass_rate():
    first = standings(two_scenarios((1.0, 0.9), (1.0, 0.9)))[0]
    # equal shares of 100 and 100 samples: n = 1 / (.25 / 100 + .25 / 100) = 200, all passed;
    # constant costs in each: [c, c (n + z^2) / n]
    assert first.cost_per_success.low == pytest.approx(0.0025)
    assert first.cost_per_success.high == pytest.approx(0.0025 * (1 + 1.959964**2 / 200))


def test_the_frontier_draws_the_same_figure():
    # one: .5 USD over 100 of 200; other is dearer and as good on `easy`, without success on `hard`
    found = standings(two_scenarios((0.8, 0.8), (0.2, 0.0), price=((0.001, 0.002), (0.004, 0.008))))
    assert [standing.cost_per_success.value for standing in found] == pytest.approx(
        [0.5 / 100, 1.0 / 80]
    )
    assert found[0].front_chance == 1.0
    assert found[1].front_chance < 0.05


COSTS = (0.001, 0.002, 0.004, 0.1)


def frame(outcomes=(1.0, 0.0, 1.0, UNSCORED)):
    rows = [
        fact("a", f"s{i}", outcome, cost=cost)
        for i, (outcome, cost) in enumerate(zip(outcomes, COSTS, strict=True))
    ]
    return build_frame(manifest(["a"], [(spec(), len(rows))]), rows, ())


def test_an_answer_that_was_not_scored_is_neither_a_success_nor_none():
    made = frame()
    one = read_evidence(made, tiers=()).scenarios[0]
    reported = engineering_cells(made)[0].cost_per_success
    assert usability_cells(made)[0].cost_per_success == reported
    for found in (reported, one.measure("cost_per_success", 0, 0.95), one.successes(0).estimate()):
        # (.001 + .002 + .004) / 2: the 0.1 USD of the fourth bought nobody knows what
        assert found.value == pytest.approx(0.007 / 2)
        assert (found.n_samples, found.n_trials, found.n_missing) == (3, 3, 1)
    assert engineering_cells(made)[0].cost_per_task.value == pytest.approx(sum(COSTS) / 4)


def test_of_repeats_only_the_scored_count():
    rows = [
        fact("a", "s0", 1.0, cost=0.001),
        fact("a", "s0", UNSCORED, repeat=1, cost=0.1),
        fact("a", "s1", 1.0, cost=0.003),
        fact("a", "s1", 0.0, repeat=1, cost=0.005),
    ]
    made = build_frame(manifest(["a"], [(spec(repeats=2), 2)]), rows, ())
    one = read_evidence(made, tiers=()).scenarios[0]
    reported = engineering_cells(made)[0].cost_per_success
    assert reported.value == pytest.approx(0.009 / 2)
    assert one.successes(0).estimate() == reported


def test_where_nothing_was_scored_there_is_no_figure():
    made = frame((UNSCORED,) * 4)
    found = engineering_cells(made)[0].cost_per_success
    assert (found.value, found.method, found.n_missing) == (None, "no scored answers", 4)


def test_costs_of_documents_have_one_interval_in_report_and_decision():
    # 10 documents of 4 samples that cost the same: 10 independent costs, not 40
    each = np.arange(1, 11) / 1000
    rows = [
        fact(name, f"s{i}", 1.0, cost=float(times * each[i // 4]), cluster=f"d{i // 4}")
        for name, times in (("a", 1), ("b", 3))
        for i in range(40)
    ]
    made = build_frame(manifest(["a", "b"], [(spec(tier="t"), 40)]), rows, ())
    decision = decide(read_evidence(made, tiers=()), Policy())
    reported = next(c for c in engineering_cells(made) if c.candidate == "a").cost_per_task
    assert decision.tiers[0].standings[0].cost_per_task == reported
    half = t.ppf(0.975, 9) * each.std(ddof=1) / np.sqrt(10)
    assert (reported.low, reported.high) == pytest.approx((0.0055 - half, 0.0055 + half))
    cost = decision.combination.cost  # of 1,000 tasks, by the same ten documents
    assert cost.high - cost.value == pytest.approx(1000 * half)


def test_a_saving_is_as_sure_as_there_are_documents():
    each = np.repeat(np.arange(1, 11) / 1000, 4)
    one = scenario_of("task", "t", np.ones((1, 40)), cost=each[None])
    kin = replace(one, items=replace(one.items, clusters=np.arange(40) // 4))
    parts = [Part(factor=1000.0, values=each, clusters=who.clusters_of(np.arange(40)))
             for who in (one, kin)]  # fmt: skip
    alone, told = (sum_of_means([part], level=0.95, method="t") for part in parts)
    assert alone.value == told.value == pytest.approx(5.5)
    # variance by 40 samples over 39, t(39), against that by 10 documents over 9, t(9)
    wider = np.sqrt(39 / 9) * t.ppf(0.975, 9) / t.ppf(0.975, 39)
    assert told.high - told.low == pytest.approx(wider * (alone.high - alone.low))
    single = replace(parts[1], clusters=np.zeros(40, dtype=int))
    assert sum_of_means([single], level=0.95, method="t").high is None
