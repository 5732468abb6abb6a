"""How hard one endpoint is driven: calls in flight, pauses, calls and tokens per minute.

The number in flight starts at the stated one (a ramp-up would waste short runs)
and adapts: each episode of overload cuts it to 0.8, every full round of answers
after a quiet time gives one back. An episode is everything that was under way
when the cut was made: fifty 429s for one burst are one episode, not fifty.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

from befit.core.candidate import Limits
from befit.core.failure import Failure
from befit.engine.clock import Clock
from befit.engine.rate_headers import exhausted_for
from befit.engine.retry import RETRY_AFTER_CAP
from befit.engine.stop import Abandoned, Drain

CUT = 0.8
COOL_DOWN = 10.0
"""Seconds after a cut in which there is neither another cut nor growth."""


class Limiter:
    """The limits of one endpoint. Use: `acquire`, then per call `admit`, at the end `release`."""

    def __init__(
        self, *, concurrency: int, clock: Clock, drain: Drain, limits: Limits | None = None
    ) -> None:
        self._clock = clock
        self._drain = drain
        self.stated = concurrency
        self.limit = float(concurrency)
        self.in_use = 0
        self.paused_until = 0.0
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._cut_at = float("-inf")
        self._answers = 0
        limits = limits or Limits()
        self._requests = _Bucket(limits.requests_per_minute)
        self._tokens = _Bucket(limits.tokens_per_minute)
        self._metered = bool(limits.requests_per_minute or limits.tokens_per_minute)

    async def acquire(self) -> None:
        """Take a place in flight.

        Raises:
            Abandoned: the run is draining.
        """
        if self._drain.started:
            raise Abandoned
        if not self._waiters and self.in_use < int(self.limit):
            self.in_use += 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.release()
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
            raise

    def release(self) -> None:
        """Give the place back: the trial is committed, or waits to be tried again."""
        self.in_use -= 1
        if self._waiters:
            self._wake()

    def take_back(self) -> None:
        """Take a place without waiting, to keep the count of a trial that is being given up."""
        self.in_use += 1

    def abandon_waiters(self) -> None:
        """Send everybody away who waits for a place: the run is draining."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_exception(Abandoned())

    @property
    def restrains(self) -> bool:
        """Whether `admit` could let a call wait: else it need not be asked."""
        return self._metered or self.paused_until > 0.0

    async def admit(self, tokens: int) -> None:
        """Wait until one more call of at most `tokens` tokens may be sent.

        Raises:
            Abandoned: the run is draining and the call would have to wait.
        """
        now = self._clock.monotonic()
        while self.paused_until > now:
            await self._wait(self.paused_until - now)
            now = self._clock.monotonic()
        if not self._metered:
            return
        delay = max(self._requests.take(1, now), self._tokens.take(tokens, now))
        if delay > 0:
            await self._wait(delay)

    def used(self, *, admitted: int, tokens: int) -> None:
        """Correct the tokens taken at `admit` to those the call has used."""
        self._tokens.give_back(admitted - tokens)

    def answered(self, headers: Mapping[str, str], *, needed_tokens: int = 1) -> None:
        """Note an answer: grow back after a quiet round; obey what the headers say is left."""
        if self.limit < self.stated:
            self._answers += 1
            quiet = self._clock.monotonic() - self._cut_at >= COOL_DOWN
            if quiet and self._answers >= self.limit:
                self._answers = 0
                self.limit = min(float(self.stated), self.limit + 1)
                self._wake()
        if headers:
            left_for = exhausted_for(headers, wall=self._clock.wall(), needed_tokens=needed_tokens)
            if left_for > 0:
                self._pause(left_for)

    def failed(self, failure: Failure, *, started: float) -> None:
        """Note a failed call that was sent at `started` (monotonic): back off, pause."""
        if failure.kind not in {"rate_limited", "overloaded"}:
            return
        now = self._clock.monotonic()
        if started >= self._cut_at and now - self._cut_at >= COOL_DOWN:
            self.limit = max(1.0, self.limit * CUT)
            self._cut_at = now
            self._answers = 0
        if failure.retry_after is not None:
            self._pause(failure.retry_after)

    def _pause(self, seconds: float) -> None:
        until = self._clock.monotonic() + min(max(seconds, 0.0), RETRY_AFTER_CAP)
        self.paused_until = max(self.paused_until, until)

    async def _wait(self, seconds: float) -> None:
        if self._drain.started or await self._clock.wait(self._drain.event, seconds):
            raise Abandoned

    def _wake(self) -> None:
        while self._waiters and self.in_use < int(self.limit):
            waiter = self._waiters.popleft()
            if not waiter.done():
                self.in_use += 1
                waiter.set_result(None)


class _Bucket:
    """A quota per minute, handed out evenly, with one second's worth at once.

    Places are reserved in order: whoever comes is told how long to wait, so that
    nobody polls and nobody is overtaken.
    """

    def __init__(self, per_minute: int | None) -> None:
        self.per_second = per_minute / 60.0 if per_minute else None
        self._next = float("-inf")

    def take(self, amount: float, now: float) -> float:
        """Reserve `amount`; return the seconds to wait for it."""
        if self.per_second is None:
            return 0.0
        delay = max(0.0, self._next - now)
        # One second's worth may go out at once: the virtual time may lag by a second.
        self._next = max(self._next, now - 1.0) + amount / self.per_second
        return delay

    def give_back(self, amount: float) -> None:
        """Return what was reserved and not used (or take more, where negative)."""
        if self.per_second is not None:
            self._next -= amount / self.per_second
