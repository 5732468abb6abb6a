"""The places of one endpoint on their way to its workers, a chunk at a time.

A chunk is looked up in the store at once: what this run holds already is passed
over, what an earlier run has measured is landed as reused without a call, the
rest is queued. Samples are stored before their trials. Only a few chunks are in
memory, however long the run is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from befit.core.trial import Trial
from befit.engine.arrival import Arrival
from befit.engine.job import EngineStore, Place
from befit.engine.parts import Parts
from befit.engine.twins import Twins

CHUNK = 128
"""Places read at once; the next chunk is read when no more than so many are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    places: list[Place]
    """Those whose slot is open."""
    filled: int
    trials: dict[str, Trial]


class Feed:
    """A queue of places to be called, filled by `run`, read by the workers with `next`."""

    def __init__(self, places: Iterator[Place], *, parts: Parts, twins: Twins) -> None:
        self._places = places
        self._log = parts.log
        self._writer = parts.writer
        self._tally = parts.tally
        self._drain = parts.drain
        self._stops = parts.stops
        self._twins = twins
        # Not an `asyncio.Queue`: a full one wakes this task for every single place taken.
        self._ready: deque[Place] = deque()
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._fresh = False
        """Whether the run held no trial when the feed began; nobody else fills its slots."""

    async def next(self) -> Place | None:
        """Return the next place to call, None when there is none left."""
        while not self._ready:
            if self._ended:
                return None
            self._more.clear()
            await self._more.wait()
        place = self._ready.popleft()
        if len(self._ready) == CHUNK:
            self._room.set()
        return place

    async def run(self) -> None:
        """Fill the queue until the places are used up or the run drains."""
        work = self._writer.work
        self._fresh = not await work.do(lambda store: store.has_trials(self._log.run_id))
        while not self._drain.started:
            # A dataset is somebody else's code and may be slow.
            places = await work.in_thread(lambda: list(islice(self._places, CHUNK)))
            if not places:
                break
            chunk = await work.do(lambda store: self._look_up(store, places))  # noqa: B023  # awaited here
            self._tally.already += chunk.filled
            landed = []
            for place in chunk.places:
                if (trial := chunk.trials.get(place.key_id)) is not None:
                    arrival = Arrival(place.slot, place.sample, trial, reused=True)
                    landed.append((trial, self._writer.hand_over(arrival)))
                elif self._stops[place.slot.candidate].cause is not None:
                    self._tally.skip(place.slot.candidate)
                else:
                    place.twin = self._twins.is_second(place.key_id)
                    self._ready.append(place)
            self._more.set()
            for trial, done in landed:
                await done
                self._tally.reuse(trial)
            await self._writer.late.room()
            while len(self._ready) > CHUNK:
                self._room.clear()
                await self._room.wait()
        self._ended = True
        self._more.set()

    def _look_up(self, store: EngineStore, places: list[Place]) -> _Chunk:
        """Store the samples of some places, and look up what of these is measured already."""
        self._log.put(store, places)
        opened = places
        if not self._fresh:
            left = store.unfilled(self._log.run_id, [place.slot for place in places])
            if len(left) < len(places):
                open_slots = set(left)
                opened = [place for place in places if place.slot in open_slots]
        trials = store.trials([place.key_id for place in opened]) if opened else {}
        return _Chunk(places=opened, filled=len(places) - len(opened), trials=trials)
