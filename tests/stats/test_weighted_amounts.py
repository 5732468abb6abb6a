"""Costs and latencies of samples that weigh unequally, and as before where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.regression.linear_model import OLS

from befit.stats.means import estimate_amount
from befit.stats.quantiles import Ranked, estimate_quantile
from befit.stats.ratio import (
    estimate_per_success,
    ratio_interval,
    stratified_ratio_interval,
    stratum_of,
)
from befit.stats.redrawn import redraw, redrawn_quantiles

RNG = np.random.default_rng(7)
N = 120
COSTS = RNG.lognormal(size=N)
PASSED = (RNG.random(N) < 0.7).astype(float)
ALIKE = np.full(N, 3.0)
DOCUMENTS = np.arange(N) // 4
ONES = np.ones(N)


def test_equal_weights_change_no_digit_of_a_mean():
    plain = estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True)
    assert estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True, weights=ALIKE) == plain


@pytest.mark.parametrize("q", [0.5, 0.95])
@pytest.mark.parametrize("clusters", [None, DOCUMENTS])
def test_equal_weights_change_no_digit_of_a_quantile(q, clusters):
    plain = estimate_quantile(COSTS, q=q, n_samples=N, n_missing=0, clusters=clusters)
    same = estimate_quantile(COSTS, q=q, n_samples=N, n_missing=0, clusters=clusters, weights=ALIKE)
    assert same == plain


@pytest.mark.parametrize("clusters", [None, DOCUMENTS])
@pytest.mark.parametrize("passed", [PASSED, ONES])
def test_equal_weights_change_no_digit_of_the_cost_per_success(passed, clusters):
    counts = {"n_missing": 0, "clusters": clusters}
    plain = estimate_per_success(COSTS, passed, ONES, **counts)
    assert estimate_per_success(COSTS, passed, ONES, weights=ALIKE, **counts) == plain


def test_the_weighted_interval_of_a_ratio_becomes_fiellers_as_the_weights_become_equal():
    weighted = stratified_ratio_interval([stratum_of(COSTS, PASSED, ONES)])
    plain = ratio_interval(COSTS, PASSED)
    assert (weighted.value, weighted.low, weighted.high) == pytest.approx(
        (plain.value, plain.low, plain.high), rel=1e-9
    )


def test_a_mean_is_weighted():
    # 40 short of 20 tokens that stand for 96 each, 40 long of 2,000 that stand for 5:
    # (40 x 96 x 20 + 40 x 5 x 2,000) / (40 x 101) = 476,800 / 4,040
    values, weights = np.repeat([20.0, 2000.0], 40), np.repeat([96.0, 5.0], 40)
    found = estimate_amount(values, n_trials=80, n_missing=0, counted=True, weights=weights)
    assert found.value == pytest.approx(476_800 / 4_040)
    assert found.low < found.value < found.high
    # Kish: (40 x 101)^2 / (40 x (96^2 + 5^2)) = 44.2 samples
    assert found.method == "weighted t, 44.2 effective"


def test_costs_of_one_document_are_no_evidence_of_their_own():
    # 30 documents of 4 samples, as CR1 of statsmodels has it, with t(29)
    fit = OLS(COSTS, ONES).fit(
        cov_type="cluster", cov_kwds={"groups": DOCUMENTS, "use_correction": True}
    )
    half = t.ppf(0.975, 29) * fit.bse[0]
    found = estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True, clusters=DOCUMENTS)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert found.method == "clustered t, 30 clusters"
    alone = estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True, clusters=np.arange(N))
    assert alone == estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True)


def test_documents_of_alike_costs_know_no_more_than_one_sample_each():
    once, weights = COSTS[:30], np.arange(30) % 3 + 1.0
    plain = estimate_amount(once, n_trials=30, n_missing=0, weights=weights)
    kin = estimate_amount(
        np.repeat(once, 4), n_trials=N, n_missing=0, weights=np.repeat(weights, 4),
        clusters=DOCUMENTS,
    )  # fmt: skip
    assert (kin.value, kin.low, kin.high) == pytest.approx((plain.value, plain.low, plain.high))
    assert kin.method == f"{plain.method}, 30 clusters"


def test_costs_of_one_document_alone_have_no_limits():
    for weights in (None, np.arange(N) + 1.0):
        found = estimate_amount(COSTS, n_trials=N, n_missing=0, counted=True, weights=weights,
                                clusters=np.zeros(N))  # fmt: skip
        assert (found.low, found.high) == (None, None)


def test_quantiles_are_of_the_traffic_and_not_of_the_samples():
    values, weights = np.repeat([20.0, 2000.0], 40), np.repeat([96.0, 5.0], 40)
    ranked = Ranked(values, weights=weights)
    # 95.05 % of the traffic is short
    assert (ranked.reach(0.5), ranked.reach(0.95), ranked.reach(0.96)) == (20, 20, 2000)
    middle = ranked.interval(0.5)
    assert (middle.low, middle.value, middle.high) == (20, 20, 20)


def test_a_quantile_of_weighted_values_is_that_of_as_many_repeated_ones():
    weights = RNG.integers(1, 6, size=N)
    repeated = np.sort(np.repeat(COSTS, weights))
    ranked = Ranked(COSTS, weights=weights)
    for q in (0.1, 0.5, 0.9, 0.95):
        assert ranked.reach(q) == repeated[int(np.ceil(q * repeated.size)) - 1]


def test_the_top_of_few_effective_values_has_no_upper_limit():
    weights = np.r_[np.full(10, 1000.0), np.ones(N - 10)]
    found = Ranked(COSTS, weights=weights).interval(0.95)
    assert found.high is None


def test_cost_per_success_is_weighted_cost_over_weighted_successes():
    weights = np.where(np.arange(N) % 3 == 0, 9.0, 1.0)
    found = estimate_per_success(COSTS, PASSED, ONES, n_missing=0, weights=weights)
    assert found.value == pytest.approx((weights * COSTS).sum() / (weights * PASSED).sum())
    assert found.low < found.value < found.high


def test_repeats_of_a_weighted_sample_count_by_their_mean():
    # one sample of weight 3 with 4 trials at 1 USD, all passed; one of weight 1, 1 trial at 5 USD
    costs, passed, tried = [4.0, 5.0, 2.0], [4, 0, 1], [4, 1, 1]
    found = estimate_per_success(costs, passed, tried, n_missing=0, weights=[3.0, 1.0, 2.0])
    # (3 x 1 + 1 x 5 + 2 x 2) / (3 x 1 + 1 x 0 + 2 x 1) = 12 / 5
    assert found.value == pytest.approx(12 / 5)


def test_quantiles_redrawn_by_equal_weights_are_those_redrawn_without():
    counts = redraw(N, rng=np.random.default_rng(1), draws=30)
    plain = redrawn_quantiles(COSTS, np.arange(N), counts, (0.5, 0.95))
    same = redrawn_quantiles(COSTS, np.arange(N), counts, (0.5, 0.95), weights=ALIKE)
    assert np.array_equal(plain, same)


def test_weighted_intervals_cover_what_they_are_of():
    """300 draws of 60 samples whose cost and pass rate go with their lognormal weight."""
    rng = np.random.default_rng(3)

    def world(n):
        weights = rng.lognormal(size=n)
        costs = rng.lognormal(sigma=0.6, size=n) * (1 + 1 / (1 + weights))
        passed = (rng.random(n) < 0.4 + 0.4 / (1 + weights)).astype(float)
        return weights, costs, passed

    weights, costs, passed = world(1_000_000)
    truth = {
        "p50": Ranked(costs, weights=weights).reach(0.5),
        "mean": (weights * costs).sum() / weights.sum(),
        "success": (weights * costs).sum() / (weights * passed).sum(),
    }
    held = dict.fromkeys(truth, 0)
    counts = {"n_missing": 0}
    for _ in range(300):
        weights, costs, passed = world(60)
        found = {
            "p50": estimate_quantile(costs, q=0.5, n_samples=60, weights=weights, **counts),
            "mean": estimate_amount(costs, n_trials=60, counted=True, weights=weights, **counts),
            "success": estimate_per_success(costs, passed, np.ones(60), weights=weights, **counts),
        }
        for name, one in found.items():
            high = np.inf if one.high is None else one.high
            held[name] += (one.low or 0.0) <= truth[name] <= high
    # nominal 95 %; with 300 draws three standard errors are 3.8 points
    assert min(held.values()) >= 0.912 * 300
