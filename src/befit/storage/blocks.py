"""Rows for SQLite's driver in few steps: several rows per statement, values it takes at once.

With each step of a statement the driver lets go of the interpreter's lock and takes it again.
While the event loop of a run is busy in another thread, every one of these may have to wait
and wakes somebody up, so a batch is written in an eighth of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ROWS = 8
"""Rows of one statement."""
_MOST = 999
"""Values that one statement may hold in every SQLite."""
_ABSENT = float("nan")
"""SQLite keeps "not a number" as NULL. The driver hands a float over as it is; for each None it
first looks whether somebody has registered an adapter."""


def blob(body: bytes) -> bytearray:
    """Return a body as the driver takes it at once; for bytes it looks for an adapter, too."""
    return bytearray(body)


def block_of(sql: str, width: int) -> str | None:
    """Return an INSERT of one row as one of `ROWS` rows; None where they would be too many values.

    Args:
        sql: ends in `VALUES (?, ...)`.
        width: values of a row.
    """
    head, found, group = sql.rpartition(" VALUES ")
    if not found or width * ROWS > _MOST:
        return None
    return f"{head} VALUES {', '.join([group] * ROWS)}"


def in_blocks(
    rows: Sequence[tuple[Any, ...]], size: int
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the parameters of the statements of `size` rows, then of those of one."""
    whole = len(rows) // size * size
    blocks = [
        tuple(
            [
                _ABSENT if value is None else value
                for row in rows[start : start + size]
                for value in row
            ]
        )
        for start in range(0, whole, size)
    ]
    rest = [tuple([_ABSENT if value is None else value for value in row]) for row in rows[whole:]]
    return blocks, rest
