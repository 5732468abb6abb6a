"""Threads for functions that may never return: daemons, so that nobody waits for them at exit.

A `ThreadPoolExecutor` is joined when the interpreter ends: one function that hangs would
keep the process, and whoever called it, for ever.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from befit.plugins import OwnCode


class DaemonThreads:
    """At most `most` threads that run calls in the order given; used from one thread."""

    def __init__(self, most: int, *, name: str) -> None:
        self._most = most
        self._name = name
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], Any] | None] = (
            queue.SimpleQueue()
        )
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._waiting: set[Future[Any]] = set()

    def submit(self, call: Callable[..., Any], given: Any) -> Future[Any]:
        """Have `call(given)` run in a thread."""
        done: Future[Any] = Future()
        self._waiting = {one for one in self._waiting if not (one.running() or one.done())}
        self._waiting.add(done)
        self._work.put((done, call, given))
        if not self._idle.acquire(blocking=False) and self._started < self._most:
            self._started += 1
            name = f"{self._name}-{self._started}"
            threading.Thread(target=self._run, name=name, daemon=True).start()
        return done

    def close(self) -> None:
        """Start nothing more; threads that run end after their call and are not waited for."""
        for one in self._waiting:
            one.cancel()
        for _ in range(self._started):
            self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            done, call, given = work
            if done.set_running_or_notify_cancel():
                try:
                    with OwnCode():
                        returned = call(given)
                except BaseException as error:  # noqa: BLE001 - raised where the call is awaited
                    done.set_exception(error)
                else:
                    done.set_result(returned)
                    del returned
            del work, done, call, given
            self._idle.release()
