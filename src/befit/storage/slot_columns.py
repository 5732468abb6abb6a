"""A run's filled slots as columns: what an analysis counts, in one pass, cell by cell.

Names that a whole cell shares are told once, what samples say of themselves is read
once per sample, and columns nobody counts are not read at all. Of a large run that has
ended the columns stand packed (see `packed`); what does not is read row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from befit.core.landed import Piece, SampleTraits
from befit.storage.database import Database
from befit.storage.packed import SLOTS, Columns, Pieces
from befit.storage.schema import samples, slot_columns, slots

_C = slots.c
_RUN = _C.run_id == bindparam("run_id")
_HERE = (_RUN, _C.scenario == bindparam("scenario"))
_CELL = (*_HERE, _C.candidate == bindparam("candidate"))
_OFTEN_EMPTY = (
    "failure", "first_output_token", "system_fingerprint", "route", "per_token", "retry_cost",
    "payload_chars",
)  # fmt: skip
"""Columns that most cells have nothing in: counting that costs less than reading it."""
_FILLED = select(*(func.count(_C[name]) for name in _OFTEN_EMPTY)).where(*_CELL)
_FIRST_SCENARIO = select(func.min(_C.scenario)).where(_RUN)
_NEXT_SCENARIO = _FIRST_SCENARIO.where(_C.scenario > bindparam("scenario"))
_FIRST_CANDIDATE = select(func.min(_C.candidate)).where(*_HERE)
_NEXT_CANDIDATE = _FIRST_CANDIDATE.where(_C.candidate > bindparam("candidate"))
_PACKED = Pieces(slot_columns, SLOTS)
_TRAITS = select(
    samples.c.scenario,
    samples.c.sample_id,
    samples.c.cluster,
    samples.c.kind,
    samples.c.language,
    samples.c.weight,
).where(samples.c.run_id == bindparam("run_id"))


class SlotColumns:
    """Reader of slots as columns; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pieces(self, run_id: str, /) -> Iterator[Piece]:
        """Stream every filled slot of a run, cell by cell, some rows at a time.

        In the order of `facts`; memory does not grow with the run.
        """
        with self._database.read() as connection:
            for scenario, candidate in _cells(connection, run_id):
                cell = {"run_id": run_id, "scenario": scenario, "candidate": candidate}
                packed = _PACKED.read(connection, cell)
                for columns in packed or self._unrolled(connection, cell):
                    yield Piece(candidate, scenario, columns)

    def pack(self, run_id: str, /) -> None:
        """Pack the cells of a run that are not; each in a transaction of its own."""
        with self._database.read() as connection:
            found = list(_cells(connection, run_id))
        for scenario, candidate in found:
            cell = {"run_id": run_id, "scenario": scenario, "candidate": candidate}
            with self._database.write() as connection:
                if not _PACKED.has(connection, cell):
                    _PACKED.write(connection, cell, self._unrolled(connection, cell))

    def _unrolled(self, connection: Connection, cell: dict[str, str]) -> Iterator[Columns]:
        """Read a cell row by row."""
        filled = connection.execute(_FILLED, cell).one()
        empty = {name for name, n in zip(_OFTEN_EMPTY, filled, strict=True) if not n}
        names = [name for name in SLOTS.names if name not in empty]
        for rows in self._database.plain_rows(connection, _rows(names), cell):
            nothing = (None,) * len(rows)
            columns: Columns = dict.fromkeys(empty, nothing)
            columns.update(zip(names, zip(*rows, strict=True), strict=True))
            yield columns

    def traits(self, run_id: str, /) -> Iterator[SampleTraits]:
        """Stream what the samples of a run say of themselves."""
        with self._database.read() as connection:
            for rows in self._database.plain_rows(connection, _TRAITS, {"run_id": run_id}):
                yield from map(SampleTraits._make, rows)


def _rows(names: Sequence[str]) -> Select[Any]:
    order = (_C.sample_id, _C.variant, _C.repeat)
    return select(*(_C[name] for name in names)).where(*_CELL).order_by(*order)


def _cells(connection: Connection, run_id: str) -> Iterator[tuple[str, str]]:
    """Yield the cells that hold a slot: each found by one look at the order of the table."""

    def look(statement: Select[Any], **after: str) -> str | None:
        found: str | None = connection.scalar(statement, {"run_id": run_id, **after})
        return found

    scenario = look(_FIRST_SCENARIO)
    while scenario is not None:
        candidate = look(_FIRST_CANDIDATE, scenario=scenario)
        while candidate is not None:
            yield scenario, candidate
            candidate = look(_NEXT_CANDIDATE, scenario=scenario, candidate=candidate)
        scenario = look(_NEXT_SCENARIO, scenario=scenario)
