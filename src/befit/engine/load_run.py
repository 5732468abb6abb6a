"""The load generator: makes the calls of one level when they are due, and writes down their times.

It shares targets, limits of money and classes of failure with every other run,
but never retries: under load each failure is a result. Latency counts from the
moment at which a call was due. What the generator itself is late by shows as
`sent - scheduled`, and `befit.analysis.load` calls a level invalid by it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol

from befit.engine.load_log import Call, CallLog
from befit.engine.load_shape import Arrival, LoadShape, due_times

Stopped = Literal["", "requests", "tokens", "spend", "interrupted", "overrun"]
NOT_SENT = "not_sent"
"""Kind of failure of a call that still waited on our side when its level was given up."""
ROOM = 2_000_000
"""Calls for which memory is taken up front at most (180 MB)."""
STAGGER = 0.5
"""Seconds over which the places of a closed loop start, so that they do not march in step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What may be used at most, over all levels; None is no cap."""

    requests: int | None = None
    tokens: int | None = None
    usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The most that one call can use."""

    tokens: int = 0
    usd: Decimal = Decimal(0)


@dataclass(slots=True)
class Purse:
    """Counts against the caps. The bound of every call in flight is reserved first."""

    caps: Caps = field(default_factory=Caps)
    requests: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    _held_tokens: int = 0
    _held_usd: Decimal = Decimal(0)

    def refuses(self, bound: Bound) -> Stopped:
        """Name the cap that one more call could break; "" reserves it."""
        caps = self.caps
        if caps.requests is not None and self.requests >= caps.requests:
            return "requests"
        tokens = self.tokens + self._held_tokens + bound.tokens
        if caps.tokens is not None and tokens > caps.tokens:
            return "tokens"
        if caps.usd is not None and self.usd + self._held_usd + bound.usd > caps.usd:
            return "spend"
        self.requests += 1
        self._held_tokens += bound.tokens
        self._held_usd += bound.usd
        return ""

    def settle(self, bound: Bound, *, tokens: int | None, usd: Decimal | None) -> None:
        """Turn a reservation into what was used; the bound, where nobody said."""
        self._held_tokens -= bound.tokens
        self._held_usd -= bound.usd
        self.tokens += bound.tokens if tokens is None else tokens
        self.usd += bound.usd if usd is None else usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What came of one call: its times (seconds since it was due) and what it used."""

    call: Call
    tokens: int | None = None
    usd: Decimal | None = None


class Sender(Protocol):
    """How calls are made; `befit.engine.load_sender` has the one for targets."""

    def bound(self, index: int, /) -> Bound:
        """Return the most that call number `index` can use."""
        ...

    async def send(self, index: int, due: float, /) -> Sent:
        """Make call number `index`, due at `due` on the loop's clock; never raises.

        The times in the result are seconds since `due`.
        """
        ...


Watcher = Callable[[float, int, CallLog], None]
"""Called about twice a second: seconds since the start, calls in flight, the calls so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRun:
    """One level as it went."""

    shape: LoadShape
    log: CallLog
    offered: int
    """Calls that were due inside the counted window."""
    stopped: Stopped
    most_in_flight: int
    waited_for_place: int
    """Calls that had to wait because too many were in flight."""
    in_flight: tuple[tuple[float, int], ...]
    """(second, calls in flight), about twice a second."""


