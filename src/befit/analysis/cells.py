"""A run cut into cells: each candidate over all scenarios, and on each scenario alone.

What is computed cell by cell then goes through the rows of the cell, not through
the whole run once for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Ints
from befit.analysis.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """The rows of one candidate on one scenario (None: on all) as a frame of their own."""

    candidate: int
    scenario: int | None
    frame: Frame


def cells(frame: Frame) -> Iterator[Cell]:
    """Yield every candidate over all scenarios, then, where there are several, on each of them."""
    for candidate in range(len(frame.candidates)):
        rows = np.flatnonzero(frame.rows(candidate=candidate))
        yield Cell(candidate=candidate, scenario=None, frame=frame.part(rows))
    if len(frame.scenarios) > 1:
        yield from scenario_cells(frame)


def scenario_cells(frame: Frame) -> Iterator[Cell]:
    """Yield every candidate on each scenario, scenario by scenario."""
    for (scenario, candidate), rows in rows_by_cell(frame).items():
        yield Cell(candidate=candidate, scenario=scenario, frame=frame.part(rows))


def rows_by_cell(frame: Frame) -> dict[tuple[int, int], Ints]:
    """Return the rows of each (scenario, candidate), scenario by scenario, in one sorting."""
    many = len(frame.candidates)
    codes = frame.scenario * many + frame.candidate
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=len(frame.scenarios) * many)
    ends = np.concatenate(([0], np.cumsum(counts)))
    return {
        divmod(at, many): order[ends[at] : ends[at + 1]]
        for at in range(len(frame.scenarios) * many)
    }
