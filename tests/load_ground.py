"""A loop whose time flies, and simulated servers of known capacity: for load tests."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

from befit.analysis.load import ServiceLevel
from befit.engine.load_log import Call
from befit.engine.load_run import Bound, LevelRun, LoadGenerator, Purse, Sent
from befit.engine.load_shape import LoadShape
from befit.pipeline.saturation import Saturation, SearchSettings, search


class _Selector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Never waits: what would be waited for is added to the loop's time."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is not None and timeout > 0:
            self.skipped += timeout
        return super().select(0)


class FlyingLoop(asyncio.SelectorEventLoop):
    """An event loop in which an hour of waiting takes no time."""

    def __init__(self) -> None:
        self._flying = _Selector()
        super().__init__(self._flying)

    def time(self) -> float:
        return self._flying.skipped


def fly(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on a flying loop."""
    loop = FlyingLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


class SimulatedServer:
    """First come, first served: `places` calls at a time, each for a drawn time.

    Its capacity is places / mean service time. `stall` = (from, until) on the
    loop's clock: nothing is begun or ended in between.
    """

    def __init__(
        self,
        *,
        places: int,
        service: Callable[[random.Random], float],
        seed: int = 0,
        stall: tuple[float, float] | None = None,
    ) -> None:
        self._free = [0.0] * places
        self._service = service
        self._rng = random.Random(seed)  # noqa: S311 - a simulation
        self._stall = stall

    def bound(self, _index: int, /) -> Bound:
        return Bound(tokens=10)

    async def send(self, _index: int, due: float, /) -> Sent:
        loop = asyncio.get_running_loop()
        now = loop.time()
        begin = max(now, heapq.heappop(self._free))
        end = begin + self._service(self._rng)
        if self._stall is not None and begin < self._stall[1] and end > self._stall[0]:
            begin = max(begin, self._stall[0])
            end = self._stall[1] + (end - begin)
        heapq.heappush(self._free, end)
        await asyncio.sleep(end - now)
        took = end - due
        return Sent(
            call=Call(
                scheduled=0.0,
                sent=now - due,
                end=took,
                first_token=took,
                last_token=took,
                output_tokens=1.0,
            ),
            tokens=10,
        )


def run_level(
    server: Any, shape: LoadShape, *, purse: Purse | None = None, **more: Any
) -> LevelRun:
    """Run one level against a simulated server."""
    return fly(LoadGenerator(server, shape, purse=purse, **more).run())


def find_capacity(seed: int, axis: str = "rate", **settings: Any) -> Saturation:
    """Search a server of 20 places with gamma service times of 50 ms: 400 calls a second."""

    async def work() -> Saturation:
        number = itertools.count()

        async def level(shape: LoadShape) -> LevelRun:
            server = SimulatedServer(
                places=20,
                service=lambda rng: rng.gammavariate(2.0, 0.025),
                seed=1000 * seed + next(number),
            )
            return await LoadGenerator(server, shape).run()

        promise = ServiceLevel(latency=0.5, share=0.95)
        plan = SearchSettings(axis=axis, start=20, seed=seed, **settings)
        return await search(level, promise, plan)

    return fly(work())
