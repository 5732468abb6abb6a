"""How often somebody may try: guesses of links by address, sent forms by session.

Counted in memory of one application and forgotten with it; what is counted is
never a name or a text, and the table cannot grow without bound.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

MOST_KEYS = 10_000
"""Addresses or sessions remembered at once; the one that was quiet longest is forgotten first."""


class Limit:
    """At most `most` events per key; one is given back every `seconds / most`.

    Args:
        most: events at once.
        seconds: until all of them are given back.
        clock: seconds, never going back.
    """

    def __init__(self, *, most: int, seconds: float, clock: Callable[[], float]) -> None:
        self._most = most
        self._rate = most / seconds
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def _left(self, key: str) -> float:
        left, at = self._held.get(key, (float(self._most), self._clock()))
        return min(float(self._most), left + (self._clock() - at) * self._rate)

    def spent(self, key: str) -> bool:
        """Whether a key has none left."""
        return self._left(key) < 1

    def take(self, key: str) -> bool:
        """Count an event and return whether it was still allowed."""
        left = self._left(key)
        allowed = left >= 1
        self._held[key] = (left - 1 if allowed else left, self._clock())
        self._held.move_to_end(key)
        if len(self._held) > MOST_KEYS:
            self._held.popitem(last=False)
        return allowed

    def wait(self, key: str) -> int:
        """Return whole seconds until one more is allowed."""
        return max(1, int((1 - self._left(key)) / self._rate) + 1)
