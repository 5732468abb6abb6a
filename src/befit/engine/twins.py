"""Slots with the same key close together: the second waits for the first one's answer.

Two samples with the same input, or two scenarios over the same samples, ask the
same question; it is paid for once. Keys further apart are found in the store.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict

_REMEMBERED = 16_384
"""Keys; far more than are ever queued and in flight after the store was asked."""


class Twins:
    """The keys queued lately, and whether their first slot has ended."""

    def __init__(self) -> None:
        self._ended: OrderedDict[str, bool] = OrderedDict()
        self._waiting: dict[str, asyncio.Event] = {}

    def is_second(self, key_id: str) -> bool:
        """Note that a slot of this key is queued; return whether one was queued lately."""
        if key_id in self._ended:
            return True
        self._ended[key_id] = False
        if len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)
        return False

    def ended(self, key_id: str) -> None:
        """Note that a slot of this key has ended, in whatever way."""
        if key_id in self._ended:
            self._ended[key_id] = True
        event = self._waiting.pop(key_id, None)
        if event is not None:
            event.set()

    async def first_ended(self, key_id: str) -> None:
        """Return when the first slot of this key has ended."""
        if self._ended.get(key_id, True):
            return
        await self._waiting.setdefault(key_id, asyncio.Event()).wait()
