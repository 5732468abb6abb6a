"""Where a curve first stands below its start, the intervals apart: one sentence for all curves."""

from __future__ import annotations

from collections.abc import Iterable

from befit.core.estimate import Estimate


def fall_words(name: str, points: Iterable[tuple[str, Estimate]]) -> str:
    """Return the first fall of a curve in a sentence; "" where no interval shows one.

    Args:
        name: the candidate.
        points: where each estimate stands, in words ("turn 3"), and the estimate, from the start.
    """
    walk = iter(points)
    _, start = next(walk)
    if start.value is None or start.low is None:
        return ""
    for where, held in walk:
        if held.value is not None and held.high is not None and held.high < start.low:
            return f"{name} falls from {percent(start.value)} to {percent(held.value)} at {where}."
    return ""


def percent(value: float) -> str:
    """Return a share in whole percent."""
    return f"{100 * value:.0f} %"
