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
from befit.engine.job import Place
from befit.engine.parts import Parts
from befit.engine.twins import Twins

CHUNK = 256
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
        while not self._drain.started:
            chunk = await self._writer.in_thread(self._read)
            if chunk is None:
                break
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

    def _read(self) -> _Chunk | None:
        """Take the next chunk and look it up (on the store's thread); None at the end."""
        chunk = list(islice(self._places, CHUNK))
        taken = len(chunk)
        if not chunk:
            return None
        self._log.put(chunk)
        store, run_id = self._log.store, self._log.run_id
        left = store.unfilled(run_id, [place.slot for place in chunk])
        if len(left) < len(chunk):
            open_slots = set(left)
            chunk = [place for place in chunk if place.slot in open_slots]
        trials = store.trials([place.key_id for place in chunk]) if chunk else {}
        return _Chunk(places=chunk, filled=taken - len(chunk), trials=trials)
