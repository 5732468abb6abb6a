"""Rows for SQLite's driver in few steps: several rows per statement, values it takes at once.

With each step of a statement the driver lets go of the interpreter's lock and takes it again.
While the event loop of a run is busy in another thread, every one of these may have to wait
and wakes somebody up, so a batch is written in an eighth of the steps. And most columns of a
batch say the same in every row (the run, the scenario, what did not happen): those values are
handed over once per statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

ROWS = 8
"""Rows of one statement."""
_MOST = 999
"""Values that one statement may hold in every SQLite."""
_ABSENT = float("nan")
"""SQLite keeps "not a number" as NULL. The driver hands a float over as it is; for each None it
first looks whether somebody has registered an adapter."""
Step = tuple[str, list[tuple[Any, ...]]]
"""A statement, and its values each time it is run."""


def blob(body: bytes) -> bytearray:
    """Return a body as the driver takes it at once; for bytes it looks for an adapter, too."""
    return bytearray(body)


class Blocks:
    """Rows of one INSERT as statements of `ROWS` rows, and of one for what is left over.

    Args:
        sql: of one row; ends in `VALUES (?, ...)`.
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._head = sql.rpartition(" VALUES ")[0]
        self._shared: list[bool] | None = None
        """Columns that were alike in every row of each batch so far: a statement with other ones
        is a new one, which the database has to understand first. They only become fewer."""
        self._block = ""

    def steps(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[Step]:
        """Yield the steps that insert `rows`, tuples of the statement's width."""
        whole = len(rows) // ROWS * ROWS
        if whole and self._head and len(rows[0]) * ROWS <= _MOST:
            yield self._many(rows if whole == len(rows) else rows[:whole])
        else:
            whole = 0
        if whole < len(rows):
            yield self._sql, [tuple(_plain(row)) for row in rows[whole:]]

    def _many(self, rows: Sequence[tuple[Any, ...]]) -> Step:
        columns = list(zip(*rows, strict=True))
        alike = [column.count(column[0]) == len(rows) for column in columns]
        if self._shared is None:
            alike[-1] = False  # at least one is each row's own
            self._share(alike)
        elif any(known and not now for known, now in zip(self._shared, alike, strict=True)):
            both = zip(self._shared, alike, strict=True)
            self._share([known and now for known, now in both])
        shared, own = [], []
        for column, is_shared in zip(columns, self._shared or (), strict=True):
            if is_shared:
                shared.append(column[0])
            else:
                own.append(_plain(column) if None in column else column)
        shared = _plain(shared)
        each = list(zip(*own, strict=True))
        starts = range(0, len(each), ROWS)
        values = [(*shared, *chain.from_iterable(each[at : at + ROWS])) for at in starts]
        return self._block, values

    def _share(self, shared: list[bool]) -> None:
        """Write the statement of `ROWS` rows: shared values come first, then those of each row."""
        self._shared = shared
        place = sum(shared)
        groups = []
        for _ in range(ROWS):
            marks, once = [], 0
            for is_shared in shared:
                if is_shared:
                    once += 1
                    marks.append(f"?{once}")
                else:
                    place += 1
                    marks.append(f"?{place}")
            groups.append(f"({', '.join(marks)})")
        self._block = f"{self._head} VALUES {', '.join(groups)}"


def _plain(values: Sequence[Any]) -> list[Any]:
    return [_ABSENT if value is None else value for value in values]
