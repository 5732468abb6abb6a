from __future__ import annotations

import numpy as np
import pytest

from befit.analysis.screening_contamination import ItemResults, Suspicion, evidence
from befit.analysis.screening_overlap import guided_flag, overlaps, rouge_l
from befit.core.estimate import Estimate


def rng():
    return np.random.default_rng(1)


def rows(original, perturbed, n=100):
    """One model right on so many of n originals and perturbed items."""
    return [1.0] * original + [0.0] * (n - original), [1.0] * perturbed + [0.0] * (n - perturbed)


def results(**models):
    made = {name: rows(*pair) for name, pair in models.items()}
    return ItemResults(
        models=tuple(made),
        original=np.array([o for o, _ in made.values()]),
        perturbed=np.array([p for _, p in made.values()]),
    )


def test_the_difference_of_differences_is_that_of_the_means():
    # model .82 -> .70, reference .80 -> .78: 0.12 - 0.02 (statistics.md, section 6)
    found = evidence(
        results(model=(82, 70), reference=(80, 78)),
        rng=rng(),
        suspicion=Suspicion(references=("reference",)),
    )
    (one,) = found
    assert one.gap.value == pytest.approx(0.12)
    assert one.beyond_references.value == pytest.approx(0.10)
    assert one.references == ("reference",)


def test_a_large_loss_beyond_the_references_is_strong_and_an_equal_one_is_none():
    found = evidence(
        results(suspect=(80, 45), ref1=(60, 55), ref2=(62, 57), ref3=(58, 53)), rng=rng()
    )
    levels = {one.model: one.level for one in found}
    assert levels == {"suspect": "strong", "ref1": "none", "ref2": "none", "ref3": "none"}


def test_few_items_are_not_enough():
    made = results(suspect=(10, 1), ref=(6, 5))
    small = ItemResults(
        models=made.models, original=made.original[:, :12], perturbed=made.perturbed[:, :12]
    )
    assert {one.level for one in evidence(small, rng=rng())} == {"not_enough"}


def test_a_flag_alone_is_weak():
    flagged = Suspicion(flags={"a": ["guided completion"]})
    found = evidence(results(a=(60, 55), b=(60, 55)), rng=rng(), suspicion=flagged)
    assert [one.level for one in found] == ["weak", "none"]
    assert found[0].signs == ("flag: guided completion",)


def test_the_date_split_is_held_against_the_references():
    old, new = 60, 60
    own = np.array([1.0] * 54 + [0.0] * 6 + [1.0] * 24 + [0.0] * 36)
    other = np.array([1.0] * 36 + [0.0] * 24 + [1.0] * 33 + [0.0] * 27)
    made = ItemResults(
        models=("a", "b"),
        original=np.array([own, other]),
        perturbed=np.full((2, old + new), np.nan),
        dates=("2024-01-01",) * old + ("2025-06-01",) * new,
    )
    about = Suspicion(references=("b",), cut_dates={"a": "2024-12-31"})
    (one,) = evidence(made, rng=rng(), suspicion=about)
    # a loses .9 - .4, b loses .6 - .55
    assert one.date_split.value == pytest.approx(0.45)
    assert one.level == "weak"
    assert "newer than its cut" in one.signs[0]


def test_references_of_another_strength_are_named():
    (one, *_) = evidence(results(weak=(40, 30), strong=(90, 80)), rng=rng())
    assert one.signs == ("caution: 50 points below its references on perturbed items",)


def test_no_reference_leaves_the_gap_alone():
    (one,) = evidence(results(alone=(80, 40)), rng=rng())
    assert one.level == "not_enough"
    assert isinstance(one.gap, Estimate)
    assert one.beyond_references.value is None


FOX = "the quick brown fox jumps over the lazy dog near the river bank"
NEAR = "a quick brown fox jumps over the lazy dog near the house"


def test_overlap_is_the_share_of_words_in_shared_eight_grams():
    # "quick brown ... near the" is shared: 10 of the 13 words
    (one,) = overlaps([("i", FOX)], [("prompt", NEAR)])
    assert one.coverage == pytest.approx(10 / 13)
    assert not one.long_hit


def test_thirteen_words_in_a_row_are_a_hit_whatever_the_length():
    long = FOX + " " + " ".join(f"w{i}" for i in range(60))
    (one,) = overlaps([("i", long)], [("example 1", f"Before: {FOX}.")])
    assert one.long_hit
    assert one.coverage < 0.7


def test_unlike_texts_do_not_overlap():
    assert not list(overlaps([("i", FOX)], [("p", "something else entirely " * 5)]))


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence():
    # common: the cat on the mat (5 of 6 and 6 words)
    assert rouge_l("the cat sat on the mat", "the cat lay on the mat") == pytest.approx(10 / 12)
    assert rouge_l("", "x") == 0


def test_guided_completion_is_a_flag_only_where_the_source_helps():
    truth = "and then the river carried the small boat far out to sea"
    helped = [(truth, "something quite unlike it", truth)] * 12
    same = [("no idea", "no idea", truth)] * 12
    assert "ROUGE-L" in guided_flag(helped, rng=rng())
    assert guided_flag(same, rng=rng()) is None
    assert guided_flag(helped[:5], rng=rng()) is None
