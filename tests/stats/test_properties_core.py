"""Properties that hold for every input, by random search."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from befit.stats.agreement import pairwise_agreement
from befit.stats.bootstrap import bootstrap_mean
from befit.stats.groups import compact_letters, rank_sets
from befit.stats.intervals import effective_wilson, score_interval, wilson
from befit.stats.means import estimate_mean
from befit.stats.multiplicity import benjamini_hochberg, holm
from befit.stats.paired import bonett_price, paired_difference
from befit.stats.passk import pass_at_k, pass_hat_k
from befit.stats.power import connor_n, smallest_detectable
from befit.stats.signflip import sign_flip_p
from befit.stats.smaa import smaa
from befit.stats.tables import mcnemar

RNG = np.random.default_rng
counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
few = settings(max_examples=60, deadline=None)
label_tables = arrays(
    np.int64, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.integers(0, 3)
)
scores = st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), min_size=1, max_size=60)


@given(counts)
@few
def test_wilson_lies_in_the_unit_interval_and_holds_the_rate(case):
    k, n = case
    found = wilson(k, n=n)
    assert 0 <= found.low <= k / n <= found.high <= 1
    assert found.high - found.low > 0
    wider = wilson(k, n=n, level=0.99)
    assert wider.low <= found.low
    assert wider.high >= found.high
    larger = wilson(2 * k, n=2 * n)
    assert larger.high - larger.low < found.high - found.low


@given(scores)
@few
def test_no_interval_of_scores_is_degenerate(values):
    for binary in (True, False):
        found = estimate_mean(values, n_trials=len(values), n_missing=0, binary=binary)
        assert 0 <= found.low < found.high <= 1
        assert found.low - 1e-12 <= found.value <= found.high + 1e-12


@given(scores, st.integers(2, 5))
@few
def test_clustered_intervals_of_scores_are_never_degenerate(values, size):
    clusters = np.arange(len(values)) // size
    found = estimate_mean(
        values, n_trials=len(values), n_missing=0, binary=False, clusters=clusters
    )
    assert 0 <= found.low < found.high <= 1


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20))
@few
def test_sign_flip_is_the_exact_mcnemar_test_for_single_binary_trials(b, c, ties):
    d = np.array([1.0] * b + [-1.0] * c + [0.0] * ties)
    assert sign_flip_p(d, rng=RNG(0)) == pytest.approx(mcnemar(b, c).exact, rel=1e-9)


@given(st.lists(st.integers(-5, 5), min_size=17, max_size=22))
@few
def test_the_transform_equals_enumeration(steps):
    d = np.array(steps) / 5
    sums = np.zeros(1)
    for step in steps:
        sums = np.concatenate((sums + step, sums - step))
    exact = float((np.abs(sums) >= abs(sum(steps))).mean())
    assert sign_flip_p(d, rng=RNG(0)) == pytest.approx(exact, rel=1e-9)


def test_drawn_flips_agree_with_the_exact_test():
    d = RNG(5).normal(0.2, 1, size=40)
    drawn = sign_flip_p(d, rng=RNG(1), draws=100_000)
    exact = sign_flip_p(np.round(d, 2), rng=RNG(1))
    assert drawn == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(("shift", "draws"), [(0.0, 100_000), (0.02, 100_000), (0.035, 400_000)])
def test_many_scores_are_judged_as_by_a_great_many_draws(shift, draws):
    d = RNG(3).normal(shift, 0.3, size=400)
    size = np.abs(d)
    seen = abs(d.sum())
    flips = RNG(4).integers(0, 2, size=(draws // 100, 100, size.size), dtype=np.int8)
    drawn = float(np.mean([(np.abs((2 * block - 1) @ size) >= seen).mean() for block in flips]))
    band = 4 * np.sqrt(drawn * (1 - drawn) / draws) + 0.02 * drawn
    assert abs(sign_flip_p(d, rng=RNG(0)) - drawn) < band


def test_an_exact_test_needs_no_seed():
    d = np.array([0.2] * 70 + [-0.2] * 40 + [0.25] * 9 + [-0.4] * 5 + [1 / 3] * 3)
    assert sign_flip_p(d, rng=RNG(0)) == sign_flip_p(d, rng=RNG(1))


def test_whole_clusters_are_flipped():
    d = np.array([0.5, 0.5, 0.25, 0.25, -0.125])
    clusters = [0, 0, 1, 1, 2]
    assert sign_flip_p(d, rng=RNG(0), clusters=clusters) == sign_flip_p(
        [1.0, 0.5, -0.125], rng=RNG(0)
    )


@given(st.integers(2, 7), st.randoms(use_true_random=False))
@few
def test_two_candidates_share_a_letter_iff_their_pair_is_not_significant(count, random):
    significant = np.zeros((count, count), dtype=bool)
    for i, j in combinations(range(count), 2):
        significant[i, j] = significant[j, i] = random.random() < 0.4
    order = list(range(count))
    random.shuffle(order)
    letters = compact_letters(significant, order=order)
    assert "a" in letters[order[0]]
    for i, j in combinations(range(count), 2):
        assert bool(set(letters[i]) & set(letters[j])) == (not significant[i, j])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@few
def test_rank_sets_hold_the_rank_of_every_order_they_allow(values):
    better = np.array(values)[:, None] > np.array(values)[None, :] + 0.2
    for (low, high), value in zip(rank_sets(better), values, strict=True):
        rank = 1 + sum(other > value for other in values)
        assert low <= rank <= high


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@few
def test_reliable_is_at_most_mean_is_at_most_ceiling(case):
    c, n = case
    for k in range(1, n + 1):
        assert pass_hat_k(c, n, k=k)[0] <= c / n + 1e-12
        assert pass_at_k(c, n, k=k)[0] >= c / n - 1e-12
    assert pass_hat_k(c, n, k=1)[0] == pytest.approx(c / n)
    assert pass_at_k(c, n, k=1)[0] == pytest.approx(c / n)


@given(label_tables, st.randoms(use_true_random=False))
@few
def test_agreement_ignores_the_order_of_runs_and_the_names_of_answers(labels, random):
    order = list(range(labels.shape[1]))
    random.shuffle(order)
    renamed = np.array([7, 3, 9, 1])[labels]
    assert pairwise_agreement(labels) == pytest.approx(pairwise_agreement(labels[:, order]))
    assert pairwise_agreement(labels) == pytest.approx(pairwise_agreement(renamed))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@few
def test_adjusted_p_values_keep_the_order_and_only_grow(p):
    for adjusted in (holm(p), benjamini_hochberg(p)):
        assert (adjusted >= np.array(p) - 1e-12).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=50))
@few
def test_swapping_the_candidates_mirrors_the_difference(d):
    there, back = bonett_price(d), bonett_price([-x for x in d])
    assert there.low == pytest.approx(-back.high)
    assert there.high > there.low


def test_smaa_rows_and_columns_sum_to_one():
    table = RNG(2).random((5, 4))
    found = smaa(table, rng=RNG(0), errors=np.full((5, 4), 0.1), draws=2_000)
    assert found.acceptability.sum(axis=0) == pytest.approx(np.ones(5))
    assert found.acceptability.sum(axis=1) == pytest.approx(np.ones(5))
    assert found.within(5) == pytest.approx(np.ones(5))


@given(st.floats(0.1, 0.9), st.integers(10, 5000))
@few
def test_smallest_detectable_is_the_inverse_of_the_sample_size(discordance, n):
    d = smallest_detectable(n, discordance=discordance)
    assert connor_n(d, discordance=max(d, discordance)) == pytest.approx(n, rel=1e-6)


def test_a_single_item_has_a_wide_interval_and_none_has_none():
    one = estimate_mean([1.0], n_trials=1, n_missing=0, binary=True)
    assert one.high - one.low > 0.7
    assert score_interval([1.0]).low < 0.3
    nobody = estimate_mean([np.nan], n_trials=0, n_missing=3, binary=True)
    assert nobody.value is None
    assert nobody.n_missing == 3
    nothing = paired_difference([np.nan], [1.0], binary_single=True, rng=RNG(0))
    assert nothing.p_value is None


def test_missing_items_leave_the_pairs_that_both_have():
    a, b = [1.0, 1.0, np.nan, 0.0], [1.0, np.nan, 1.0, 1.0]
    found = paired_difference(a, b, binary_single=True, rng=RNG(0)).estimate
    assert (found.n_samples, found.n_missing, found.value) == (2, 2, -0.5)


def test_larger_measured_variance_widens_the_effective_interval():
    narrow = effective_wilson(0.5, variance=0.001, units=50, size=50)
    wide = effective_wilson(0.5, variance=0.004, units=50, size=50)
    assert wide.low < narrow.low


def test_bootstrap_of_equal_scores_has_no_spread():
    assert np.ptp(bootstrap_mean([0.5] * 10, rng=RNG(0))) == 0
