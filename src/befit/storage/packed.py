"""The slots of a cell as packed columns: a second form of what stands in `slots`.

A report counts every trial of a run and quotes few, and most of its time went into
making an object of each number. Here a column of some thousand trials is one stretch
of bytes. The packed form is derived: it is made under the write lock from the rows, and
whoever writes rows of a run drops its packed columns in the same transaction (`drop`).
So it is either what the rows say or not there.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import Connection, bindparam, delete

from befit.core.landed import Coded
from befit.storage.schema import slot_columns

ROWS: Final = 10_000
"""Slots of one piece at most."""
TEXTS: Final = (
    "sample_id", "variant", "status", "failure", "finish_reason", "served_model",
    "system_fingerprint", "route", "answer",
)  # fmt: skip
COUNTS: Final = ("repeat", "reused", "attempts")
"""Whole numbers that are always there."""
NUMBERS: Final = (
    "first_token", "first_output_token", "latency", "output_tokens", "cost", "started_at",
    "output_chars", "passed", "per_token", "calls", "waited", "retry_cost", "payload_chars",
)  # fmt: skip
NAMES: Final = (*TEXTS, *COUNTS, *NUMBERS)
_SIZE = 4
_SMALL, _MIDDLE = 1 << 8, 1 << 16
_DROP = delete(slot_columns).where(slot_columns.c.run_id == bindparam("run"))


def drop(connection: Connection, run_id: str) -> None:
    """Drop the packed columns of a run; everybody who writes its slots does so, too."""
    connection.execute(_DROP, {"run": run_id})


def encode(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Return some slots, one or more, as the body of a piece.

    A column of one value is kept once. Numbers that may be unknown are kept as floating
    ones, nan for None.
    """
    rows = len(columns["sample_id"])
    head: list[list[Any]] = []
    body: list[bytes] = []

    def put(name: str, values: array[Any], names: Sequence[str | None] | None = None) -> None:
        raw = values.tobytes()
        one = raw[: values.itemsize]
        kept = values[:1] if raw == one * rows else values
        head.append([name, values.typecode, len(kept), names])
        body.append(_ordered(kept).tobytes())

    for name in TEXTS:
        codes: dict[str | None, int] = {}
        found = [codes.setdefault(text, len(codes)) for text in columns[name]]
        put(name, array(_code(len(codes) - 1), found), list(codes))
    for name in COUNTS:
        found = list(columns[name])
        put(name, array(_code(max(found)) if min(found) >= 0 else "q", found))
    for name in NUMBERS:
        known = [float("nan") if number is None else number for number in columns[name]]
        put(name, array("d", known))
    told = orjson.dumps([rows, head])
    return b"".join((len(told).to_bytes(_SIZE, "little"), told, *body))


def decode(body: bytes) -> dict[str, Sequence[Any]] | None:
    """Return the columns of a piece; None for one of another befit's form."""
    start = _SIZE + int.from_bytes(body[:_SIZE], "little")
    rows, head = orjson.loads(body[_SIZE:start])
    if tuple(name for name, *_ in head) != NAMES:
        return None
    view = memoryview(body)
    columns: dict[str, Sequence[Any]] = {}
    for name, kind, kept, names in head:
        values: array[Any] = array(kind)
        end = start + kept * values.itemsize
        values.frombytes(view[start:end])
        start = end
        values = _ordered(values)
        if kept < rows:
            values *= rows
        columns[name] = values if names is None else Coded(names=tuple(names), codes=values)
    return columns


def _code(largest: int) -> str:
    """Return the kind of array that holds whole numbers from 0 to `largest`."""
    if largest < _SMALL:
        return "B"
    return "H" if largest < _MIDDLE else "q"


def _ordered(values: array[Any]) -> array[Any]:
    """Return values of this machine's byte order in that of the file, or the other way."""
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned
