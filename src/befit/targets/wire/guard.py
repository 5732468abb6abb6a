"""The time limits of the attempts at one endpoint: one coarse timer looks at all of them.

A timer for each call, or a deadline moved on every chunk, would cost more than
parsing the answer. So the loop only writes times into the draft; the watch
looks at what is under way a few times a second, and at each call only when one
of its limits could have passed.
"""

from __future__ import annotations

import asyncio
import math
from types import TracebackType
from typing import Any, Self

from befit.core.candidate import Timeouts
from befit.core.failure import Failure, FailureKind
from befit.targets.wire.draft import Draft

HANG_UP_GRACE = 1.0
"""Seconds a provider may keep the connection open after its end mark."""
TICK = 0.05
"""Seconds between two looks at what is under way: so much later a limit may strike."""


class Watch:
    """The guards of all calls under way at one endpoint; it rests while there are none."""

    def __init__(self) -> None:
        self.guards: set[Guard] = set()
        """Of the calls under way."""
        self.timer: asyncio.TimerHandle | None = None
        """None: it rests."""

    def begin(self) -> None:
        """Look at the guards from now on."""
        self.timer = asyncio.get_running_loop().call_later(TICK, self._look)

    def close(self) -> None:
        """Stop looking: the endpoint is closed."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _look(self) -> None:
        if not self.guards:
            self.timer = None
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        for guard in self.guards:
            if guard.look_at <= now:
                guard.look(now)
        self.timer = loop.call_later(TICK, self._look)


class Guard:
    """Raises TimeoutError inside `with` when a limit is passed; `failure()` says which.

    First token and idle time hold for streams; `total` for everything. Idle time
    counts from the last event with data: comments keep a connection alive, but
    they are no sign of an answer.
    """

    __slots__ = (
        "_cancelling",
        "_draft",
        "_rung",
        "_sent",
        "_step",
        "_streamed",
        "_task",
        "_timeouts",
        "_watch",
        "look_at",
    )

    def __init__(
        self, watch: Watch, *, timeouts: Timeouts, sent: float, draft: Draft, streamed: bool
    ) -> None:
        self._watch = watch
        self._timeouts = timeouts
        self._sent = sent
        self._draft = draft
        self._streamed = streamed
        # Between two looks the limit in force may have become a shorter one, but never one
        # that ends before the next look.
        first = step = timeouts.total
        if streamed:
            first = min(first, timeouts.first_token)
            step = min(timeouts.idle, HANG_UP_GRACE)
        self._step = step
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._rung = False
        self.look_at = sent + min(first, step)
        """When a limit may have passed at the earliest: first the first that is in force."""

    def _limit(self) -> tuple[float, FailureKind]:
        limits, draft = self._timeouts, self._draft
        total: tuple[float, FailureKind] = (self._sent + limits.total, "timeout_total")
        if not self._streamed:
            return total
        if draft.done and draft.done_at is not None:
            return min(total, (draft.done_at + HANG_UP_GRACE, "timeout_idle"))
        if draft.first_token is None and draft.named_at is None and not draft.finished:
            return min(total, (self._sent + limits.first_token, "timeout_first_token"))
        seen = self._sent if draft.last_event is None else draft.last_event
        return min(total, (seen + limits.idle, "timeout_idle"))

    def failure(self) -> Failure:
        """The limit that was passed, as a failure."""
        _, kind = self._limit()
        words = {
            "timeout_first_token": f"no token within {self._timeouts.first_token:g} s",
            "timeout_idle": f"the stream stood still for {self._timeouts.idle:g} s",
            "timeout_total": f"no whole answer within {self._timeouts.total:g} s",
        }
        return Failure(kind=kind, message=words[kind])

    def look(self, now: float) -> None:
        """End the call if a limit has passed, else say when to look again."""
        due, _ = self._limit()
        if now < due:
            self.look_at = min(due, now + self._step)
        elif self._task is not None:
            self.look_at = math.inf
            self._rung = True
            self._task.cancel()

    def __enter__(self) -> Self:
        self._task = task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a guard is for the inside of a task")
        self._cancelling = task.cancelling()
        watch = self._watch
        watch.guards.add(self)
        if watch.timer is None:
            watch.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watch.guards.discard(self)
        if not self._rung or self._task is None:
            return
        # As `asyncio.timeout` does it: a cancellation of somebody else's goes on.
        if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error
