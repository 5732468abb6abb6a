"""Places in a text that are taken: what is found first keeps its place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

Named = tuple[int, int, str]


class Taken:
    """Spans without overlaps, in order; a long text with many of them costs no more per span."""

    def __init__(self, spans: Iterable[Named] = ()) -> None:
        self.spans: list[Named] = sorted(spans)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing stands there."""
        place = bisect_left(self.spans, (start, end, ""))
        before = self.spans[place - 1][1] if place else 0
        return before <= start and (place == len(self.spans) or end <= self.spans[place][0])

    def take(self, start: int, end: int, name: str) -> None:
        """Take a place if it is free."""
        if self.free(start, end):
            self.spans.insert(bisect_left(self.spans, (start, end, name)), (start, end, name))
