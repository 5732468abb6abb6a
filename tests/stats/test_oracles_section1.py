"""Golden values: intervals, paired differences, power, variance."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_oracle
from statsmodels.stats.proportion import proportion_confint

from befit.stats.clusters import clustered_error
from befit.stats.intervals import (
    beta_interval,
    clopper_pearson,
    jeffreys,
    standard_error,
    t_interval,
    wilson,
)
from befit.stats.paired import bonett_price, paired_difference
from befit.stats.power import connor_n, miller_n, miller_smallest, smallest_detectable
from befit.stats.signflip import sign_flip_p
from befit.stats.tables import mcnemar, newcombe, tango
from befit.stats.variance import split_variance

RNG = np.random.default_rng


def close(value, low, high, tolerance=1e-6):
    assert value.low == pytest.approx(low, abs=tolerance)
    assert value.high == pytest.approx(high, abs=tolerance)


def diffs(plus: int, minus: int, n: int) -> np.ndarray:
    return np.array([1.0] * plus + [-1.0] * minus + [0.0] * (n - plus - minus))


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (8, 10, 0.490162, 0.943318),
        (20, 20, 0.838875, 1.0),
        (0, 20, 0.0, 0.161125),
        (45, 50, 0.786398, 0.956524),
        (150, 200, 0.685659, 0.804918),
    ],
)
def test_wilson_has_the_known_limits(k, n, low, high):
    close(wilson(k, n=n), low, high)
    oracle = proportion_confint(k, n, method="wilson")
    close(wilson(k, n=n), *oracle, tolerance=1e-12)


def test_the_other_proportion_intervals_have_the_known_limits():
    close(clopper_pearson(8, n=10), 0.443905, 0.974789)
    close(jeffreys(8, n=10), 0.497226, 0.955941)
    close(beta_interval(8, n=10), 0.482244, 0.939782)
    close(clopper_pearson(20, n=20), *proportion_confint(20, 20, method="beta"))


@pytest.mark.parametrize(
    ("n", "p", "error"), [(164, 0.836, 0.0289), (5000, 0.655, 0.0067), (2500, 0.753, 0.0086)]
)
def test_standard_errors_of_the_error_bars_paper_come_out(n, p, error):
    assert np.sqrt(p * (1 - p) / n) == pytest.approx(error, abs=5e-5)
    # on items: the divisor is n - 1, and n p is rounded to whole items
    right = round(n * p)
    assert standard_error([1.0] * right + [0.0] * (n - right)) == pytest.approx(error, rel=0.01)


def test_general_power_formula_gives_the_papers_thousand():
    assert miller_n(0.03, between=1 / 9) == pytest.approx(968.998, abs=1e-3)
    kwargs = {"between": 1 / 9, "within": (1 / 6, 1 / 6)}
    assert miller_smallest(198, **kwargs) == pytest.approx(0.13273, abs=1e-5)
    assert miller_smallest(198, **kwargs, repeats=(10, 10)) == pytest.approx(0.07567, abs=1e-5)


def test_tool_use_data_twenty_items():
    close(wilson(18, n=20), 0.6990, 0.9721, 1e-4)
    close(wilson(12, n=20), 0.3866, 0.7812, 1e-4)
    found = mcnemar(6, 0)
    assert found.exact == pytest.approx(0.03125)
    assert found.mid_p == pytest.approx(0.015625)
    d = diffs(6, 0, 20)
    assert sign_flip_p(d, rng=RNG(0)) == pytest.approx(0.03125)
    assert standard_error(d) == pytest.approx(0.10513, abs=1e-5)
    a, b = [1.0] * 18 + [0.0] * 2, [1.0] * 12 + [0.0] * 8
    unpaired = np.hypot(standard_error(a), standard_error(b))
    assert unpaired == pytest.approx(0.13179, abs=1e-5)


def test_mcnemar_of_the_two_textbook_tables():
    agresti = mcnemar(86, 150)
    assert agresti.chi2 == pytest.approx(17.3559, abs=1e-4)
    assert agresti.chi2_p == pytest.approx(3.099e-05, rel=1e-3)
    assert agresti.corrected == pytest.approx(16.8178, abs=1e-4)
    assert agresti.corrected_p == pytest.approx(4.115e-05, rel=1e-3)
    assert agresti.exact == pytest.approx(3.716e-05, rel=1e-3)
    wikipedia = mcnemar(6, 16)
    assert wikipedia.chi2 == pytest.approx(4.5455, abs=1e-4)
    assert wikipedia.corrected == pytest.approx(3.6818, abs=1e-4)
    assert wikipedia.corrected_p == pytest.approx(0.05501, abs=1e-5)
    assert wikipedia.exact == pytest.approx(0.05248, abs=1e-5)
    assert wikipedia.mid_p == pytest.approx(0.03469, abs=1e-5)
    oracle = mcnemar_oracle([[794, 86], [150, 570]], exact=True)
    assert agresti.exact == pytest.approx(oracle.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((20, 12, 2, 16), 0.0562, 0.3292),
        ((18, 14, 0, 18), 0.1441, 0.3963),
        ((54, 0, 0, 0), -0.0664, 0.0664),
    ],
)
def test_newcombes_tables(table, low, high):
    close(newcombe(*table), low, high, 1e-4)


def test_bonett_price_and_tango_limits():
    close(bonett_price(diffs(12, 2, 50)), 0.050892, 0.333724)
    close(tango(12, 2, n=50), 0.061112, 0.344709)
    close(tango(0, 0, n=20), -0.161125, 0.161125)
    close(tango(1, 7, n=21), -0.5172, -0.0260, 1e-4)


def test_clustered_errors_of_thirteen_items_in_four_clusters():
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1], dtype=float)
    groups = np.repeat([0, 1, 2, 3], [4, 3, 2, 4])
    assert y.mean() == pytest.approx(0.538462, abs=1e-6)
    assert standard_error(y) == pytest.approx(0.143910, abs=1e-6)
    assert clustered_error(y, groups, corrected=False) == pytest.approx(0.139273, abs=1e-6)
    assert clustered_error(y, groups) == pytest.approx(0.160819, abs=1e-6)
    for corrected in (False, True):
        fit = OLS(y, np.ones_like(y)).fit(
            cov_type="cluster", cov_kwds={"groups": groups, "use_correction": corrected}
        )
        mine = clustered_error(y, groups, corrected=corrected)
        assert mine == pytest.approx(float(fit.bse[0]), rel=1e-12)


def test_variance_is_split_between_items_and_repeats():
    table = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]]
    found = split_variance(table)
    assert found.mean_square_between == pytest.approx(0.675)
    assert found.mean_square_within == pytest.approx(0.15)
    assert found.between_items == pytest.approx(0.13125)
    assert found.icc == pytest.approx(0.466667, abs=1e-6)
    assert found.standard_error == pytest.approx(0.183712, abs=1e-6)
    assert found.standard_error == pytest.approx(standard_error(np.mean(table, axis=1)))
    # the share is 0.0375 of 0.13125 and 0.0375 together: 0.15 / 4 is the noise of four repeats
    assert found.share_by_repeats == pytest.approx(0.0375 / 0.16875)


def test_sign_flip_of_ten_item_means():
    d = [0.4, 0.2, 0, -0.2, 0.6, 0.2, 0, 0.4, -0.2, 0.2]
    assert sign_flip_p(d, rng=RNG(0)) == pytest.approx(0.140625)


def test_t_interval_agrees_with_the_t_test_of_ten_item_means():
    d = np.array([0.4, 0.2, 0, -0.2, 0.6, 0.2, 0, 0.4, -0.2, 0.2])
    # p = 0.08684, so 0 is exactly the limit of the interval at that level
    found = t_interval(d, level=1 - 0.08684, limits=(None, None))
    assert found.low == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(
    ("psi", "d", "n"), [(0.2, 0.1, 154.6), (0.15, 0.05, 468.6), (0.1, 0.03, 869.7)]
)
def test_paired_binary_sample_sizes(psi, d, n):
    assert connor_n(d, discordance=psi) == pytest.approx(n, abs=0.05)


@pytest.mark.parametrize(
    ("n", "mde"), [(50, 0.173), (100, 0.124), (200, 0.088), (500, 0.056), (1000, 0.040)]
)
def test_smallest_detectable_difference(n, mde):
    assert smallest_detectable(n) == pytest.approx(mde, abs=5e-4)


def test_six_to_nil_is_significant_and_five_to_nil_is_not():
    assert sign_flip_p(diffs(6, 0, 6), rng=RNG(0)) == pytest.approx(0.03125)
    assert sign_flip_p(diffs(5, 0, 5), rng=RNG(0)) == pytest.approx(0.0625)
    assert smallest_detectable(5) is None
    assert smallest_detectable(6) is not None


def test_paired_difference_of_the_tool_use_data_is_an_estimate():
    a, b = np.array([1.0] * 18 + [0.0] * 2), np.array([1.0] * 12 + [0.0] * 8)
    found = paired_difference(a, b, binary_single=True, rng=RNG(0))
    assert found.estimate.value == pytest.approx(0.3)
    assert found.estimate.n_samples == 20
    assert found.estimate.method == "bonett-price"
    assert found.p_value == pytest.approx(0.03125)
