"""One endpoint of a run: its feed, its limiter and its workers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from befit.core.protocols import Target
from befit.core.run import ManifestCandidate
from befit.engine.arrival import Arrival
from befit.engine.calls import Caller, Shared
from befit.engine.conversation import Conversing, Player
from befit.engine.feed import Feed
from befit.engine.job import Job, Place, pair, slots, user_name
from befit.engine.limiter import Limiter
from befit.engine.limits import joint_limits
from befit.engine.parts import Parts
from befit.engine.stop import Abandoned
from befit.engine.twins import Twins


class Lane:
    """Runs the slots of the candidates that share one endpoint."""

    def __init__(
        self,
        job: Job,
        group: Sequence[ManifestCandidate],
        *,
        shared: Shared,
        parts: Parts,
        targets: Mapping[str, Target],
    ) -> None:
        limits = joint_limits(group, job.settings)
        self._workers = limits.concurrency or job.settings.concurrency
        self._drain = shared.drain
        self._limiter = Limiter(
            concurrency=self._workers, clock=shared.clock, drain=shared.drain, limits=limits
        )
        self._caller = Caller(
            shared, self._limiter, counts_tokens=limits.tokens_per_minute is not None
        )
        self._conversing = Conversing(
            caller=self._caller,
            clock=shared.clock,
            settings=job.settings,
            players=_players(job, targets),
            scorings=parts.scorings,
        )
        self._twins = Twins()
        self._feed = Feed(slots(job, group), parts=parts, twins=self._twins)
        self._writer = parts.writer
        self._tally = parts.tally
        self._stops = parts.stops
        self._targets = targets

    @property
    def in_flight(self) -> int:
        """Places taken now."""
        return self._limiter.in_use

    @property
    def retries(self) -> int:
        """Further tries so far."""
        return self._caller.retries

    def drain(self) -> None:
        """Send everybody home who waits for a place."""
        self._limiter.abandon_waiters()

    async def run(self) -> None:
        """Run until every slot has landed or the run drains."""
        async with asyncio.TaskGroup() as group:
            helpers = [group.create_task(self._feed.run()), group.create_task(self._caller.watch())]
            workers = [group.create_task(self._work()) for _ in range(self._workers)]
            await asyncio.wait(workers)
            for helper in helpers:
                helper.cancel()

    async def _work(self) -> None:
        while not self._drain.started:
            place = await self._feed.next()
            if place is None:
                return
            try:
                await self._one(place)
            except Abandoned:
                return
            finally:
                self._twins.ended(place.key_id)

    async def _one(self, place: Place) -> None:
        name = place.slot.candidate
        if self._stops[name].cause is not None:
            self._tally.skip(name)
            return
        if place.twin and await self._reused(place):
            return
        await self._limiter.acquire()
        try:
            trial = await self._conversing.trial(place, self._targets[name])
            self._stops[name].note(trial.failure, sample_id=place.sample.id)
            await self._writer.land(Arrival(place.slot, place.sample, trial))
            self._tally.end(trial)
        finally:
            self._limiter.release()

    async def _reused(self, place: Place) -> bool:
        """Land the answer that another slot with the same key has got, if it got one."""
        await self._twins.first_ended(place.key_id)
        key_id = place.key_id
        found = await self._writer.work.do(lambda store: store.trials([key_id]))
        if key_id not in found:
            return False
        trial = found[key_id]
        await self._writer.land(Arrival(place.slot, place.sample, trial, reused=True))
        self._tally.reuse(trial)
        return True


def _players(job: Job, targets: Mapping[str, Target]) -> dict[str, Player]:
    """Return the simulated users by scenario; their calls go through this endpoint's limits."""
    specs = {scenario.name: scenario.spec for scenario in job.scenarios}
    return {
        name: Player(
            target=targets[user_name(name)],
            pairing=pair(user, specs[name].model_copy(update={"tools": ()}), job.settings),
        )
        for name, user in job.users.items()
    }
