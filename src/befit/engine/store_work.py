"""Where the work at the store is done: in the event loop while it is brief, else on a thread.

A batch of a workspace's file takes a few milliseconds, nearly all of them in Python, which a
thread would take from the event loop just the same; handing objects from one processor core
to another and back costs more than the thread saves. But nothing may hold up the loop, for
there the times are measured: what would have to wait for another process goes to the thread,
and so does what comes after something that took long (a slow disk, a slow pattern). A server
is always spoken to from the thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import TypeVar

from befit.engine.job import EngineStore
from befit.errors import StoreBusyError

T = TypeVar("T")

BRIEF = 0.025
"""Seconds that a piece of work may take in the event loop before the next ones go to the thread."""
FIRST_REST = 16
"""Pieces of work that go to the thread after the first one that was not brief; each later one
sends twice as many there."""
FORGIVEN = 64
"""Brief pieces in a row after which a long one counts as the first again: it was the machine."""
TIDY = 1_000
"""Trials after which a batch goes to the thread in any case: there the file's log is folded in,
which waits for the disk."""


class StoreWork:
    """Does pieces of work at a store, one after the other as they are awaited."""

    def __init__(self, store: EngineStore) -> None:
        self._store = store
        self._brief = store.brief()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="befit-store")
        self._apart = 0
        """Pieces of work yet to come that go to the thread."""
        self._rest = FIRST_REST
        self._in_a_row = 0
        """Brief pieces since the last long one."""
        self._untidied = 0

    async def do(self, work: Callable[[EngineStore], T], *, trials: int = 0) -> T:
        """Return what `work` returns of the store.

        Args:
            work: does the same when it is done again after a `StoreBusyError`.
            trials: how many it stores.
        """
        self._untidied += trials
        if self._brief is not None and not self._apart and self._untidied < TIDY:
            began = perf_counter()
            try:
                return work(self._brief)
            except StoreBusyError:
                pass  # the thread may wait
            finally:
                self._note(perf_counter() - began)
        self._apart = max(0, self._apart - 1)
        if trials:
            self._untidied = 0
        return await self.in_thread(lambda: work(self._store))

    def _note(self, seconds: float) -> None:
        """Note how long a piece of work held up the event loop."""
        if seconds <= BRIEF:
            self._in_a_row += 1
            return
        if self._in_a_row >= FORGIVEN:
            self._rest = FIRST_REST
        self._in_a_row = 0
        self._apart, self._rest = self._rest, self._rest * 2

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return what `work` returns on the store's thread: what may take long in any case."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def from_thread(self, work: Callable[[EngineStore], T]) -> T:
        """Return what `work` returns of the store, to another thread."""
        return self._thread.submit(work, self._store).result()

    def shut_down(self) -> None:
        """End the thread when it has done what was handed to it."""
        self._thread.shutdown(wait=True)
