"""Stopping a run: once finishes what is in flight, twice stops now.

`StopSignal` is the handle of the outside (Ctrl-C, a test); `Drain` is the run's
own note that nothing new may start, whoever asked for it.
"""

from __future__ import annotations

import asyncio
from typing import Literal

DrainReason = Literal["interrupted", "capped"]


class Abandoned(Exception):  # noqa: N818  # no error: a trial given back unfinished
    """Raised inside a trial that will not be finished now; a resumed run makes it."""


class StopSignal:
    """Asks a run to stop. `request()` is safe from any thread and from a signal handler."""

    def __init__(self) -> None:
        self.requests = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drain: Drain | None = None
        self._now: asyncio.Event | None = None

    def request(self) -> None:
        """Ask to stop: the first time after what is in flight, the second time at once."""
        self.requests += 1
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._apply)

    def attach(self, drain: Drain) -> asyncio.Event:
        """Bind to the running loop; the returned event is set when to stop at once."""
        self._loop = asyncio.get_running_loop()
        self._drain = drain
        self._now = asyncio.Event()
        self._apply()
        return self._now

    def detach(self) -> None:
        """Forget the loop, which is about to end."""
        self._loop = None

    def _apply(self) -> None:
        if self._drain is not None and self.requests >= 1:
            self._drain.start("interrupted")
        if self._now is not None and self.requests >= 2:  # noqa: PLR2004  # "twice" is the rule
            self._now.set()


class Drain:
    """Set once, with the first reason; from then on nothing new is started."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.reason: DrainReason | None = None

    @property
    def started(self) -> bool:
        """Whether the run is draining."""
        return self.reason is not None

    def start(self, reason: DrainReason) -> None:
        """Start nothing new from now on."""
        if self.reason is None:
            self.reason = reason
            self.event.set()
