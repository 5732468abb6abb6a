"""Golden values: monitoring, drift, error budgets."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest
from scipy.stats import fisher_exact

from befit.core.estimate import Estimate
from befit.stats.burnrate import BURN_RULES, budget_used, burn_rate, burning
from befit.stats.confidence import (
    confidence_sequence,
    e_to_p,
    log_e_value,
    mean_half_width,
    mixture_likelihood_ratio,
    to_number,
)
from befit.stats.drift import binned, cusum, kolmogorov_smirnov, psi, psi_null, quantile_edges
from befit.stats.ecusum import (
    alarm_threshold,
    evidence_of_drop,
    first_alarm,
    log_weights,
    observe,
    start_detector,
)
from befit.stats.gates import against_ceiling, against_floor, non_inferior
from befit.stats.twowindows import two_rates

MONTGOMERY = [
    *(9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46, 9.20, 10.34),
    *(9.03, 11.47, 10.51, 9.40, 10.08, 9.37, 10.62, 10.31, 8.52, 10.84),
    *(10.90, 9.33, 12.29, 11.50, 10.60, 11.08, 10.38, 11.62, 11.31, 10.52),
]


def test_cusum_of_the_textbook_series():
    up, down = cusum(MONTGOMERY, mean=10, slack=0.5)
    assert up[27:30] == pytest.approx([4.47, 5.28, 5.30], abs=0.005)
    assert int(np.flatnonzero(up > 5)[0]) + 1 == 29
    assert down.max() == pytest.approx(1.77, abs=0.005)


@pytest.mark.parametrize(
    ("s", "n", "p", "e"),
    [
        (80, 100, 0.8, 0.099708),
        (70, 100, 0.8, 1.907836),
        (60, 100, 0.8, 4274.60),
        (5, 5, 0.5, 16 / 3),
        (180, 200, 0.95, 3.306453),
    ],
)
def test_e_values_of_a_rate(s, n, p, e):
    assert to_number(log_e_value(s, n=n, p=p)) == pytest.approx(e, rel=1e-5)


@pytest.mark.parametrize(
    ("s", "n", "low", "high"),
    [(80, 100, 0.651792, 0.907231), (20, 20, 0.739329, 1), (800, 1000, 0.752119, 0.842745)],
)
def test_confidence_sequences(s, n, low, high):
    found = confidence_sequence(s, n=n)
    assert found.low == pytest.approx(low, abs=1e-6)
    assert found.high == pytest.approx(high, abs=1e-6)


def test_mixture_likelihood_ratio_of_a_mean():
    e = mixture_likelihood_ratio(0.3, n=100, null=0, variance=1, spread=0.1)
    assert e == pytest.approx(18.028637, abs=1e-6)
    assert e_to_p(e) == pytest.approx(0.055467, abs=1e-6)
    wide = mixture_likelihood_ratio(0.0, n=100, null=0, variance=1, spread=1)
    assert wide == pytest.approx(0.099504, abs=1e-6)
    # the interval ends where the ratio reaches 1 / alpha
    half = mean_half_width(n=100, variance=1, spread=0.1, level=0.95)
    edge = mixture_likelihood_ratio(half, n=100, null=0, variance=1, spread=0.1)
    assert edge == pytest.approx(20)


def test_weights_of_one_success_and_one_failure():
    ok, fail = log_weights(baseline=0.95, alternative=0.90)
    assert fail == pytest.approx(0.693147, abs=1e-6)
    assert ok == pytest.approx(-0.054067, abs=1e-6)


@pytest.mark.parametrize("p", [0.8, 0.9, 1.0])
def test_evidence_of_a_drop_has_mean_at_most_one_by_enumeration(p):
    for n in (1, 4, 8):
        mean = 0.0
        for outcome in product((0, 1), repeat=n):
            chance = p ** sum(outcome) * (1 - p) ** (n - sum(outcome))
            path = evidence_of_drop(outcome, baseline=0.8, alternatives=(0.5, 0.7))
            mean += chance * np.exp(path[-1])
        assert mean <= 1 + 1e-9


def test_the_detector_forgets_good_times_and_goes_on_where_it_stopped():
    rng = np.random.default_rng(0)
    stream = np.concatenate((rng.random(500) < 0.95, rng.random(200) < 0.7))
    start = start_detector(baseline=0.95, alternatives=(0.9, 0.8))
    _, whole = observe(start, stream)
    state, pieces = start, []
    for chunk in np.array_split(stream, 13):
        state, path = observe(state, chunk)
        pieces.append(path)
    assert np.concatenate(pieces) == pytest.approx(whole)
    assert state.seen == stream.size
    assert state.level == pytest.approx(whole[-1])
    slow, s = [], -np.inf
    ok, fail = log_weights(baseline=0.95, alternative=0.9)
    for success in stream:
        s = max(s, 0) + (ok if success else fail)
        slow.append(s)
    _, single = observe(start_detector(baseline=0.95, alternatives=(0.9,)), stream)
    assert single == pytest.approx(slow)
    alarm = first_alarm(whole, threshold=log(1000))
    assert alarm is not None
    assert 500 <= alarm < 560


@pytest.mark.parametrize(("h", "at_baseline", "at_double"), [(3, 1300, 116), (4, 4100, 158)])
def test_run_lengths_of_the_cusum(h, at_baseline, at_double):
    # a block of streams at once: the mean over alarms of the waiting time
    def mean_wait(p_fail: float, length: int) -> float:
        rng = np.random.default_rng(7)
        start = start_detector(baseline=0.95, alternatives=(0.9,))
        waits = []
        for _ in range(120):
            _, path = observe(start, rng.random(length) >= p_fail)
            alarm = first_alarm(path, threshold=h)
            waits.append(length if alarm is None else alarm + 1)
        return float(np.mean(waits))

    assert mean_wait(0.05, 30_000) == pytest.approx(at_baseline, rel=0.35)
    assert mean_wait(0.10, 3_000) == pytest.approx(at_double, rel=0.25)


def test_threshold_of_a_false_alarm_budget():
    assert alarm_threshold(observations=1000) == pytest.approx(log(1000))
    # 144,000 observations a month, one false alarm in three months
    assert alarm_threshold(observations=144_000, alarms=1 / 3) == pytest.approx(log(432_000))


def test_psi_and_what_it_is_without_drift():
    assert psi([10, 20, 30, 40], [20, 20, 30, 30]) == pytest.approx(0.098083, abs=1e-6)
    assert psi([1, 1, 1, 1], [40, 30, 20, 10]) == pytest.approx(0.228217, abs=1e-6)
    assert psi([3, 4, 5], [6, 8, 10]) == pytest.approx(0)
    assert psi_null(bins=10, n=100, m=100).mean == pytest.approx(0.18)
    for n, critical in ((100, 0.338), (200, 0.169), (1000, 0.0338)):
        assert psi_null(bins=10, n=n, m=n).critical == pytest.approx(critical, abs=5e-4)


def test_bins_hold_equal_shares_of_the_baseline():
    x = np.random.default_rng(0).exponential(size=1000)
    assert binned(x, quantile_edges(x)) == pytest.approx([100] * 10)
    assert binned([1.0, 1.0, 1.0], quantile_edges([1.0, 1.0, 1.0])).sum() == 3


def test_two_independent_windows():
    found = two_rates(45, n=100, second=56, m=100, exact=True)
    assert found.z_p == pytest.approx(0.119776, abs=1e-6)
    assert found.interval.low == pytest.approx(-0.242325, abs=1e-6)
    assert found.interval.high == pytest.approx(0.028079, abs=1e-6)
    assert found.fisher_p == pytest.approx(0.157111, abs=1e-6)
    assert two_rates(1, n=10, second=5, m=9).p_value == pytest.approx(
        fisher_exact([[1, 9], [5, 4]]).pvalue
    )


def test_budget_that_burns():
    used = [budget_used(r.factor, hours=r.long_hours) for r in BURN_RULES]
    assert used == pytest.approx([0.02, 0.05, 0.10])
    assert burn_rate(0, total=0, objective=0.99) is None
    # 20 % bad against 1 % allowed burns 20-fold, in both windows
    fast = {1.0: (40, 200), 1 / 12: (4, 20), 6.0: (40, 1200), 0.5: (1, 100)}
    fired = burning(fast, objective=0.99, minimum=100)
    assert [rule.factor for rule in fired] == [14.4]
    assert burning(fast, objective=0.99, minimum=500) == ()


def test_kolmogorov_smirnov_of_five_against_five():
    found = kolmogorov_smirnov([1, 2, 3, 4, 5], [3, 4, 5, 6, 7])
    assert found.distance == pytest.approx(0.4)
    assert found.p_value == pytest.approx(0.873016, abs=1e-6)
    assert kolmogorov_smirnov([1, 2], [1, 2]).distance == 0


def bounds(low: float | None, high: float | None) -> Estimate:
    return Estimate(
        value=0.0, low=low, high=high, n_samples=1, n_trials=1, n_missing=0, method="", level=0.9
    )


def test_gates_are_three_valued():
    assert against_floor(bounds(0.9, 0.99), floor=0.9) == "pass"
    assert against_floor(bounds(0.7, 0.89), floor=0.9) == "fail"
    assert against_floor(bounds(0.8, 0.95), floor=0.9) == "insufficient_evidence"
    assert against_ceiling(bounds(1.0, None), ceiling=2.0) == "insufficient_evidence"
    assert against_ceiling(bounds(1.0, 1.9), ceiling=2.0) == "pass"
    assert against_ceiling(bounds(2.1, None), ceiling=2.0) == "fail"


def test_non_inferiority_is_three_valued():
    assert non_inferior(bounds(-0.01, 0.05), margin=0.02) == "pass"
    assert non_inferior(bounds(-0.09, -0.03), margin=0.02) == "fail"
    assert non_inferior(bounds(-0.05, 0.05), margin=0.02) == "insufficient_evidence"