class LoadGenerator:
    """Makes the calls of one level."""

    def __init__(
        self,
        sender: Sender,
        shape: LoadShape,
        *,
        purse: Purse | None = None,
        trace: tuple[Arrival, ...] = (),
        watcher: Watcher | None = None,
        first: int = 0,
    ) -> None:
        self._sender = sender
        self._shape = shape
        self._purse = purse or Purse()
        self._trace = trace
        self._watcher = watcher
        self._index = first
        most = ROOM if self._purse.caps.requests is None else self._purse.caps.requests
        self._log = CallLog(min(shape.expected, most, ROOM))
        self._stopped: Stopped = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        self._active = 0
        self._most = 0
        self._waited = 0
        self._offered = 0
        self._samples: list[tuple[float, int]] = []
        self._begun = 0.0
        self._problem: BaseException | None = None

    @property
    def next_index(self) -> int:
        """Number of the first call that the next level would make."""
        return self._index

    def stop(self) -> None:
        """Make no more calls; those in flight are waited for."""
        self._stopped = self._stopped or "interrupted"

    async def run(self) -> LevelRun:
        """Make all calls of the level and wait for their ends.

        Raises:
            Exception: what the sender raised, which it never should.
        """
        loop = asyncio.get_running_loop()
        self._begun = loop.time()
        watch = asyncio.create_task(self._watch())
        try:
            if self._shape.kind == "closed":
                await self._closed()
            else:
                await self._open()
            while self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            watch.cancel()
            for task in self._tasks:
                task.cancel()
        if self._problem is not None:
            raise self._problem
        return LevelRun(
            shape=self._shape,
            log=self._log,
            offered=self._offered,
            stopped=self._stopped,
            most_in_flight=self._most,
            waited_for_place=self._waited,
            in_flight=tuple(self._samples),
        )

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        places = asyncio.Semaphore(self._shape.most_in_flight)
        for at in due_times(self._shape, self._trace):
            due = self._begun + at
            wait = due - loop.time()
            if wait > 0:
                await asyncio.sleep(wait)
            if self._stopped or not self._may(at):
                return
            index, self._index = self._index, self._index + 1
            self._start(self._in_place(index, due, places))
            if len(self._waiting) >= self._shape.most_waiting:
                self._give_up()
                return

    def _give_up(self) -> None:
        self._stopped = "overrun"
        for task in self._waiting:
            task.cancel()

    async def _in_place(self, index: int, due: float, places: asyncio.Semaphore) -> None:
        if places.locked():
            self._waited += 1
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that runs has its task
        self._waiting.add(task)
        try:
            await places.acquire()
        except asyncio.CancelledError:
            if self._stopped != "overrun":
                raise
            self._never_sent(index, due)
            return
        finally:
            self._waiting.discard(task)
        try:
            await self._one(index, due)
        finally:
            places.release()

    def _never_sent(self, index: int, due: float) -> None:
        """Note a call that was due and was never made: it stays in the denominator."""
        self._purse.settle(self._sender.bound(index), tokens=0, usd=Decimal(0))
        now = asyncio.get_running_loop().time() - self._begun
        due -= self._begun
        self._log.add(Call(scheduled=due, sent=now, end=now, failure=NOT_SENT))

    async def _closed(self) -> None:
        places = self._shape.concurrency or 1
        rng = random.Random(self._shape.seed)  # noqa: S311 - no secret
        spread = min(STAGGER, self._shape.duration / 10) if places > 1 else 0.0
        for _ in range(places):
            self._start(self._place(rng.uniform(0.0, spread)))
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _place(self, delay: float) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(delay)
        while not self._stopped:
            due = loop.time()
            at = due - self._begun
            if at >= self._shape.duration or not self._may(at):
                return
            index, self._index = self._index, self._index + 1
            await self._one(index, due)

    def _may(self, at: float) -> bool:
        """Reserve the next call under the caps, and count it as offered."""
        refused = self._purse.refuses(self._sender.bound(self._index))
        if refused:
            self._stopped = refused
            return False
        start, end = self._shape.window
        self._offered += start <= at < end
        return True

    async def _one(self, index: int, due: float) -> None:
        self._active += 1
        self._most = max(self._most, self._active)
        try:
            sent = await self._sender.send(index, due)
        finally:
            self._active -= 1
        self._purse.settle(self._sender.bound(index), tokens=sent.tokens, usd=sent.usd)
        self._log.add(_shifted(sent.call, due - self._begun))

    def _start(self, work: Awaitable[None]) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._problem = task.exception()
            self.stop()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time() - self._begun
            self._samples.append((now, self._active))
            if self._watcher is not None:
                self._watcher(now, self._active, self._log)
            await asyncio.sleep(0.5)


def _shifted(call: Call, by: float) -> Call:
    """Return a call whose times count from the start of the level."""
    return Call(
        scheduled=by,
        sent=call.sent + by,
        end=call.end + by,
        first_token=call.first_token + by,
        first_output=call.first_output + by,
        last_token=call.last_token + by,
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        hidden_reasoning=call.hidden_reasoning,
        cost=call.cost,
        passed=call.passed,
        failure=call.failure,
    )
