"""Calls that another tool made, laid out as a level of ours: times from its first due call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape

_MOMENTS = ("scheduled", "sent", "first_token", "first_output", "last_token", "end")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLevel:
    """One level of another tool."""

    run: LevelRun


def imported_level(calls: Sequence[Call], shape: Callable[[float], LoadShape]) -> ImportedLevel:
    """Return calls as a level.

    Args:
        calls: with times on one clock.
        shape: makes the shape from the seconds between the first and the last due call.
    """
    start = min(call.scheduled for call in calls)
    moved = [
        replace(call, **{name: getattr(call, name) - start for name in _MOMENTS}) for call in calls
    ]
    length = max(max(call.scheduled for call in moved) * (1 + 1e-9), 1e-6)
    edges = sorted([(c.sent, 1) for c in moved] + [(c.end, -1) for c in moved])
    flying = most = 0
    seen: list[tuple[float, int]] = []
    for at, step in edges:
        flying += step
        most = max(most, flying)
        seen.append((at, flying))
    every = max(1, len(seen) // 1000)
    return ImportedLevel(
        run=LevelRun(
            shape=shape(length),
            log=CallLog.of(moved),
            offered=len(moved),
            stopped="",
            most_in_flight=most,
            waited_for_place=0,
            in_flight=tuple(seen[::every]),
        )
    )
