"""Capability against cost as a table for each task type: quality, cost, tokens, time together.

A table and not only a picture, and never one pooled over task types: what is
cheap for one kind of task may be dear for another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from befit.analysis.results import Analysis, Cell, EngineeringCell, MatrixRow


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One candidate on one task type."""

    candidate: str
    cell: Cell
    """Quality: the scenario's metric, with the letters of its rank groups."""
    engineering: EngineeringCell
    """Cost, tokens and latency of the same tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTable:
    """One task type; candidates in the order of the run."""

    row: MatrixRow
    rows: tuple[TaskRow, ...]


def task_tables(analysis: Analysis) -> Iterator[TaskTable]:
    """Yield one table for each scenario, critical ones first."""
    found = {(cell.scenario or "", cell.candidate): cell for cell in analysis.engineering}
    for row in sorted(analysis.scenario_rows, key=lambda row: not row.critical):
        made = []
        for cell in row.cells:
            # with a single scenario its figures are those over all
            own = found.get((row.scenarios[0], cell.candidate)) or found.get(("", cell.candidate))
            if own is not None:
                made.append(TaskRow(candidate=cell.candidate, cell=cell, engineering=own))
        yield TaskTable(row=row, rows=tuple(made))
