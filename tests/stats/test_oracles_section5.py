"""Golden values: agreement of raters, ratings from votes, judged rates."""

from __future__ import annotations

import choix
import evalica
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_oracle

from befit.stats.bradleyterry import fit_bradley_terry, strongly_connected, style_difference
from befit.stats.davidson import fit_davidson
from befit.stats.judged import JudgeQuality, corrected_interval, corrected_rate
from befit.stats.kappa import cohen_kappa, confusion, fleiss_kappa, gwet_ac1, raw_agreement
from befit.stats.krippendorff import estimate_alpha, krippendorff_alpha
from befit.stats.ppi import best_weight, estimate_judged_mean
from befit.stats.votes import pair_chances, position_bias, votes_needed

NAN = np.nan
FOUR_BY_TWELVE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]
THREE_BY_FIFTEEN = [
    [NAN, NAN, NAN, NAN, NAN, 3, 4, 1, 2, 1, 1, 3, 3, NAN, 3],
    [1, NAN, 2, 1, 3, 3, 4, 3, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [NAN, NAN, 2, 1, 3, 4, 4, NAN, 2, 1, 1, 3, 3, NAN, 4],
]
FLEISS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[20, 5], [10, 15]], 0.4),
        ([[45, 15], [25, 15]], 0.130435),
        ([[25, 35], [5, 35]], 0.259259),
    ],
)
def test_cohens_kappa_of_the_textbook_tables(table, kappa):
    assert cohen_kappa(table) == pytest.approx(kappa, abs=1e-6)


def test_weighted_kappa():
    a, b = [1, 2, 3, 4, 5, 3, 2, 1], [1, 2, 3, 5, 4, 3, 3, 1]
    table = confusion(a, b)
    assert cohen_kappa(table) == pytest.approx(0.52, abs=1e-6)
    assert cohen_kappa(table, weights="linear") == pytest.approx(0.744681, abs=1e-6)
    assert cohen_kappa(table, weights="quadratic") == pytest.approx(0.890909, abs=1e-6)
    oracle = cohen_kappa_score(a, b, weights="quadratic")
    assert cohen_kappa(table, weights="quadratic") == pytest.approx(oracle)


def test_fleiss_and_randolph():
    assert fleiss_kappa(FLEISS) == pytest.approx(0.209931, abs=1e-6)
    assert fleiss_kappa(FLEISS) == pytest.approx(fleiss_oracle(np.array(FLEISS)))
    assert fleiss_kappa(FLEISS, uniform=True) == pytest.approx(0.222527, abs=1e-6)


