"""A run's filled slots as columns: what an analysis counts, in one pass, cell by cell.

Names that a whole cell shares are told once, what samples say of themselves is read
once per sample, and columns nobody counts are not read at all. Of a large run that has
ended the columns stand packed (see `packed`); what does not is read row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, insert, select

from befit.core.landed import Piece, SampleTraits
from befit.errors import StoreError
from befit.storage.database import Database
from befit.storage.packed import NAMES, ROWS, decode, encode
from befit.storage.schema import samples, slot_columns, slots

LEAST = 20_000
"""Filled slots from which on a run is packed; a smaller one is read as quickly without."""
_C = slots.c
_RUN = _C.run_id == bindparam("run")
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
_P = slot_columns.c
_PACKED = select(_P.body).where(
    _P.run_id == bindparam("run"),
    _P.scenario == bindparam("scenario"),
    _P.candidate == bindparam("candidate"),
    _P.piece == bindparam("piece"),
)
_PUT = insert(slot_columns)
_TRAITS = select(
    samples.c.scenario,
    samples.c.sample_id,
    samples.c.cluster,
    samples.c.kind,
    samples.c.language,
    samples.c.weight,
).where(samples.c.run_id == bindparam("run"))


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
                cell = {"run": run_id, "scenario": scenario, "candidate": candidate}
                for columns in _unpacked(connection, cell) or self._unrolled(connection, cell):
                    yield Piece(candidate, scenario, columns)

    def pack(self, run_id: str, /, *, least: int = LEAST) -> None:
        """Pack the cells of a run that are not, where it has at least so many filled slots.

        Each cell in a transaction of its own, so that nobody waits for long. Nothing depends
        on it: a store that is full or busy is left as it is.
        """
        some = select(_C.run_id).where(_C.run_id == run_id).limit(least).subquery()
        with self._database.read() as connection:
            if (connection.scalar(select(func.count()).select_from(some)) or 0) < least:
                return
            found = list(_cells(connection, run_id))
        with suppress(StoreError):
            for scenario, candidate in found:
                self._pack({"run": run_id, "scenario": scenario, "candidate": candidate})

    def _pack(self, cell: dict[str, str]) -> None:
        with self._database.write() as connection:
            if connection.scalar(_PACKED, {**cell, "piece": 0}) is not None:
                return
            made = map(encode, _joined(self._unrolled(connection, cell)))
            for piece, body in enumerate(made):
                row = (*cell.values(), piece, body)
                connection.execute(_PUT, dict(zip(slot_columns.c.keys(), row, strict=True)))

    def _unrolled(
        self, connection: Connection, cell: dict[str, str]
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """Read a cell row by row."""
        filled = connection.execute(_FILLED, cell).one()
        empty = {name for name, n in zip(_OFTEN_EMPTY, filled, strict=True) if not n}
        names = [name for name in NAMES if name not in empty]
        for rows in self._database.plain_rows(connection, _rows(names), cell):
            nothing = (None,) * len(rows)
            columns: dict[str, Sequence[Any]] = dict.fromkeys(empty, nothing)
            columns.update(zip(names, zip(*rows, strict=True), strict=True))
            yield columns

    def traits(self, run_id: str, /) -> Iterator[SampleTraits]:
        """Stream what the samples of a run say of themselves."""
        with self._database.read() as connection:
            for rows in self._database.plain_rows(connection, _TRAITS, {"run": run_id}):
                yield from map(SampleTraits._make, rows)


def _unpacked(
    connection: Connection, cell: dict[str, str]
) -> Iterator[dict[str, Sequence[Any]]] | None:
    """Return the pieces of a packed cell; None for one that is not, or in another befit's form."""
    body = connection.scalar(_PACKED, {**cell, "piece": 0})
    first = None if body is None else decode(body)
    return None if first is None else _from(connection, cell, first)


def _from(
    connection: Connection, cell: dict[str, str], first: dict[str, Sequence[Any]]
) -> Iterator[dict[str, Sequence[Any]]]:
    columns: dict[str, Sequence[Any]] | None = first
    for piece in count(1):
        if columns is None:
            return
        yield columns
        body = connection.scalar(_PACKED, {**cell, "piece": piece})
        columns = None if body is None else decode(body)


def _joined(
    parts: Iterable[dict[str, Sequence[Any]]],
) -> Iterator[dict[str, Sequence[Any]]]:
    """Yield columns in pieces of up to `ROWS`."""
    held: list[dict[str, Sequence[Any]]] = []
    for part in parts:
        if held and sum(len(one["sample_id"]) for one in (*held, part)) > ROWS:
            yield _one(held)
            held = []
        held.append(part)
    if held:
        yield _one(held)


def _one(parts: Sequence[dict[str, Sequence[Any]]]) -> dict[str, Sequence[Any]]:
    return {name: [value for part in parts for value in part[name]] for name in NAMES}


def _rows(names: Sequence[str]) -> Select[Any]:
    order = (_C.sample_id, _C.variant, _C.repeat)
    return select(*(_C[name] for name in names)).where(*_CELL).order_by(*order)


def _cells(connection: Connection, run_id: str) -> Iterator[tuple[str, str]]:
    """Yield the cells that hold a slot: each found by one look at the order of the table."""

    def look(statement: Select[Any], **after: str) -> str | None:
        found: str | None = connection.scalar(statement, {"run": run_id, **after})
        return found

    scenario = look(_FIRST_SCENARIO)
    while scenario is not None:
        candidate = look(_FIRST_CANDIDATE, scenario=scenario)
        while candidate is not None:
            yield scenario, candidate
            candidate = look(_NEXT_CANDIDATE, scenario=scenario, candidate=candidate)
        scenario = look(_NEXT_SCENARIO, scenario=scenario)
