"""Executing a job: its slots become stored trials.

Per endpoint a feed fills a queue and as many workers as may be in flight empty
it; one writer commits for all. A worker keeps its place until its trial is
committed, so that `kill -9` never costs more calls than were in flight.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from befit.core.protocols import Target
from befit.core.run import ManifestCandidate, RunSettings, RunStatus
from befit.engine.budget import Budget
from befit.engine.calls import Shared
from befit.engine.clock import Clock, SystemClock
from befit.engine.collecting import fewer_collections
from befit.engine.early_stop import EarlyStop
from befit.engine.job import EngineStore, Job, endpoints
from befit.engine.lane import Lane
from befit.engine.masking import Masking
from befit.engine.outcome import RunOutcome, Stopped
from befit.engine.parts import Parts, SampleLog
from befit.engine.progress import Callback, Ticker
from befit.engine.retry import RetryPolicy
from befit.engine.scoring import Scoring
from befit.engine.stop import Drain, StopSignal
from befit.engine.tally import Tally
from befit.engine.writer import Writer
from befit.errors import SpendCapError


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Time and chance, passed in."""

    clock: Clock = field(default_factory=SystemClock)
    rng: random.Random = field(default_factory=random.Random)


async def execute(
    job: Job,
    *,
    store: EngineStore,
    targets: Mapping[str, Target],
    scorings: Mapping[str, Scoring] | None = None,
    progress: Callback | None = None,
    stop: StopSignal | None = None,
    runtime: Runtime | None = None,
) -> RunOutcome:
    """Run every slot of `job` that its run does not hold yet.

    Args:
        job: what to run.
        store: where it is kept; used in the event loop and from one thread of the engine's own.
        targets: candidate name -> target, made in this event loop (`open_targets`).
        scorings: scenario name -> its scorers; built from the specs where not given.
        progress: called about twice a second.
        stop: asks the run to stop (once: finish what is in flight; twice: now).
        runtime: time and chance.

    Raises:
        SpendCapError: a price is unknown under a cap and that is not allowed.
        StoreError: the store cannot keep the trials.
        PluginError, ConfigError: a scorer cannot be built.
    """
    check_prices(job.candidates, job.settings)
    if scorings is None:
        scorings = {s.name: Scoring.of(s.spec) for s in job.scenarios}
    run = _Run(job, store, scorings, runtime or Runtime())
    with fewer_collections():
        return await run.execute(targets, progress, stop or StopSignal())


