"""Saturation search: levels are run, judged and chosen until the most bearable load is known.

The choice is `befit.analysis.load_search`; this drives it. A level whose
verdict chance could still turn is prolonged before it is judged again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from math import ceil

from befit.analysis.load import LoadLevel, ServiceLevel, analyse_level
from befit.analysis.load_search import (
    Tried,
    Verdict,
    bearable,
    judge,
    least_missed,
    next_load,
)
from befit.core.record import Record
from befit.core.written import many
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from befit.stats.distributions import z_value

PROLONG = 2
LATE_IN_A_ROW = 3
"""So many levels in a row that the generator itself spoilt, none kept: it is not the server."""
LEAST_CALLS = 20
"""A level that could not make so many calls in its longest time tells nothing."""
MORE_CALLS = 1.2
"""A higher load has to make so many times the calls of the last one, to be worth a still higher."""


class SearchSettings(Record):
    """How the search goes about. `start` and `most` are calls per second, or calls in flight."""

    axis: str = "rate"
    """`rate` (open loop, Poisson) or `concurrency` (closed loop)."""
    start: float = 1.0
    most: float = 100_000.0
    least_calls: int = 1_000
    """Calls of a level at least."""
    least_seconds: float = 2.0
    most_seconds: float = 120.0
    """A level at a low rate is cut here, with the fewer calls it then has."""
    warm_up: float = 0.2
    """Share of a level that is not counted."""
    most_levels: int = 24
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """What a search found."""

    levels: tuple[LoadLevel, ...]
    tried: tuple[Tried, ...]
    bearable: float | None
    """The most load that kept the service level; None: not even the least that was tried."""
    ended_by: str
    """Why the search ended."""


RunLevel = Callable[[LoadShape], Awaitable[LevelRun]]
Seen = Callable[[LevelRun, LoadLevel, Tried], None]


async def search(
    run: RunLevel, promise: ServiceLevel, settings: SearchSettings, *, seen: Seen | None = None
) -> Saturation:
    """Run levels until the bearable load is known to within 8 %."""
    tried: list[Tried] = []
    levels: list[LoadLevel] = []
    whole = settings.axis == "concurrency"
    ended = ""
    while not ended:
        load = next_load(tried, start=settings.start, most=settings.most, whole=whole)
        if load is not None and tried and not whole and _too_few(load, tried, promise, settings):
            ended = f"{load:.2g} a second is too few for levels of {settings.most_seconds:g} s"
            break
        if load is None:
            ended = _why_over(tried, settings)
            break
        level_run, level, one = await _level(load, run, promise, settings, levels)
        levels.append(level)
        if level_run.stopped not in {"", "overrun"}:
            ended = f"stopped: {level_run.stopped}"
            break
        if not any(before.verdict == "kept" for before in tried):
            one = replace(one, few=_few(one, levels, promise, settings))
        tried.append(one)
        if seen is not None:
            seen(level_run, level, one)
        ended = _hopeless(levels, tried)
        if len(tried) >= settings.most_levels:
            ended = f"{settings.most_levels} levels were run"
    return Saturation(
        levels=tuple(levels), tried=tuple(tried), bearable=bearable(tried), ended_by=ended
    )


def _needed(promise: ServiceLevel, settings: SearchSettings) -> float:
    """Return the calls of a level that can tell that the promise is kept, if all of them do.

    Wilson's lower end of n of n is n / (n + z^2).
    """
    if promise.share >= 1:
        return settings.least_calls
    enough = z_value(0.95) ** 2 * promise.share / (1 - promise.share)
    return min(enough, settings.least_calls)


def _few(
    one: Tried, levels: list[LoadLevel], promise: ServiceLevel, settings: SearchSettings
) -> bool:
    """Whether nobody can tell and half the load would make too few calls for it."""
    level = levels[-1]
    longest = level.shape.duration >= settings.most_seconds
    if one.verdict != "cannot_tell" or not longest or not level.calls:
        return False
    if len(levels) > 1 and level.calls < MORE_CALLS * levels[-2].calls:
        return False
    return level.calls / 2 < _needed(promise, settings)


def _too_few(
    load: float, tried: list[Tried], promise: ServiceLevel, settings: SearchSettings
) -> bool:
    """Whether a lower load than the last is not worth its time."""
    calls = load * settings.most_seconds
    last = tried[-1]
    if load > last.load or any(one.verdict == "kept" for one in tried):
        return False
    if last.verdict == "missed":
        return calls < LEAST_CALLS
    return calls * (1 - settings.warm_up) < _needed(promise, settings)


def _hopeless(levels: list[LoadLevel], tried: list[Tried]) -> str:
    """Return why going on is no use: the generator is late whatever the load."""
    last = levels[-LATE_IN_A_ROW:]
    spoilt = len(last) == LATE_IN_A_ROW and all(level.invalid for level in last)
    if not spoilt or any(one.verdict != "cannot_tell" for one in tried[-LATE_IN_A_ROW:]):
        return ""
    if any(one.verdict == "kept" for one in tried):
        return ""
    return "the generator was late at each of the last three loads: this machine is too busy"


def _why_over(tried: list[Tried], settings: SearchSettings) -> str:
    missed, nothing = least_missed(tried), bearable(tried) is None
    few = f"levels of {settings.most_seconds:g} s make too few calls to tell"
    if missed is None:
        reached = f"the stated limit of {settings.most:g} is reached"
        return f"{reached}, and {few}" if nothing else reached
    if nothing and any(one.few for one in tried):
        return f"below {missed:.3g} {few}"
    if nothing:
        return f"already {missed:.3g} is too much, or cannot be told"
    return "the bearable load is known to within 8 %"


async def _level(
    load: float,
    run: RunLevel,
    promise: ServiceLevel,
    settings: SearchSettings,
    before: list[LoadLevel],
) -> tuple[LevelRun, LoadLevel, Tried]:
    """Run one level, once more and longer where chance could still turn its verdict."""
    speed = _speed(before)
    shape, repeated = _shape(load, settings, times=1, number=len(before), speed=speed), False
    while True:
        level_run = await run(shape)
        level = analyse_level(level_run, promise)
        verdict, why = _judged(level_run, level, promise)
        longer = _shape(load, settings, times=PROLONG, number=len(before), speed=speed)
        # The same once more would tell no more, but of a generator that was late by chance.
        again = not repeated and (longer.duration > shape.duration or level.invalid)
        if verdict != "cannot_tell" or level_run.stopped or not again:
            break
        shape, repeated = longer, True
    return level_run, level, Tried(load=load, verdict=verdict, why=why)


def _judged(run: LevelRun, level: LoadLevel, promise: ServiceLevel) -> tuple[Verdict, str]:
    if run.stopped == "overrun":
        return "missed", f"given up with {many(run.shape.most_waiting, 'call')} waiting"
    if level.invalid:
        # Calls that wait for a place wait for the server; a late generator says nothing of it.
        return ("missed" if run.waited_for_place else "cannot_tell"), level.invalid[0]
    return judge(level, promise)


def _speed(before: list[LoadLevel]) -> float | None:
    """Calls per second of one call in flight, from the last level."""
    if not before or not before[-1].shape.concurrency:
        return None
    rate = before[-1].requests_per_second.value
    return rate / before[-1].shape.concurrency if rate else None


def _shape(
    load: float, settings: SearchSettings, *, times: int, number: int, speed: float | None
) -> LoadShape:
    """Return a level long enough for the calls it needs, warm-up included."""
    rate = load if settings.axis == "rate" else load * (speed or 1.0)
    counted = max(settings.least_seconds, settings.least_calls * times / rate)
    seconds = min(counted / (1 - settings.warm_up), settings.most_seconds)
    warm_up = seconds * settings.warm_up
    if settings.axis == "rate":
        return LoadShape(
            kind="poisson",
            rate=load,
            duration=seconds,
            warm_up=warm_up,
            most_in_flight=max(2_000, ceil(load * 20)),
            seed=settings.seed + number,
        )
    return LoadShape(
        kind="closed",
        concurrency=int(load),
        duration=seconds,
        warm_up=warm_up,
        seed=settings.seed + number,
    )
