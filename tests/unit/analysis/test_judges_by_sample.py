"""What is said of a judge counts samples: by their weight, in their documents, however often."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.regression.linear_model import OLS

from befit.analysis.judges import Verdict, corrected, reliability
from befit.stats.means import estimate_mean
from befit.stats.ppi import estimate_judged_mean
from befit.stats.twowindows import shared_rates


def verdict(candidate, sample, value, *, length=10, order="", repeat=0):
    return Verdict(candidate=candidate, sample_id=sample, repeat=repeat, part="p", value=value,
                   length=length, order=order)  # fmt: skip


def test_verdicts_on_many_answers_to_a_sample_are_no_further_samples():
    verdicts = [verdict(c, f"s{n}", 1.0 if n < 8 else None) for n in range(10) for c in "abc"]
    parsed = reliability("j", "task", verdicts).parsed
    once = estimate_mean([1.0] * 8 + [0.0] * 2, n_trials=30, n_missing=0, binary=True)
    assert parsed == once
    assert (parsed.n_samples, parsed.n_trials) == (10, 30)


def test_samples_of_weight_and_of_one_document_count_so_for_a_judge():
    # 6 of 10 pairs keep their winner; those that flip weigh 3: 4 x 3 of 18 parts
    verdicts = []
    for n in range(10):
        verdicts += [
            verdict("a", f"s{n}", 1.0, order="as is"),
            verdict("a", f"s{n}", float(n >= 6), order="swapped"),
        ]
    traits = {f"s{n}": (f"d{n // 2}", 3.0 if n >= 6 else 1.0) for n in range(10)}
    found = reliability("j", "task", verdicts, traits=traits)
    assert found.flip_rate.value == pytest.approx(12 / 18)
    assert found.flip_rate.method == "weighted mean, wilson, pooled ratio, only 5 clusters"
    assert (found.flip_rate.n_samples, found.flip_rate.n_trials) == (10, 20)


def test_a_liking_for_its_family_is_that_of_the_weighted_samples():
    verdicts = [verdict("own", f"s{n}", 1.0, length=100 + n) for n in range(20)]
    verdicts += [verdict("other", f"s{n}", float(n < 15), length=n) for n in range(20)]
    traits = {f"s{n}": (None, 3.0 if n >= 15 else 1.0) for n in range(20)}
    told = reliability("j", "t", verdicts, family={"own": True, "other": False}, traits=traits)
    # the 5 that it likes better weigh 15 of 30 parts; they are the longer answers, too
    assert told.family_preference.value == pytest.approx(0.5)
    assert told.length_preference.value == pytest.approx(0.5)
    assert "weighted" in told.family_preference.method
    assert told.length_preference.method.startswith("newcombe, no narrower than by 20 units")
    assert told.length_preference.n_samples == 20


def test_a_question_asked_twice_counts_whatever_its_sample_weighs_and_says_so():
    again = reliability("j", "t", [], again=[["pass", "pass"], ["pass", "fail"]]).self_agreement
    assert (again.value, again.method.endswith(", each question alike")) == (0.5, True)
    assert reliability("j", "t", []).self_agreement.method == "no question was asked twice"


def test_rates_that_share_their_samples_have_the_clustered_error_of_statsmodels():
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(25), 4)
    chosen = units % 5 < 2  # whole units on one side: nothing is paired
    y = (rng.random(100) < rng.beta(0.3, 0.3, size=25)[units]).astype(float)
    found = shared_rates(y, chosen, units=units)
    fit = OLS(y, np.column_stack((np.ones(100), chosen))).fit(
        cov_type="cluster", cov_kwds={"groups": units, "use_correction": True}
    )
    # its correction has (n - 1) / (n - 2) for two coefficients beside G / (G - 1)
    half = t.ppf(0.975, 24) * fit.bse[1] * sqrt(98 / 99)
    assert found.value == pytest.approx(fit.params[1])
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


LABELS, JUDGED = "11010110101110110111", "11011110111110111101"
Y, F = (np.array([float(c) for c in bits]) for bits in (LABELS, JUDGED))
REST = np.array([1.0] * 150 + [0.0] * 50)


def test_documents_of_three_alike_answers_know_no_more_than_one_answer_each():
    units = np.r_[np.repeat(np.arange(20), 3), np.repeat(np.arange(20, 220), 3)]
    once = estimate_judged_mean(Y, F, REST, weight=1.0)
    thrice = estimate_judged_mean(*(np.repeat(x, 3) for x in (Y, F, REST)), weight=1.0, units=units)
    assert thrice.value == pytest.approx(once.value)
    # 220 documents, 20 of them with labels: t(19) for z, and the factor 220 / 219
    wider = t.ppf(0.975, 19) / norm.ppf(0.975) * sqrt(220 / 219)
    assert thrice.high - thrice.low == pytest.approx(wider * (once.high - once.low))


def test_labelled_and_judged_answers_count_by_the_weight_of_their_samples():
    verdicts = [verdict("a", f"s{n}", float(v)) for n, v in enumerate(F)]
    verdicts += [verdict("a", f"u{n}", v) for n, v in enumerate(REST)]
    given = {("a", f"s{n}", 0): float(v) for n, v in enumerate(Y)}
    traits = {f"u{n}": (None, 3.0 if n >= 150 else 1.0) for n in range(200)}
    weighted = corrected(given, verdicts, traits=traits)["a"]
    plain = corrected(given, verdicts)["a"]
    # the judge passes 150 of 300 parts of the rest, not 150 of 200; its weight is .439759
    assert plain.value - weighted.value == pytest.approx(0.439759 * (0.75 - 0.5), abs=1e-6)
    assert "20.0 effective units with labels" in weighted.method


def test_labels_of_one_document_alone_correct_nothing():
    found = estimate_judged_mean(Y, F, REST, units=np.r_[np.zeros(20), np.arange(1, 201)])
    assert found.value is None
    assert "of one document" in found.method
