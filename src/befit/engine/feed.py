"""The places of one endpoint on their way to its workers, a chunk at a time.

A chunk is looked up in the store at once: what this run holds already is passed
over, what an earlier run has measured is landed as reused without a call, the
rest is queued. Samples are stored before their trials. Only a few chunks are in
memory, however long the run is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from befit.core.trial import Trial
from befit.engine.arrival import Arrival
from befit.engine.job import Place
from befit.engine.parts import Parts
from befit.engine.twins import Twins

CHUNK = 256


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
        self._queue: asyncio.Queue[Place | None] = asyncio.Queue(maxsize=CHUNK)
        self._twins = twins

    async def next(self) -> Place | None:
        """Return the next place to call, None when there is none left."""
        place = await self._queue.get()
        if place is None:
            self._queue.put_nowait(None)  # for the next worker; get has just made room
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
                    await self._queue.put(place)
            for trial, done in landed:
                await done
                self._tally.reuse(trial)
            await self._writer.late.room()
        await self._queue.put(None)

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
