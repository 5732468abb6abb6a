from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.duration.survfunc import SurvfuncRight

from befit.stats.degradation import aptitude, degradation, mean_of_ratios
from befit.stats.survival import survival


def test_the_curve_and_greenwoods_error_of_the_reference():
    times = [1, 2, 2, 3, 3, 3, 5, 5, 5, 5]
    event = [1, 1, 0, 1, 1, 0, 0, 0, 0, 0]
    curve = survival(times, event)
    assert [point.step for point in curve] == [1, 2, 3]
    assert [point.value for point in curve] == pytest.approx([0.9, 0.8, 0.571429], abs=1e-6)
    assert [point.error for point in curve] == pytest.approx(
        [0.094868, 0.126491, 0.163775], abs=1e-6
    )
    assert [point.at_risk for point in curve] == [10, 9, 7]


def test_steps_that_fail_independently_multiply():
    assert pytest.approx(0.598737, abs=1e-6) == 0.95**10
    rng = np.random.default_rng(1)
    fails = rng.random((20_000, 10)) < 0.05
    first = np.where(fails.any(axis=1), fails.argmax(axis=1) + 1, 10)
    last = survival(first, fails.any(axis=1))[-1]
    assert last.low < 0.95**10 < last.high


def test_it_agrees_with_statsmodels_on_random_chains():
    rng = np.random.default_rng(7)
    for _ in range(20):
        times, event = rng.integers(1, 9, 40), rng.integers(0, 2, 40)
        other = SurvfuncRight(times, event)
        curve = survival(times, event)
        kept = [list(other.surv_times).index(point.step) for point in curve]
        assert [point.value for point in curve] == pytest.approx(list(other.surv_prob[kept]))
        alive = [(p, k) for p, k in zip(curve, kept, strict=True) if p.value > 0]
        assert [p.error for p, _ in alive] == pytest.approx(
            [other.surv_prob_se[k] for _, k in alive]
        )


def test_repeats_of_a_sample_add_nothing_to_its_certainty():
    times, event = [1, 2, 3, 3], [1, 1, 0, 0]
    once = survival(times, event)
    thrice = survival(times * 3, event * 3, weights=[1 / 3] * 12)
    assert [p.error for p in thrice] == pytest.approx([p.error for p in once])
    assert [p.value for p in thrice] == pytest.approx([p.value for p in once])
    assert [p.at_risk for p in thrice] == [12, 9]


def test_chains_of_one_document_have_the_error_of_documents_as_in_statsmodels():
    # nothing is censored before the last step, so the curve is the share still alive
    rng = np.random.default_rng(7)
    documents = np.repeat(np.arange(12), 5)
    kind = rng.beta(1, 1, size=12)
    ends = np.minimum(1 + rng.geometric(1 - 0.9 * kind[documents]), 6)
    failed = (ends < 6).astype(float)
    curve = survival(ends, failed, units=documents)
    alone = survival(ends, failed)
    assert len(curve) >= 4
    for point, free in zip(curve, alone, strict=True):
        alive = (ends > point.step).astype(float)
        own = sm.OLS(alive, np.ones(60)).fit(
            cov_type="cluster", cov_kwds={"groups": documents, "use_correction": True}
        )
        assert point.value == pytest.approx(alive.mean())
        assert point.error == pytest.approx(max(own.bse[0], free.error))
        assert point.high - point.low > free.high - free.low
    assert curve[1].error > 1.3 * alone[1].error


def test_a_chain_of_weight_counts_as_much_in_what_is_left():
    # 6 of 10 parts of the weight are still alive after step 1, 2 of these 6 die at step 2
    curve = survival([1, 2, 3], [1, 1, 0], weights=[4, 2, 4], units=[0, 1, 2])
    assert [point.value for point in curve] == pytest.approx([0.6, 0.4])
    assert all(point.low < 0.1 and point.high > 0.9 for point in curve)


def test_the_interval_stays_inside_zero_and_one_and_covers():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2_000):
        fails = rng.random((60, 5)) < 0.1
        first = np.where(fails.any(axis=1), fails.argmax(axis=1) + 1, 5)
        point = next(p for p in reversed(survival(first, fails.any(axis=1))) if p.step <= 3)
        assert 0 <= point.low <= point.value <= point.high <= 1
        hits += point.low <= 0.9**point.step <= point.high
    assert 0.93 <= hits / 2_000 <= 0.97


# Lost in conversation (arXiv 2505.06120), table 1, GPT-4.1: six tasks.
FULL = [96.6, 93.0, 94.7, 54.6, 91.7, 26.5]
CONCAT = [88.7, 86.5, 98.5, 54.4, 89.7, 26.8]
SHARDED = [72.6, 46.0, 62.9, 28.6, 70.7, 13.3]


def test_the_printed_ratios_of_the_paper_are_means_of_ratios():
    assert 100 * mean_of_ratios(CONCAT, FULL) == pytest.approx(97.905, abs=5e-4)
    assert 100 * mean_of_ratios(SHARDED, FULL) == pytest.approx(61.784, abs=5e-4)


def test_aptitude_and_unreliability_are_percentiles_and_need_ten_runs():
    scores = [100, 90, 80, 80, 70, 60, 50, 40, 30, 0]
    found = aptitude([scores])
    assert (found.mean, found.aptitude, found.unreliability) == pytest.approx((60, 91, 64))
    few = aptitude([scores[:9]])
    assert (few.aptitude, few.unreliability, few.n_runs) == (None, None, 9)


def test_degradation_is_paired_and_a_missing_way_of_asking_is_no_zero():
    whole, spread = [1.0, 1.0, 1.0, 0.5, np.nan], [0.5, 1.0, 0.5, 0.5, 1.0]
    found = degradation(spread, whole, n_trials=40)
    assert found.difference.value == pytest.approx(-0.25)
    assert found.kept.value == pytest.approx(2.5 / 3.5)
    assert (found.whole.value, found.other.value) == pytest.approx((0.875, 0.625))
    assert (found.difference.n_samples, found.whole.n_missing) == (4, 1)
    assert degradation([np.nan], [1.0], n_trials=0).kept.value is None


def test_where_no_chain_is_left_the_bound_is_that_of_none_of_so_many():
    (only,) = survival([1, 1, 1, 1], [1, 1, 1, 1])
    assert (only.value, only.low) == (0.0, 0.0)
    assert only.high == pytest.approx(1 - 0.025 ** (1 / 4))  # 0 of 4, Clopper and Pearson
    repeated = survival([1] * 12, [1] * 12, weights=[1 / 3] * 12)[-1]
    assert repeated.high == pytest.approx(only.high)
    later = survival([1, 2, 2, 2], [1, 1, 1, 1])
    assert later[-1].high == pytest.approx(later[0].high * (1 - 0.025 ** (1 / 3)))
