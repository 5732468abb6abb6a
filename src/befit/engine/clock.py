"""Time as the engine sees it: passed in, so that tests run hours in milliseconds."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Where the engine reads the time and waits."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    def wall(self) -> float:
        """Seconds since the epoch, UTC."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float, /) -> bool:
        """Wait until `event` is set (True) or `seconds` have passed (False)."""
        ...


class SystemClock:
    """The real clock."""

    # Asked for several times per call, so without a step of its own in between.
    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)

    async def wait(self, event: asyncio.Event, seconds: float, /) -> bool:
        """Wait until `event` is set (True) or `seconds` have passed (False)."""
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await event.wait()
        except TimeoutError:
            return False
        return True
