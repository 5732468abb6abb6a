"""Scoring by code that is not befit's: after the answer is stored, on a thread of its own.

A function of the user's (the `python` scorer, a scorer of a plug-in) may take long or never
come back. Its answers are therefore stored before it sees them, nothing else waits for it,
and a run that is told twice to stop leaves without it: what is left unscored is scored by
the same command later, or by `befit score`. The thread is a daemon, so that a function that
never returns cannot keep the process alive.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Mapping, Sequence

from befit.core.landed import Landed
from befit.engine.arrival import Arrival
from befit.engine.scoring import Scoring

ROOM = 2_000
"""Answers that may wait for a slow scorer before new calls wait, too (memory)."""


class LateScoring:
    """Scores stored answers one after the other and has the scores added to them.

    Args:
        scorings: scenario -> its scorers, of this thread's own.
        store: adds the scores of some answers; called from this thread.
    """

    def __init__(
        self, scorings: Mapping[str, Scoring], store: Callable[[Sequence[Landed]], None]
    ) -> None:
        self.scorings = scorings
        self._store = store
        self._queue: queue.SimpleQueue[Sequence[Arrival] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._moved = asyncio.Event()
        self._hurry = False
        self.error: Exception | None = None
        self.waiting = 0
        """Answers that are stored and not scored yet."""

    def put(self, arrivals: Sequence[Arrival]) -> None:
        """Have stored answers scored (called in the event loop)."""
        if self._thread is None:
            self._loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._work, name="befit-score", daemon=True)
            self._thread.start()
        self.waiting += len(arrivals)
        self._queue.put(arrivals)

    async def room(self) -> None:
        """Return when not too many answers wait, or nobody should wait any more.

        Raises:
            StoreError: the scores cannot be kept.
        """
        while self.waiting > ROOM and not self._hurry:
            self._moved.clear()
            await self._moved.wait()
        if self.error is not None:
            raise self.error

    def hurry(self) -> None:
        """Let nobody wait for room any more: the run is ending."""
        self._hurry = True
        self._moved.set()

    async def finish(self, now: asyncio.Event) -> int:
        """Return how many answers stay unscored: all are scored, unless `now` is set before.

        Raises:
            StoreError: the scores cannot be kept.
        """
        hurry = asyncio.create_task(now.wait())
        try:
            while self.waiting and self.error is None and not now.is_set():
                self._moved.clear()
                moved = asyncio.create_task(self._moved.wait())
                await asyncio.wait({hurry, moved}, return_when=asyncio.FIRST_COMPLETED)
                moved.cancel()
        finally:
            hurry.cancel()
            self._queue.put(None)
        if self.error is not None:
            raise self.error
        return self.waiting

    def _work(self) -> None:
        while (arrivals := self._queue.get()) is not None:
            try:
                for arrival in arrivals:
                    self._score(arrival)
            except Exception as error:  # noqa: BLE001  # whatever the store raises reaches the run
                self.error = error
                self._tell(0)
                return

    def _score(self, arrival: Arrival) -> None:
        scores = self.scorings[arrival.slot.scenario].score(arrival.sample, arrival.trial)
        landed = Landed(
            slot=arrival.slot, trial=arrival.trial, scores=scores, reused=arrival.reused
        )
        self._store([landed])
        self._tell(1)

    def _tell(self, done: int) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():  # the run has left without us
            return
        try:
            loop.call_soon_threadsafe(self._note, done)
        except RuntimeError:  # closed between the look and the call
            return

    def _note(self, done: int) -> None:
        self.waiting -= done
        self._moved.set()
