"""Golden values: signs of contamination."""

from __future__ import annotations

import numpy as np
import pytest

from befit.stats.contamination import gap_difference, ngram_coverage, quiz_p

FIRST = "the quick brown fox jumps over the lazy dog near the river bank"
SECOND = "a quick brown fox jumps over the lazy dog near the house"


def test_shared_ngrams():
    a, b = FIRST.split(), SECOND.split()
    # 10 shared words in a row: the longest common run is "quick ... near the"
    assert ngram_coverage(a, b, n=8) == pytest.approx(10 / 13)
    assert ngram_coverage(a, b, n=13) == 0
    assert ngram_coverage([], b) == 0


def test_difference_in_differences():
    def rate(p: float) -> np.ndarray:
        return np.array([1.0] * round(100 * p) + [0.0] * round(100 * (1 - p)))

    found = gap_difference(
        rate(0.82), rate(0.70), [(rate(0.80), rate(0.78))], rng=np.random.default_rng(0)
    )
    assert found.estimate.value == pytest.approx(0.10)
    assert found.p_value < 0.05


def test_quiz_of_twenty_items():
    assert quiz_p(14, n=20) == pytest.approx(2.951e-05, rel=1e-3)
