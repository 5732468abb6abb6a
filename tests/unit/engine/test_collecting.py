"""The collector is asked to look less often during a run, and gets its own pace back."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from befit.engine.collecting import YOUNG, fewer_collections


def test_the_threshold_is_raised_for_the_block_only() -> None:
    """A failing run gives it back, too."""
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError):
        _fail(gc.get_threshold)
    assert gc.get_threshold() == before


def _fail(threshold: Callable[[], tuple[int, int, int]]) -> None:
    with fewer_collections():
        assert threshold()[0] == YOUNG
        assert 1 / 0


def test_a_collector_that_is_off_stays_off() -> None:
    """Whoever has set it has reasons."""
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with fewer_collections():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_two_runs_at_once_leave_the_pace_as_it_was() -> None:
    """The inner one finds it raised and changes nothing."""
    before = gc.get_threshold()
    with fewer_collections(), fewer_collections():
        pass
    assert gc.get_threshold() == before
