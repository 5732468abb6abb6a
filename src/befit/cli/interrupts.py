"""Stopping a run from outside: Ctrl-C, SIGTERM, SIGHUP, and what happens when none can be heard.

Once: nothing new is started, what is in flight is finished and stored, and the command that
goes on is printed. Twice: at once. Three times: whatever runs is broken off. SIGTERM (a
container that is stopped, a job that is cancelled) is the same as Ctrl-C, and so is SIGHUP (a
terminal that was closed), after which nothing more is said: nobody is there.

A function of the user's own can hold the interpreter in C code (a regular expression of
Python's `re` does), and then no handler can run at all. Therefore, while such functions are
in use, each tick of the run winds up an alarm of `faulthandler`, which needs no interpreter:
after two minutes without a tick it prints where every thread stands and ends the process.
Every answer is stored before such a function sees it, so nothing that was paid for is lost.
"""

from __future__ import annotations

import faulthandler
import io
import os
import signal
import stat
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
_HANG_UP = getattr(signal, "SIGHUP", None)
"""None on Windows."""


def asked_to_stop() -> tuple[signal.Signals, ...]:
    """Return the signals that mean: stop. One that is ignored (`nohup`) stays so."""
    if _HANG_UP is None or signal.getsignal(_HANG_UP) is signal.SIG_IGN:
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, _HANG_UP)


def hung_up(number: int) -> bool:
    """Tell whether a signal says that the terminal is gone; from then on all is said to nobody."""
    if number != _HANG_UP:
        return False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):
            os.dup2(nowhere, stream)
    return True


@contextmanager
def stoppable(shell: Shell) -> Iterator[StopSignal]:
    """Give a stop signal that Ctrl-C, SIGTERM and SIGHUP set."""
    from befit.engine.stop import StopSignal  # noqa: PLC0415 - lazy verb

    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread may say what signals do
        return
    handle = _handler(shell, stop)
    before = {number: signal.signal(number, handle) for number in asked_to_stop()}
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
    def handle(number: int, _frame: FrameType | None) -> None:
        stop.request()
        if stop.requests >= _BREAK_OFF:
            raise KeyboardInterrupt
        if hung_up(number):
            return
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
