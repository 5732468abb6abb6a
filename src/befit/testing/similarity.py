"""The contract of a similarity, for plug-in authors.

class TestMine(SimilarityContract):
    def similarity(self): return Mine()
"""

from __future__ import annotations

import itertools

from befit.core.protocols import Similarity

TEXTS = (
    "",
    " ",
    "The total is 42.",
    "Total: 42.",
    '{"a": 1, "b": 2}',
    '{"b": 2, "a": 1}',
    "{not json",
    "naïve café",
    "naïve cafe\u0301",
    "日本語のテキスト",
    "\ud800 a lone surrogate",
    "nul \x00 and bell \x07",
    "x" * 2_000,
)


class SimilarityContract:
    """What every similarity keeps to. Subclass it as a pytest class and give `similarity`."""

    def similarity(self) -> Similarity:
        """Return the similarity under test."""
        raise TypeError("a subclass of SimilarityContract has to define similarity()")

    def test_it_is_a_similarity(self) -> None:
        """It has the method of the protocol."""
        assert isinstance(self.similarity(), Similarity)

    def test_a_text_is_the_same_as_itself(self) -> None:
        """Two empty outputs are the same as well."""
        judge = self.similarity()
        assert {text: judge.compare(text, text) for text in TEXTS} == dict.fromkeys(TEXTS, 1.0)

    def test_values_lie_between_zero_and_one_and_do_not_depend_on_the_order(self) -> None:
        """For any two texts, hostile ones included."""
        judge = self.similarity()
        for a, b in itertools.combinations(TEXTS, 2):
            value = judge.compare(a, b)
            assert isinstance(value, float)
            assert 0.0 <= value <= 1.0
            assert abs(judge.compare(b, a) - value) < 1e-6  # noqa: PLR2004 (float rounding)

    def test_the_same_texts_always_get_the_same_value(self) -> None:
        """No state is carried from one comparison to the next."""
        one, two = self.similarity(), self.similarity()
        pairs = list(itertools.combinations(TEXTS, 2))
        forwards = [one.compare(a, b) for a, b in pairs]
        backwards = [two.compare(a, b) for a, b in reversed(pairs)]
        assert forwards == backwards[::-1]