class _Run:
    """One sitting of a run."""

    def __init__(
        self, job: Job, store: EngineStore, scorings: Mapping[str, Scoring], runtime: Runtime
    ) -> None:
        self._job = job
        self._clock = runtime.clock
        cap = job.settings.max_cost
        self._drain = Drain()
        self._budget = Budget(
            cap=None if cap is None else Decimal(str(cap)),
            drain=self._drain,
            before=job.before,
            beside=job.beside,
        )
        self._shared = Shared(
            clock=runtime.clock,
            rng=runtime.rng,
            drain=self._drain,
            budget=self._budget,
            retry=RetryPolicy(retries=job.settings.retries),
        )
        self._tally = Tally()
        self._writer = Writer(
            run_id=job.run_id,
            store=store,
            scorings=dict(scorings),
            account=self._budget.account,
        )
        self._parts = Parts(
            log=SampleLog(job.run_id),
            writer=self._writer,
            tally=self._tally,
            drain=self._drain,
            stops={c.candidate.name: EarlyStop() for c in job.candidates},
            # Of their own: the others may be at work in the writer's thread.
            scorings={
                s.name: Scoring.of(s.spec) for s in job.scenarios if s.spec.stop_at_failed_turn
            },
        )

    async def execute(
        self, targets: Mapping[str, Target], progress: Callback | None, stop: StopSignal
    ) -> RunOutcome:
        users = self._job.users.values()
        own = [entry.candidate for entry in (*self._job.candidates, *users)]
        self._writer.masking = self._parts.log.masking = Masking.of(own, targets)
        lanes = [self._lane(group, targets) for group in endpoints(self._job.candidates).values()]
        self._writer.in_flight = lambda: sum(lane.in_flight for lane in lanes)
        ticker = Ticker(
            progress,
            tally=self._tally,
            budget=self._budget,
            clock=self._clock,
            total=self._job.n_slots,
            load=lambda: (sum(x.in_flight for x in lanes), sum(x.retries for x in lanes)),
        )
        started = self._clock.monotonic()
        now = stop.attach(self._drain)
        writing = asyncio.create_task(self._writer.run())
        ticking = asyncio.create_task(ticker.run())
        try:
            await self._drive(lanes, now)
        finally:
            self._writer.close()
            await asyncio.shield(writing)
            try:
                unscored = await self._writer.late.finish(now)
            finally:
                ticking.cancel()
                self._writer.shut_down()
                stop.detach()
        ticker.finish()
        return self._outcome(
            retries=sum(lane.retries for lane in lanes),
            seconds=self._clock.monotonic() - started,
            unscored=unscored,
        )

    def _lane(self, group: list[ManifestCandidate], targets: Mapping[str, Target]) -> Lane:
        return Lane(
            self._job,
            group,
            shared=self._shared,
            parts=self._parts,
            targets=targets,
        )

    async def _drive(self, lanes: list[Lane], now: asyncio.Event) -> None:
        """Run the lanes until they end or `now` is set; raise what one of them raised."""
        running = asyncio.create_task(_together(lanes))
        hurry = asyncio.create_task(now.wait())
        draining = asyncio.create_task(self._drain.event.wait())
        waiting: set[asyncio.Future[Any]] = {running, hurry, draining}
        try:
            while not running.done() and not now.is_set():
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if draining.done():
                    waiting.discard(draining)
                    self._writer.late.hurry()
                    for lane in lanes:
                        lane.drain()
        finally:
            hurry.cancel()
            draining.cancel()
            if not running.done():
                running.cancel()
                await asyncio.wait({running})
        if running.cancelled():
            return
        error = running.exception()
        if error is not None:
            raise _first_of(error)

    def _outcome(self, *, retries: int, seconds: float, unscored: int) -> RunOutcome:
        tally, job = self._tally, self._job
        stopped = tuple(
            Stopped(candidate=name, cause=watch.cause, not_run=tally.not_run[name])
            for name, watch in self._parts.stops.items()
            if watch.cause is not None
        )
        not_run: int | None = sum(tally.not_run.values())
        if job.n_slots is not None:
            not_run = max(0, job.n_slots - tally.landed - tally.already)
        elif self._drain.started:
            not_run = None
        status: RunStatus = "complete"
        if self._drain.reason is not None and (not_run != 0 or unscored):
            status = self._drain.reason
        elif tally.missing or not_run:
            status = "partial"
        return RunOutcome(
            status=status,
            ok=tally.ok,
            candidate_failures=tally.candidate_failures,
            missing=tally.missing,
            reused=tally.reused,
            already=tally.already,
            not_run=not_run,
            retries=retries,
            spent=self._budget.spent,
            unknown=self._budget.unknown,
            uncertain=self._budget.uncertain,
            failures=dict(tally.failures),
            stopped=stopped,
            seconds=seconds,
            warnings=(*tally.slips, *self._writer.warnings),
            unscored=unscored,
            refused=self._budget.refused,
            needs=self._budget.needs,
        )


async def _together(lanes: list[Lane]) -> None:
    async with asyncio.TaskGroup() as group:
        for lane in lanes:
            group.create_task(lane.run())


def _first_of(error: BaseException) -> BaseException:
    """Return the error itself from the groups that task groups wrap around it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def check_prices(candidates: Sequence[ManifestCandidate], settings: RunSettings) -> None:
    """Raise SpendCapError where a price is unknown under a cap and that is not allowed."""
    if settings.max_cost is None or settings.allow_unknown_cost:
        return
    unknown = [c.candidate.name for c in candidates if c.price is None]
    if unknown:
        raise SpendCapError(
            f"no price is known for: {', '.join(unknown)}",
            where="run.max_cost",
            why="a spend cap cannot hold for calls of unknown cost",
            do="give candidates a price, or set run.allow_unknown_cost: true",
        )
