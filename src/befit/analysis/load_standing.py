"""Which of several load measurements of one candidate stands, and its one figure, `throughput`.

A measurement that was interrupted, or spoilt because the generator was late, does not hide
another one that is whole; that there was a newer one, and why it is not read, is said with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from befit.analysis.load import LoadLevel
from befit.analysis.load_result import LoadResult
from befit.core.estimate import Estimate, not_measured

LOOKED_AT = 20
"""Measurements that are looked at, the newest first."""
PASSED_OVER = "is not to be used: "
NO_OTHER = "it was interrupted, and there is no complete measurement"


def is_usable(level: LoadLevel) -> bool:
    """Tell whether a level's numbers may be used: calls were counted, none of them spoilt."""
    return level.calls > 0 and not level.invalid


def standing(newest_first: Iterable[LoadResult]) -> LoadResult | None:
    """Return the measurement that stands, with what is said of newer ones in its notes.

    It is the newest complete one of which some level may be used, an interrupted one only where
    there is no such; where one of its levels may not be used, the same level of another
    measurement with the same promise takes its place. Where nothing may be used it is the newest;
    None of none.
    """
    seen: list[LoadResult] = []
    base: LoadResult | None = None
    before = 0
    for result in _complete_first(newest_first, seen):
        if base is None and not any(map(is_usable, result.levels)):
            continue
        if base is None:
            base, before = result, next(n for n, one in enumerate(seen) if one is result)
        else:
            base = _filled(base, result)
        # The levels of a search were chosen by each other: one of another day is none of them.
        if base.tried or all(map(is_usable, base.levels)):
            break
    if base is None:
        return next(iter(seen), None)
    told = [f"a newer measurement, of {one.created_at}, {PASSED_OVER}{_why(one)}"
            for one in seen[:min(before, 1)]]  # fmt: skip
    if base.interrupted:
        told.append(NO_OTHER)
    return replace(base, notes=(*told, *base.notes))


def _complete_first(
    newest_first: Iterable[LoadResult], seen: list[LoadResult]
) -> Iterator[LoadResult]:
    """Yield the newest measurements, those that were interrupted last; `seen` gets all in order."""
    for result in islice(newest_first, LOOKED_AT):
        seen.append(result)
        if not result.interrupted:
            yield result
    yield from [one for one in seen if one.interrupted]


def passed_over(result: LoadResult) -> str:
    """Return what a result that stands says of what it is and of those not used; "" if nothing."""
    return "; ".join(note for note in result.notes if PASSED_OVER in note or note == NO_OTHER)


def throughput(result: LoadResult) -> Estimate:
    """Return the `throughput` of a measurement, for reports and gates alike.

    Calls per second that kept the promise (all answers, where nothing was promised) at the peak:
    goodput there, not the answers per second, which count late ones too. Its method tells which
    newer measurement is not read.
    """
    peak = result.peak
    if peak is not None:
        told = passed_over(result)
        method = f"{peak.goodput.method}; {told}" if told else peak.goodput.method
        return replace(peak.goodput, method=method)
    if result.tried and any(map(is_usable, result.levels)):
        return not_measured("no load that was tried is known to keep the service level")
    why = next(iter(result.invalid), _why(result))
    return not_measured(f"the load measurement {PASSED_OVER}{why}")


def _filled(base: LoadResult, older: LoadResult) -> LoadResult:
    """Return `base` with levels that may be used in the place of those that may not."""
    if older.promise != base.promise:
        return base
    levels, lines, notes = list(base.levels), list(base.timelines), list(base.notes)
    found = {
        level.shape.name: (level, line)
        for level, line in zip(older.levels, older.timelines, strict=True)
        if is_usable(level)
    }
    for at, level in enumerate(levels):
        if is_usable(level) or level.shape.name not in found:
            continue
        levels[at], lines[at] = found[level.shape.name]
        notes.append(
            f"{level.shape.name} is of {older.created_at}; that of {base.created_at} "
            f"{PASSED_OVER}{_cause(level)}"
        )
    return replace(base, levels=tuple(levels), timelines=tuple(lines), notes=tuple(notes))


def _why(result: LoadResult) -> str:
    if result.interrupted:
        calls = sum(level.calls for level in result.levels)
        return f"it was interrupted, after {calls:,} counted calls"
    return next(map(_cause, result.levels), "no level was measured")


def _cause(level: LoadLevel) -> str:
    return level.invalid[0] if level.invalid else "no call was counted"
