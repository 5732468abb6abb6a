"""What people said, drawn: ratings with their intervals, the win matrix, drift over recalibrations.

The numbers are those of the tables beside them; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from befit.charts.dots import Dot, IntervalDots
from befit.charts.figure import figure
from befit.charts.heat import Heat, heat_of
from befit.core.estimate import Estimate
from befit.report.numbers import percent
from befit.report.people import cell_of, headline
from befit.review.cycles import Drift
from befit.review.ratings import Preference
from befit.review.result import Result


def rating_dots(result: Result, places: Mapping[str, int]) -> tuple[Markup, ...]:
    """Return the Bradley-Terry ratings, the best first; empty where nobody compared.

    Args:
        result: of a study.
        places: candidate -> its fixed place, for its mark.
    """
    found = result.preference
    if found is None or not found.strengths:
        return ()
    dots = tuple(
        Dot(
            name=one.candidate,
            index=places.get(one.candidate, number),
            estimate=one.rating,
            note=one.letters,
        )
        for number, one in enumerate(found.strengths)
    )
    title = "Preference of people: Bradley-Terry ratings, log odds against the mean, 95 % intervals"
    return (figure(IntervalDots(title=title, finding=headline(result), dots=dots, unit="number")),)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinHeat:
    """The win matrix: rows and columns best first, None on the diagonal and where nobody met."""

    names: tuple[str, ...]
    rows: tuple[tuple[Estimate | None, ...], ...]
    heat: Heat


def win_heat(found: Preference) -> WinHeat:
    """Return the win matrix with the steps of its shades."""
    names = tuple(one.candidate for one in found.strengths)
    rows = tuple(tuple(cell_of(found, a, b) for b in names) for a in names)
    known = (cell.value for row in rows for cell in row if cell is not None)
    return WinHeat(names=names, rows=rows, heat=heat_of(known))


_DRIFTS: tuple[tuple[str, Callable[[Drift], Estimate]], ...] = (
    ("Gold items decided as expected", lambda one: one.gold),
    ("Own earlier items decided as before", lambda one: one.same),
    ("Two reviewers of one item agree", lambda one: one.agreement),
)


def drift_dots(drift: Sequence[Drift]) -> tuple[Markup, ...]:
    """Return for each measure of drift how it moved from cycle to cycle."""
    found = []
    for title, read in _DRIFTS:
        told = [one for one in drift if read(one).value is not None]
        if not told:
            continue
        dots = tuple(
            Dot(name=cycle_name(one.cycle), index=number, estimate=read(one))
            for number, one in enumerate(told)
        )
        chart = IntervalDots(title=f"{title}, by recalibration", finding=_moved(told, read),
                             dots=dots)  # fmt: skip
        found.append(figure(chart))
    return tuple(found)


def cycle_name(cycle: int) -> str:
    """Return how a cycle is called."""
    return f"recalibration {cycle}" if cycle else "the study itself"


def _moved(told: Sequence[Drift], read: Callable[[Drift], Estimate]) -> str:
    first, last = read(told[0]), read(told[-1])
    if len(told) == 1:
        return f"{percent(first)} in {cycle_name(told[0].cycle)}."
    apart = first.high is not None and last.high is not None and (
        (last.high < (first.low or 0.0)) or ((last.low or 0.0) > first.high)
    )  # fmt: skip
    word = "has moved" if apart else "no move can be told"
    return f"From {percent(first)} to {percent(last)}: {word}."