@pytest.mark.parametrize(
    ("level", "alpha"),
    [("nominal", 904 / 1216), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_alpha_of_four_raters_and_twelve_units(level, alpha):
    found = krippendorff_alpha(FOUR_BY_TWELVE, level=level)
    assert found == pytest.approx(alpha, abs=1e-6)


def test_alpha_of_three_raters_and_small_tables():
    assert krippendorff_alpha(THREE_BY_FIFTEEN) == pytest.approx(0.691358, abs=1e-6)
    interval = krippendorff_alpha(THREE_BY_FIFTEEN, level="interval")
    assert interval == pytest.approx(0.810845, abs=1e-6)
    small = np.array([[1, 2], [2, 3], [3, 4]]).T
    assert krippendorff_alpha(small) == pytest.approx(-0.153846, abs=1e-6)
    assert krippendorff_alpha(small, level="interval") == pytest.approx(0.545455, abs=1e-6)
    assert krippendorff_alpha([[1, 1], [1, 1]]) is None


def test_estimated_alpha_has_an_interval_around_it():
    rng = np.random.default_rng(0)
    found = estimate_alpha(FOUR_BY_TWELVE, rng=rng)
    assert found.low < found.value < found.high
    assert (found.n_samples, found.n_missing) == (11, 7)
    assert estimate_alpha([[1.0, NAN]], rng=rng).value is None


@pytest.mark.parametrize(
    ("table", "kappa", "ac1"),
    [([[90, 4], [4, 2]], 0.290780, 0.90983), ([[92, 4], [4, 0]], -0.041667, 0.91334)],
)
def test_kappa_collapses_where_ac1_does_not(table, kappa, ac1):
    assert raw_agreement(table) == pytest.approx(0.92)
    assert cohen_kappa(table) == pytest.approx(kappa, abs=1e-6)
    assert gwet_ac1(table) == pytest.approx(ac1, abs=1e-5)


def wins_of_four() -> tuple[list[int], list[int], list[float]]:
    left, right, scores = [], [], []
    for a, b, won, lost in ((0, 1, 2, 3), (0, 3, 1, 4), (1, 2, 5, 3), (2, 3, 1, 3)):
        left += [a] * (won + lost)
        right += [b] * (won + lost)
        scores += [1.0] * won + [0.0] * lost
    return left, right, scores


def test_bradley_terry_of_the_textbook_games():
    left, right, scores = wins_of_four()
    found = fit_bradley_terry(left, right, scores, candidates=4)
    b = [-0.446545, 0.042403, -0.415803, 0.819946]
    assert found.strengths == pytest.approx(b, abs=1e-6)
    assert found.elo() == pytest.approx([922.427, 1007.366, 927.768, 1142.439], abs=1e-3)
    sandwich = [0.544343, 0.484655, 0.528173, 0.623970]
    assert [found.error(i) for i in range(4)] == pytest.approx(sandwich, abs=1e-6)
    model = [0.548070, 0.481781, 0.520401, 0.621343]
    assert np.sqrt(np.diag(found.model_covariance)) == pytest.approx(model, abs=1e-6)
    gap, p = found.difference(3, 0)
    assert gap.value == pytest.approx(1.266491, abs=1e-6)
    assert (gap.high - gap.value) / 1.959964 == pytest.approx(0.892614, abs=1e-6)
    assert p == pytest.approx(0.1559, abs=1e-3)
    assert found.connected
    games = [(a, b) if s else (b, a) for a, b, s in zip(left, right, scores, strict=True)]
    oracle = choix.ilsr_pairwise(4, games, max_iter=10_000, tol=1e-12)
    assert found.strengths == pytest.approx(oracle - oracle.mean(), abs=1e-6)


def test_duplicates_and_order_of_votes_do_not_matter():
    left, right, scores = (np.array(x) for x in wins_of_four())
    order = np.random.default_rng(0).permutation(left.size)
    once = fit_bradley_terry(left, right, scores, candidates=4)
    shuffled = fit_bradley_terry(right[order], left[order], 1 - scores[order], candidates=4)
    assert once.strengths == pytest.approx(shuffled.strengths)
    doubled = [np.tile(x, 2) for x in (left, right, scores)]
    by_vote = np.tile(np.arange(left.size), 2)
    twice = fit_bradley_terry(*doubled, candidates=4, clusters=by_vote)
    assert twice.strengths == pytest.approx(once.strengths)
    # every vote entered twice is no new evidence: clustered errors stay (but for G / (G - 1))
    factor = np.sqrt(left.size / (left.size - 1))
    assert twice.error(0) == pytest.approx(once.error(0) * factor)


def test_a_candidate_that_never_lost_is_marked():
    found = fit_bradley_terry([0, 0, 1, 2], [1, 2, 2, 1], [1, 1, 1, 1], candidates=3)
    assert not found.connected
    assert np.isfinite(found.strengths).all()
    assert "not connected" in found.rating(0).method
    assert strongly_connected([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_ties_davidson_and_half_wins():
    wins, ties = np.zeros((3, 3)), np.zeros((3, 3))
    left, right, scores = [], [], []
    for a, b, won, lost, tied in ((0, 1, 6, 3, 3), (1, 2, 5, 4, 2), (0, 2, 7, 2, 4)):
        wins[a, b], wins[b, a] = won, lost
        ties[a, b] = ties[b, a] = tied
        left += [a] * (won + lost + tied)
        right += [b] * (won + lost + tied)
        scores += [1.0] * won + [0.0] * lost + [0.5] * tied
    found = fit_davidson(wins, ties)
    assert found.strengths == pytest.approx([0.601353, -0.148967, -0.452385], abs=1e-5)
    assert found.nu == pytest.approx(0.717711, abs=1e-5)
    half = fit_bradley_terry(left, right, scores, candidates=3)
    assert half.strengths == pytest.approx([0.440545, -0.109137, -0.331408], abs=1e-6)


def test_longer_answers_are_half_a_unit_longer():
    assert style_difference([300], [100], standardise=False) == pytest.approx([0.5])
    assert style_difference([0], [0]) == pytest.approx([0.0])


def test_style_covariate_takes_the_preference_for_length_out():
    rng = np.random.default_rng(0)
    n = 4000
    # equal candidates, but the left one writes longer and length is what voters like
    length = rng.normal(1.0, 1.0, n)
    scores = (rng.random(n) < 1 / (1 + np.exp(-length))).astype(float)
    left, right = np.zeros(n, dtype=int), np.ones(n, dtype=int)
    plain = fit_bradley_terry(left, right, scores, candidates=2)
    styled = fit_bradley_terry(left, right, scores, candidates=2, covariates=length)
    assert plain.difference(0, 1)[0].value > 0.5
    assert abs(styled.difference(0, 1)[0].value) < 0.2
    assert styled.effects[0] == pytest.approx(1.0, abs=0.15)


def test_flips_for_the_first_place():
    found = position_bias(pairs=40, consistent=28, for_first=10)
    assert found.flips == 12
    assert found.p_value == pytest.approx(0.038574, abs=1e-6)


def test_sixty_forty_needs_194_votes():
    assert votes_needed(0.6) == 194


def test_rarely_asked_pairs_are_asked_more():
    chances = pair_chances([0.25, 0.25, 0.0], [10, 100, 10])
    assert chances.sum() == pytest.approx(1)
    assert chances[0] > chances[1] > chances[2]
    assert chances.min() >= 0.2 / 3 - 1e-12


def bits(text: str) -> np.ndarray:
    return np.array([float(c) for c in text if c in "01"])


def test_twenty_labels_and_two_hundred_judged():
    y = bits("11010 11010 11101 10111")
    f = bits("11011 11011 11101 11101")
    rest = np.array([1.0] * 150 + [0.0] * 50)
    classical = estimate_judged_mean(y, f, rest, weight=0.0)
    assert classical.value == pytest.approx(0.70)
    assert classical.low == pytest.approx(0.49916, abs=1e-5)
    assert classical.high == pytest.approx(0.90084, abs=1e-5)
    full = estimate_judged_mean(y, f, rest, weight=1.0)
    assert full.value == pytest.approx(0.65)
    assert full.low == pytest.approx(0.44976, abs=1e-5)
    assert full.high == pytest.approx(0.85024, abs=1e-5)
    assert best_weight(y, f, rest) == pytest.approx(0.439759, abs=1e-6)
    best = estimate_judged_mean(y, f, rest)
    assert best.value == pytest.approx(0.678012, abs=1e-6)
    assert best.low == pytest.approx(0.499768, abs=1e-6)
    assert best.high == pytest.approx(0.856256, abs=1e-6)
    assert "only 20 labels" in best.method


def test_labels_all_alike_have_wilsons_interval_and_not_one_without_width():
    # the judge lets all 20 pass, ten people's labels say all are wrong: 0 of 10 is [0, 0.2775]
    found = estimate_judged_mean([0.0] * 10, [1.0] * 10, [1.0] * 10)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.277533, abs=1e-6)
    assert "labels alone: the corrections are all alike" in found.method
    assert (found.n_samples, "only 10 labels" in found.method) == (10, True)


def test_a_judge_that_was_right_on_a_few_labels_is_not_taken_for_perfect():
    y = [1.0] * 5 + [0.0] * 5
    found = estimate_judged_mean(y, y, [1.0] * 1000, weight=1.0)
    # 5 of 10: [0.2366, 0.7634] (Wilson 1927)
    assert (found.low, found.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)


def test_where_everything_is_labelled_the_labels_speak_alone():
    found = estimate_judged_mean([1.0, 0.0, 1.0, 1.0], [1.0] * 4, [])
    assert found.value == 0.75
    assert "all answers are labelled" in found.method


def test_amounts_beyond_a_rate_keep_the_normal_interval():
    found = estimate_judged_mean([-1.0, 1.0, 0.0], [0.5, 1.0, 0.5], [0.5, 1.0])
    assert "ppi++" in found.method


@pytest.mark.parametrize(
    ("judged", "judge", "expected"),
    [
        ((0.75, 1000), (0.85, 0.90, 100, 100), (0.80, 0.731632, 0.886894)),
        ((0.8, 200), (0.7, 0.9, 30, 70), (0.8333, 0.686525, 0.986123)),
        ((0.9, 500), (0.8, 0.95, 40, 160), (0.9333, 0.876251, 0.994303)),
    ],
)
def test_judged_rates_are_corrected(judged, judge, expected):
    names = ("specificity", "sensitivity", "negatives", "positives")
    quality = JudgeQuality(**dict(zip(names, judge, strict=True)))
    found = corrected_interval(judged[0], n=judged[1], judge=quality)
    assert found.value == pytest.approx(expected[0], abs=5e-5)
    assert (found.low, found.high) == pytest.approx(expected[1:], abs=1e-6)


def test_a_judge_that_guesses_corrects_nothing():
    with pytest.raises(ValueError, match="chance"):
        corrected_rate(0.5, specificity=0.5, sensitivity=0.55)


def test_evalica_agrees_on_alpha():
    frame = pd.DataFrame(FOUR_BY_TWELVE)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        oracle = evalica.alpha(frame, distance=level).alpha
        assert krippendorff_alpha(frame, level=level) == pytest.approx(oracle, abs=1e-9)
