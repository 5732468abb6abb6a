"""The event loop that runs turn in: libuv's, where there is one for this system (not on Windows).

A run makes several turns of the loop for each answer, and asyncio's own loop takes them in
Python. Load measurements keep asyncio's: it knows finer times than a millisecond.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` returns, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=_new_loop()) as runner:
        return runner.run(work)


def _new_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes a loop; None means asyncio's own."""
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - takes 10 ms, and only runs need it
    except ImportError:
        return None
    return new_event_loop
