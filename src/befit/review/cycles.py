"""Recalibration: whether reviewers still judge as they did, and still agree.

In each cycle a reviewer rates gold items and some of their own earlier ones again.
Gold tells whether the anchors have moved, one's own items whether one has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from befit.core.estimate import Estimate, not_measured
from befit.review.agreeing import raw_agreement, value_alpha
from befit.review.opinions import sides_of
from befit.review.quality import rate
from befit.review.rows import Row
from befit.stats.twoway import estimate_shared_mean

_STEPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One cycle; 0 is the study's own time."""

    cycle: int
    gold: Estimate
    """Share of gold items decided as expected."""
    same: Estimate
    """Of one's own earlier items, those decided as before; not measured in cycle 0."""
    rubric_shift: Estimate
    """Mean change of rubric values against before, as a share of the scale (-1..1)."""
    agreement: Estimate
    """Two reviewers of one item, in this cycle."""
    rubric_alpha: Estimate = field(default_factory=lambda: not_measured("no row was rated"))
    """Agreement on rubric values (alpha, ordinal): each row of each answer is a unit."""


def drift(rows: Sequence[Row]) -> tuple[Drift, ...]:
    """Return every cycle that has votes, the study's own time first; empty without a cycle."""
    cycles = sorted({row.cycle for row in rows if row.purpose == "cycle"})
    if not cycles:
        return ()
    first = {row.id: row for row in rows if row.purpose == "work"}
    own = [row for row in rows if row.purpose in {"gold", "calibration", "work"}]
    later = [[r for r in rows if r.purpose == "cycle" and r.cycle == n] for n in cycles]
    return (
        _cycle(0, own, first),
        *(_cycle(number, part, first) for number, part in zip(cycles, later, strict=True)),
    )


def _cycle(number: int, rows: Sequence[Row], first: Mapping[str, Row]) -> Drift:
    gold = [row for row in rows if row.expected is not None]
    again = [
        (row, first[row.mirror_of])
        for row in rows
        if row.purpose == "cycle" and row.mirror_of is not None and row.mirror_of in first
    ]
    judged = [row for row in rows if row.expected is None]
    compared = [(row, old) for row, old in again if row.outcome and old.outcome]
    return Drift(
        cycle=number,
        gold=rate(sum(r.outcome == r.expected for r in gold), len(gold), why="no gold items"),
        same=rate(
            sum(row.outcome == old.outcome for row, old in compared),
            len(compared),
            why="nothing was compared again",
        ),
        rubric_shift=_shift(again),
        agreement=raw_agreement(judged),
        rubric_alpha=_rubric_alpha(judged),
    )


def _rubric_alpha(rows: Sequence[Row]) -> Estimate:
    values = [
        (row.reviewer, f"{row.item}\x1f{who}\x1f{name}", float(value))
        for row in rows
        for name, sides in row.ballot.rubric.items()
        for who, side in sides_of(row)
        if (value := sides.get(side)) is not None
    ]
    if not values:
        return not_measured("no row was rated")
    return value_alpha(values, level="ordinal")


def _shift(again: Sequence[tuple[Row, Row]]) -> Estimate:
    values, rows = [], []
    for row, old in again:
        for name, sides in row.ballot.rubric.items():
            for side, value in sides.items():
                before = old.ballot.rubric.get(name, {}).get(side)
                if value is not None and before is not None:
                    values.append(((value - before) / _STEPS + 1) / 2)
                    rows.append(row)
    if not values:
        return not_measured("no row was rated again")
    found = estimate_shared_mean(values, [r.item for r in rows], [r.reviewer for r in rows])
    low = None if found.low is None else 2 * found.low - 1
    high = None if found.high is None else 2 * found.high - 1
    told = {**found.to_dict(), "value": 2 * (found.value or 0.0) - 1, "low": low, "high": high}
    return Estimate(**told)
