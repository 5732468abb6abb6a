"""Progress: one frozen picture of a run, given to a callback about twice a second.

How it is shown is the caller's business; nothing is printed here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from befit.engine.budget import Budget
from befit.engine.clock import Clock
from befit.engine.tally import Tally

TICK = 0.5
_WINDOW = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The state of a run at one moment. None means "not known (yet)"."""

    total: int | None
    """Slots of the whole run."""
    done: int
    """Slots filled or tried, those of earlier sittings included."""
    ok: int
    candidate_failures: int
    missing: int
    reused: int
    not_run: int
    retries: int
    in_flight: int
    rate: float | None
    """Trials per second over the last 20 seconds."""
    eta: float | None
    """Seconds left at this rate."""
    spent: Decimal
    """USD known to be spent, of all that the cap is for."""
    unknown: int
    """Answers whose cost nobody knows: they come on top of `spent`."""
    reserved: Decimal
    """USD that calls in flight may still cost."""
    first_token_p50: float | None
    """Median seconds to the first token of the last 512 calls."""
    elapsed: float
    finished: bool = False
    uncertain: Decimal = Decimal(0)
    """USD that calls may have cost at most besides that told no cost: cut streams, timeouts."""


Callback = Callable[[Progress], None]


class Ticker:
    """Calls back with a `Progress` at the start, every half second, and once at the end."""

    def __init__(
        self,
        callback: Callback | None,
        *,
        tally: Tally,
        budget: Budget,
        clock: Clock,
        total: int | None,
        load: Callable[[], tuple[int, int]],
    ) -> None:
        """`load` returns (calls in flight, retries so far)."""
        self._callback = callback
        self._tally = tally
        self._budget = budget
        self._clock = clock
        self._total = total
        self._load = load
        self._started = clock.monotonic()
        self._marks: deque[tuple[float, int]] = deque([(self._started, 0)])

    async def run(self) -> None:
        """Tick at once and from then on, until cancelled."""
        if self._callback is None:
            return
        never = asyncio.Event()
        while True:
            self._callback(self.picture())
            await self._clock.wait(never, TICK)

    def finish(self) -> None:
        """Call back for the last time."""
        if self._callback is not None:
            self._callback(self.picture(finished=True))

    def picture(self, *, finished: bool = False) -> Progress:
        """Return the state now."""
        tally, now = self._tally, self._clock.monotonic()
        self._marks.append((now, tally.landed))
        while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW:  # noqa: PLR2004  # two marks make a rate
            self._marks.popleft()
        then, before = self._marks[0]
        rate = (tally.landed - before) / (now - then) if now > then else None
        not_run = sum(tally.not_run.values())
        done = tally.landed + tally.already
        left = None if self._total is None else self._total - done - not_run
        in_flight, retries = self._load()
        return Progress(
            total=self._total,
            done=done,
            ok=tally.ok,
            candidate_failures=tally.candidate_failures,
            missing=tally.missing,
            reused=tally.reused,
            not_run=not_run,
            retries=retries,
            in_flight=in_flight,
            rate=rate,
            eta=left / rate if left is not None and rate else None,
            spent=self._budget.spent + self._budget.beside.spent,
            unknown=self._budget.unknown,
            reserved=self._budget.reserved,
            uncertain=self._budget.uncertain + self._budget.beside.uncertain,
            first_token_p50=median(tally.first_tokens) if tally.first_tokens else None,
            elapsed=now - self._started,
            finished=finished,
        )
