"""Likeness by edit distance, for a number where texts are neither equal nor unrelated.

It says how alike two texts look, never whether one of them is right: "approved
for 100 EUR" and "approved for 900 EUR" are 0.97 alike.
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein


class Edit:
    """1 - distance / length of the longer text (Levenshtein 1966), over characters."""

    def compare(self, a: str, b: str, /) -> float:
        """Return 0..1; two empty texts are the same (1.0)."""
        return float(Levenshtein.normalized_similarity(a, b))
