"""The time limits of one attempt, as one cheap timer beside the reading loop.

A deadline moved on every chunk would cost more than parsing the chunk. So the
loop only writes times into the draft; the timer, when it rings, looks whether
they really are too old and otherwise sets itself anew.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from befit.core.candidate import Timeouts
from befit.core.failure import Failure, FailureKind
from befit.targets.wire.draft import Draft

HANG_UP_GRACE = 1.0
"""Seconds a provider may keep the connection open after its end mark."""


class Guard:
    """Raises TimeoutError inside `async with` when a limit is passed; `failure()` says which.

    First token and idle time hold for streams; `total` for everything. Idle time
    counts from the last event with data: comments keep a connection alive, but
    they are no sign of an answer.
    """

    def __init__(self, *, timeouts: Timeouts, sent: float, draft: Draft, streamed: bool) -> None:
        self._timeouts = timeouts
        self._sent = sent
        self._draft = draft
        self._streamed = streamed
        # Between two looks the limit in force may have become a shorter one, but never one
        # that ends before the next look.
        self._step = min(timeouts.idle, HANG_UP_GRACE) if streamed else timeouts.total
        self._scope = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

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

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        due, _ = self._limit()
        if now >= due:
            self._scope.reschedule(now)
        else:
            self._timer = loop.call_at(min(due, now + self._step), self._ring)

    async def __aenter__(self) -> Self:
        await self._scope.__aenter__()
        wait = min(self._limit()[0] - self._sent, self._step)
        self._timer = asyncio.get_running_loop().call_at(self._sent + wait, self._ring)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._scope.__aexit__(kind, error, trace)
