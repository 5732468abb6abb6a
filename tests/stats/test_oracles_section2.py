"""Golden values: corrections, letters, rank sets, weights, missing cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scikit_posthocs import compact_letter_display
from statsmodels.stats.multitest import multipletests

from befit.stats.composite import certainly_above, composite_bounds
from befit.stats.groups import best_set, compact_letters, rank_sets
from befit.stats.multiplicity import benjamini_hochberg, holm
from befit.stats.rankcorrelation import kendall_tau
from befit.stats.smaa import smaa, smallest_flip

BH_1995 = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]
PAIRS = [(0, 3), (0, 4), (1, 4), (2, 4)]


def five_models() -> np.ndarray:
    significant = np.zeros((5, 5), dtype=bool)
    for a, b in PAIRS:
        significant[a, b] = significant[b, a] = True
    return significant


def test_adjusted_p_values():
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    by = benjamini_hochberg(p, dependent=True)
    assert by == pytest.approx([0.041667, 0.083333, 0.083333, 0.041667], abs=1e-6)


def test_the_fifteen_p_values_of_1995():
    assert int((holm(BH_1995) <= 0.05).sum()) == 3
    assert int((benjamini_hochberg(BH_1995) <= 0.05).sum()) == 4
    assert holm(BH_1995) == pytest.approx(multipletests(BH_1995, method="holm")[1])
    assert benjamini_hochberg(BH_1995) == pytest.approx(multipletests(BH_1995, method="fdr_bh")[1])


def test_letters_of_five_models():
    assert compact_letters(five_models()) == ("a", "ab", "ab", "bc", "c")
    p = pd.DataFrame(np.where(five_models(), 0.01, 1.0), index=list("ABCDE"), columns=list("ABCDE"))
    oracle = compact_letter_display(p, alpha=0.05)
    assert [set(letters.strip()) for letters in oracle] == [
        set(letters) for letters in compact_letters(five_models())
    ]


def test_rank_sets_of_five_models():
    better = np.zeros((5, 5), dtype=bool)
    for a, b in PAIRS:
        better[a, b] = True
    assert rank_sets(better) == ((1, 3), (1, 4), (1, 4), (2, 5), (4, 5))
    assert best_set(better) == (0, 1, 2)


def test_smaa_of_three_models_with_uniform_weights():
    found = smaa(
        [[0.9, 0.5], [0.75, 0.75], [0.5, 0.9]], rng=np.random.default_rng(1), draws=200_000
    )
    assert found.acceptability[:, 0] == pytest.approx([0.375, 0.25, 0.375], abs=0.005)
    assert found.central_weights[0] == pytest.approx([0.8125, 0.1875], abs=0.005)
    never = smaa([[0.9, 0.5], [0.7, 0.7], [0.5, 0.9]], rng=np.random.default_rng(1))
    # at the weights (.5, .5) all three tie; everywhere else B is not first
    assert never.acceptability[1, 0] < 0.001


def test_smallest_weight_change_is_exact():
    # w = (.7, .3): A .78, B .75; A = B where .9w + .5(1 - w) = .75, w = .625
    found = smallest_flip([[0.9, 0.5], [0.75, 0.75], [0.5, 0.9]], [0.7, 0.3])
    assert found.winner == 1
    assert abs(found.change) == pytest.approx(0.075)
    assert smallest_flip([[0.9, 0.9], [0.1, 0.1]], [0.5, 0.5]) is None


def test_tau_b():
    assert kendall_tau([1, 2, 3, 4, 5], [1, 3, 2, 4, 5]) == pytest.approx(0.8)
    assert kendall_tau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) == pytest.approx(-0.471405, abs=1e-6)
    assert kendall_tau([1, 1], [1, 2]) is None


def test_a_missing_dimension_makes_the_composite_an_interval():
    low, high = composite_bounds([[0.9, np.nan], [0.8, 0.8]], [0.5, 0.5])
    assert low == pytest.approx([0.45, 0.8])
    assert high == pytest.approx([0.95, 0.8])
    assert not certainly_above(low, high).any()
