"""Fewer searches for circular garbage while a run is under way.

A run has some ten thousand short-lived objects on their way at any moment, and
nearly all of them end by reference counting. With Python's usual threshold each
few calls start a search through them, which finds nothing and costs a quarter
of the run's time, most of it in waiting for memory.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 50_000
"""New objects (net) before the next search; some 10 MB of circular garbage at most."""


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Raise the threshold of the collector for the block, unless it is off or higher already."""
    before = gc.get_threshold()
    if not gc.isenabled() or not 0 < before[0] < YOUNG:
        yield
        return
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
