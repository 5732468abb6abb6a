"""Beyond one row: where candidates of one rank group differ after all, and each one's weak spot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from befit.analysis.results import Cell, MatrixRow, PairDifference, PairProfile, WeakSpot
from befit.stats.multiplicity import benjamini_hochberg

FALSE_DISCOVERIES = 0.05


def pair_profiles(rows: Sequence[MatrixRow], candidates: Sequence[str]) -> tuple[PairProfile, ...]:
    """Return, for each pair that shares a group in some row, the rows in which they differ.

    The rows are searched for differences, so these are corrected over all pairs
    and rows together by the false discovery rate and called exploratory.
    """
    tested = [d for row in rows for d in row.differences if d.p_value is not None]
    adjusted = benjamini_hochberg([d.p_value or 0.0 for d in tested])
    significant = {
        (d.row, d.a, d.b): d
        for d, p in zip(tested, adjusted, strict=True)
        if p <= FALSE_DISCOVERIES
    }
    found: list[PairProfile] = []
    for a, b in combinations(candidates, 2):
        shared = tuple(row.key for row in rows if _share_group(row, a, b))
        differing = tuple(
            d for (_, first, second), d in significant.items() if (first, second) == (a, b)
        )
        if shared:
            found.append(PairProfile(a=a, b=b, shared_rows=shared, differing=differing))
    return tuple(found)


def _share_group(row: MatrixRow, a: str, b: str) -> bool:
    letters = {cell.candidate: set(cell.letters) for cell in row.cells}
    return bool(letters.get(a, set()) & letters.get(b, set()))


def signed(difference: PairDifference) -> tuple[str, str]:
    """Return the better and the worse candidate of a difference."""
    up = (difference.estimate.value or 0.0) > 0
    return (difference.a, difference.b) if up else (difference.b, difference.a)


def weak_spots(
    rows: Sequence[MatrixRow], scenarios: Sequence[MatrixRow], candidates: Sequence[str]
) -> tuple[WeakSpot, ...]:
    """Return each candidate's weakest cell: on a critical scenario first, else of a dimension."""
    critical = [row for row in scenarios if row.critical]
    found: list[WeakSpot] = []
    for candidate in candidates:
        cells = _measured(critical, candidate) or _measured(rows, candidate)
        if not cells:
            continue
        row, cell = min(cells, key=lambda entry: entry[1].estimate.value or 0.0)
        found.append(
            WeakSpot(
                candidate=candidate,
                row=row.key,
                title=f"{row.title}: {row.metric_title}",
                estimate=cell.estimate,
                critical=row.critical,
            )
        )
    return tuple(found)


def _measured(rows: Sequence[MatrixRow], candidate: str) -> list[tuple[MatrixRow, Cell]]:
    return [
        (row, cell)
        for row in rows
        for cell in row.cells
        if cell.candidate == candidate and cell.estimate.value is not None
    ]
