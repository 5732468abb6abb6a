"""A run cut into cells: each candidate over all scenarios, and on each scenario alone.

What is computed cell by cell then goes through the rows of the cell, not through
the whole run once for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from befit.analysis.answers import Answers
from befit.analysis.columns import Ints
from befit.analysis.frame import Frame

_SMALL = 1 << 15
"""Codes below this are sorted in one pass (radix)."""


class Cell:
    """The rows of one candidate on one scenario (None: on all) as a frame of their own."""

    def __init__(self, frame: Frame, *, candidate: int, scenario: int | None) -> None:
        self.frame = frame
        self.candidate = candidate
        self.scenario = scenario

    @cached_property
    def answers(self) -> Answers:
        """The answers measured in this run."""
        return Answers(self.frame)


def cells(frame: Frame) -> Iterator[Cell]:
    """Yield every candidate over all scenarios, then, where there are several, on each of them."""
    for candidate in range(len(frame.candidates)):
        rows = np.flatnonzero(frame.candidate == candidate)
        yield Cell(frame.part(rows), candidate=candidate, scenario=None)
    if len(frame.scenarios) > 1:
        yield from scenario_cells(frame)


def scenario_cells(frame: Frame) -> Iterator[Cell]:
    """Yield every candidate on each scenario, scenario by scenario."""
    for (scenario, candidate), rows in rows_by_cell(frame).items():
        yield Cell(frame.part(_span(rows)), candidate=candidate, scenario=scenario)


def _span(rows: Ints) -> Ints | slice:
    """Return rows that follow each other as a span, which is looked at without copying."""
    if len(rows) and int(rows[-1]) - int(rows[0]) + 1 == len(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def rows_by_cell(frame: Frame) -> dict[tuple[int, int], Ints]:
    """Return the rows of each (scenario, candidate), scenario by scenario, in one sorting."""
    many = len(frame.candidates)
    codes = frame.scenario * many + frame.candidate
    size = len(frame.scenarios) * many
    order = np.argsort(codes.astype(np.int16) if size < _SMALL else codes, kind="stable")
    counts = np.bincount(codes, minlength=size)
    ends = np.concatenate(([0], np.cumsum(counts)))
    return {divmod(at, many): order[ends[at] : ends[at + 1]] for at in range(size)}
