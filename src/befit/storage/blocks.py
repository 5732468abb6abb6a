"""Rows for SQLite's driver in few steps: several rows per statement, values it takes at once.

With each step of a statement the driver lets go of the interpreter's lock and takes it again.
Where another thread is busy, every one of these may have to wait and wakes somebody up, so a
batch is written in few of them. And most columns of a batch say the same in every row (the
run, the scenario, what did not happen): those values are handed over once per statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

SIZES = (32, 16, 8, 4, 2)
"""Rows of one statement: a batch is cut into few of these, whatever its length."""
_MOST = 999
"""Values that one statement may hold in every SQLite."""
_ABSENT = float("nan")
"""SQLite keeps "not a number" as NULL. The driver hands a float over as it is; for each None it
first looks whether somebody has registered an adapter."""
Step = tuple[str, list[tuple[Any, ...]]]
"""A statement, and its values each time it is run."""


blob = bytearray
"""A body as the driver takes it at once; for bytes it looks for an adapter, too."""


class Blocks:
    """Rows of one INSERT as few statements, each of a power of two of rows.

    Args:
        sql: of one row; ends in `VALUES (?, ...)`.
    """

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self._head = sql.rpartition(" VALUES ")[0]
        self._shared: list[bool] | None = None
        """Columns that were alike in every row of each batch so far: a statement with other ones
        is a new one, which the database has to understand first. They only become fewer."""
        self._blocks: dict[int, str] = {}
        """Rows -> the statement for so many."""

    def steps(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[Step]:
        """Yield the steps that insert `rows`, tuples of the statement's width."""
        if len(rows) < SIZES[-1] or not self._head:
            yield self._sql, [tuple(_plain(row)) for row in rows]
            return
        shared, each = self._columns(rows)
        most = (_MOST - len(shared)) // len(each[0])
        at = 0
        for size in SIZES:
            left = len(rows) - at
            if left < size or size > most:
                continue
            end = at + left // size * size
            starts = range(at, end, size)
            yield (
                self._block(size),
                [(*shared, *chain.from_iterable(each[i : i + size])) for i in starts],
            )
            at = end
        if at < len(rows):
            yield self._sql, [tuple(_plain(row)) for row in rows[at:]]

    def _columns(self, rows: Sequence[tuple[Any, ...]]) -> tuple[list[Any], list[Any]]:
        """Return what all rows say alike, and what each says of its own."""
        columns = list(zip(*rows, strict=True))
        alike = [column.count(column[0]) == len(rows) for column in columns]
        if self._shared is None:
            alike[-1] = False  # at least one is each row's own
            self._shared = alike
        elif any(known and not now for known, now in zip(self._shared, alike, strict=True)):
            both = zip(self._shared, alike, strict=True)
            self._shared = [known and now for known, now in both]
            self._blocks.clear()
        shared, own = [], []
        for column, is_shared in zip(columns, self._shared, strict=True):
            if is_shared:
                shared.append(column[0])
            else:
                own.append(_plain(column) if None in column else column)
        return _plain(shared), list(zip(*own, strict=True))

    def _block(self, rows: int) -> str:
        """Write the statement of `rows` rows: shared values come first, then those of each row."""
        known = self._blocks.get(rows)
        if known is not None:
            return known
        shared = self._shared or []
        place = sum(shared)
        groups = []
        for _ in range(rows):
            marks, once = [], 0
            for is_shared in shared:
                if is_shared:
                    once += 1
                    marks.append(f"?{once}")
                else:
                    place += 1
                    marks.append(f"?{place}")
            groups.append(f"({', '.join(marks)})")
        made = self._blocks[rows] = f"{self._head} VALUES {', '.join(groups)}"
        return made


def _plain(values: Sequence[Any]) -> list[Any]:
    return [_ABSENT if value is None else value for value in values]
