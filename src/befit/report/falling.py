"""Curves of several candidates: their falls in sentences, and how many one picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from befit.core.estimate import Estimate
from befit.report.numbers import percent

_Curve = TypeVar("_Curve")
MOST_LINES = 6
"""Candidates drawn in one picture; the others have pictures of their own."""
NO_FALL = "No fall is sure: the intervals of all places reach that of the first."


def fall_words(name: str, points: Iterable[tuple[str, Estimate]]) -> str:
    """Return the fall of a curve in a sentence; "" where no interval shows one.

    A fall is told from where it lasts: all later values stay below the interval of the
    start. Where none lasts, the deepest place is told as what it is, a dip.

    Args:
        name: the candidate.
        points: where each estimate stands, in words ("turn 3"), and the estimate, from the start.
    """
    known = [(where, held) for where, held in points if held.value is not None]
    if not known or known[0][1].low is None:
        return ""
    start, floor = known[0][1], known[0][1].low
    apart = [
        place
        for place, (_, held) in enumerate(known)
        if held.high is not None and held.high < floor
    ]
    for place in apart:
        where, held = known[place]
        if all((later.value or 0.0) < floor for _, later in known[place:]):
            return f"{name} falls from {percent(start)} to {percent(held)} at {where}."
    if not apart:
        return ""
    where, held = known[min(apart, key=lambda place: known[place][1].value or 0.0)]
    return f"{name} dips from {percent(start)} to {percent(held)} at {where}, and comes back."


def in_parts(curves: Sequence[_Curve]) -> list[Sequence[_Curve]]:
    """Return curves in parts of as many as one picture shows."""
    return [curves[at : at + MOST_LINES] for at in range(0, len(curves), MOST_LINES)]
