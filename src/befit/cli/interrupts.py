"""Stopping a run from outside: Ctrl-C and SIGTERM, and what happens when neither can be heard.

Once: nothing new is started, what is in flight is finished and stored, and the command that
goes on is printed. Twice: at once. Three times: whatever runs is broken off. SIGTERM (a
container that is stopped, a job that is cancelled) is the same as Ctrl-C.

A function of the user's own can hold the interpreter in C code (a regular expression of
Python's `re` does), and then no handler can run at all. Therefore, while such functions are
in use, each tick of the run winds up an alarm of `faulthandler`, which needs no interpreter:
after two minutes without a tick it prints where every thread stands and ends the process.
Every answer is stored before such a function sees it, so nothing that was paid for is lost.
"""

from __future__ import annotations

import faulthandler
import io
import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from befit.cli.shell import Shell
    from befit.engine.progress import Callback, Progress
    from befit.engine.stop import StopSignal

FROZEN = 120.0
"""Seconds without a tick after which a frozen interpreter is ended."""
_AT_ONCE, _BREAK_OFF = 2, 3


@contextmanager
def stoppable(shell: Shell) -> Iterator[StopSignal]:
    """Give a stop signal that Ctrl-C and SIGTERM set."""
    from befit.engine.stop import StopSignal  # noqa: PLC0415 - lazy verb

    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread may say what signals do
        return
    handle = _handler(shell, stop)
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def ended_by_term() -> Iterator[None]:
    """Let SIGTERM end what is under way as Ctrl-C does: by a `KeyboardInterrupt`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ctrl_c = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        # Whoever runs now may have a handler of its own for Ctrl-C (asyncio does).
        now = signal.getsignal(signal.SIGINT)
        (now if callable(now) else signal.default_int_handler)(number, frame)

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, ctrl_c)


def _handler(shell: Shell, stop: StopSignal) -> Callable[[int, FrameType | None], None]:
    def handle(_number: int, _frame: FrameType | None) -> None:
        stop.request()
        if stop.requests >= _BREAK_OFF:
            raise KeyboardInterrupt
        shell.say(
            "\nstopping now"
            if stop.requests == _AT_ONCE
            else "\nfinishing what is in flight; once more stops at once"
        )

    return handle


@contextmanager
def unfrozen(watch: Callback | None) -> Iterator[Callback | None]:
    """Give `watch` with the alarm wound up at every tick."""
    from befit.engine.progress import TICK  # noqa: PLC0415 - lazy verb

    def tick(progress: Progress) -> None:
        if progress.finished:
            faulthandler.cancel_dump_traceback_later()
        else:
            faulthandler.dump_traceback_later(FROZEN + TICK, exit=True)
        if watch is not None:
            watch(progress)

    try:
        faulthandler.dump_traceback_later(FROZEN, exit=True)
        faulthandler.cancel_dump_traceback_later()
    except (io.UnsupportedOperation, AttributeError, RuntimeError, ValueError):
        yield watch  # stderr is no file: there is nowhere to say where it stands
        return
    try:
        yield tick
    finally:
        faulthandler.cancel_dump_traceback_later()
