"""Calls of a level against a target: what is our waiting, and what is the target's."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from befit.analysis.load import analyse_level
from befit.core.completion import Completion, Request, Timing
from befit.core.run import RunSettings
from befit.engine.job import pair
from befit.engine.load_run import LoadGenerator
from befit.engine.load_sender import TargetSender
from befit.engine.load_shape import LoadShape
from engine_ground import candidate, completion, numbered, scenario
from load_ground import fly


class OneAtATime:
    """Serves one call at a time, each for half a second, as a local model does."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def generate(self, request: Request, /) -> Completion:
        loop = asyncio.get_running_loop()
        async with self._turn:
            sent = loop.time()
            await asyncio.sleep(0.5)
            due = request.scheduled or 0.0
            timing = Timing(sent=sent - due, end=loop.time() - due)
            return replace(completion("42"), timing=timing)

    async def aclose(self) -> None:
        return None


def test_a_target_that_serves_one_at_a_time_is_slow_and_the_generator_is_not_late():
    one = scenario(numbered(3))
    pairing = pair(candidate(), one.spec, RunSettings())
    sender = TargetSender(OneAtATime(), pairing, list(one.samples.load()))
    shape = LoadShape(kind="constant", rate=4, duration=5)
    level = analyse_level(fly(LoadGenerator(sender, shape).run()))
    assert level.invalid == ()
    assert level.lag_p99 < 0.001
    # 20 calls of half a second, four due each second: the last waits 5 s and is served for 0.5 s.
    assert 5.0 < level.times["service"].p99.value < 5.6
    assert abs(level.times["service"].p99.value - level.times["latency"].p99.value) < 0.001
