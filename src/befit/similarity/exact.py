"""The strictest sameness: the same characters."""

from __future__ import annotations


class Exact:
    """1.0 where both texts are the same character for character, else 0.0."""

    def compare(self, a: str, b: str, /) -> float:
        """Return 1.0 or 0.0."""
        return 1.0 if a == b else 0.0
