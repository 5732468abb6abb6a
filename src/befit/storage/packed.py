"""Packed columns: a second form of what stands in `slots` and `scores`.

A report counts every trial of a run and quotes few, and most of its time went into
making an object of each number. Here a column of some thousand trials is one stretch
of bytes. The packed form is derived: it is made under the write lock from the rows, and
whoever writes rows of a run drops its packed columns in the same transaction (`drop`).
So it is either what the rows say or not there.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import orjson
from sqlalchemy import Connection, Insert, Select, Table, bindparam, insert, select

from befit.core.landed import Coded
from befit.storage.driver import do, mark

Columns: TypeAlias = dict[str, Sequence[Any]]
ROWS = 10_000
"""Rows of one piece at most, unless they come in larger parts."""


class Form(NamedTuple):
    """Which columns there are, by what they hold."""

    texts: tuple[str, ...]
    counts: tuple[str, ...]
    """Whole numbers that are always there."""
    numbers: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All columns in their order."""
        return (*self.texts, *self.counts, *self.numbers)


SLOTS = Form(
    (
        "sample_id", "variant", "status", "failure", "finish_reason", "served_model",
        "system_fingerprint", "route", "answer",
    ),
    ("repeat", "reused", "attempts"),
    (
        "first_token", "first_output_token", "latency", "input_tokens", "output_tokens", "cost",
        "started_at", "output_chars", "passed", "per_token", "calls", "waited", "retry_cost",
        "payload_chars", "untold_tries",
    ),
)  # fmt: skip
SCORES = Form(
    ("candidate", "scenario", "sample_id", "variant", "scorer", "name", "part", "label"),
    ("repeat",),
    ("value",),
)
_SIZE = 4
_SMALL, _MIDDLE = 1 << 8, 1 << 16
_DROP = (
    "DELETE FROM slot_columns WHERE run_id = ",
    "DELETE FROM score_columns WHERE run_id = ",
)


def drop(connection: Connection, run_id: str) -> None:
    """Drop the packed columns of a run; everybody who writes its slots does so, too.

    Every batch of a run does, so it is said to the driver in words.
    """
    for words in _DROP:
        do(connection, words + mark(connection), (run_id,))


class Pieces:
    """What stands packed in a table: by the columns of its key before `piece`, piece by piece."""

    def __init__(self, table: Table, form: Form) -> None:
        *key, _, _ = table.c
        self.form = form
        self._piece: Select[Any] = select(table.c.body).where(
            *(column == bindparam(column.name) for column in (*key, table.c.piece))
        )
        self._put: Insert = insert(table)

    def has(self, connection: Connection, key: Mapping[str, str]) -> bool:
        """Tell whether something stands packed under a key."""
        return connection.scalar(self._piece, {**key, "piece": 0}) is not None

    def read(self, connection: Connection, key: Mapping[str, str]) -> Iterator[Columns] | None:
        """Return what is packed; None where nothing is, or in another befit's form."""
        first = self._at(connection, key, 0)
        return None if first is None else self._from(connection, key, first)

    def _from(
        self, connection: Connection, key: Mapping[str, str], first: Columns
    ) -> Iterator[Columns]:
        columns: Columns | None = first
        for piece in count(1):
            if columns is None:
                return
            yield columns
            columns = self._at(connection, key, piece)

    def _at(self, connection: Connection, key: Mapping[str, str], piece: int) -> Columns | None:
        body = connection.scalar(self._piece, {**key, "piece": piece})
        return None if body is None else decode(body, self.form)

    def write(
        self, connection: Connection, key: Mapping[str, str], parts: Iterable[Columns]
    ) -> None:
        """Pack columns, in the order in which they come."""
        for piece, columns in enumerate(_joined(parts, self.form)):
            body = encode(columns, self.form)
            connection.execute(self._put, {**key, "piece": piece, "body": body})


def _joined(parts: Iterable[Columns], form: Form) -> Iterator[Columns]:
    """Yield columns in pieces of up to `ROWS`."""
    held: list[Columns] = []
    for part in parts:
        if held and sum(len(one[form.texts[0]]) for one in (*held, part)) > ROWS:
            yield _one(held, form)
            held = []
        held.append(part)
    if held:
        yield _one(held, form)


def _one(parts: Sequence[Columns], form: Form) -> Columns:
    return {name: [value for part in parts for value in part[name]] for name in form.names}


def encode(columns: Mapping[str, Sequence[Any]], form: Form = SLOTS) -> bytes:
    """Return some rows, one or more, as the body of a piece.

    A column of one value is kept once. Numbers that may be unknown are kept as floating
    ones, nan for None.
    """
    rows = len(columns[form.texts[0]])
    head: list[list[Any]] = []
    body: list[bytes] = []

    def put(name: str, values: array[Any], names: Sequence[str | None] | None = None) -> None:
        raw = values.tobytes()
        one = raw[: values.itemsize]
        kept = values[:1] if raw == one * rows else values
        head.append([name, values.typecode, len(kept), names])
        body.append(_ordered(kept).tobytes())

    for name in form.texts:
        codes: dict[str | None, int] = {}
        found = [codes.setdefault(text, len(codes)) for text in columns[name]]
        put(name, array(_code(len(codes) - 1), found), list(codes))
    for name in form.counts:
        found = list(columns[name])
        put(name, array(_code(max(found)) if min(found) >= 0 else "q", found))
    for name in form.numbers:
        known = [float("nan") if number is None else number for number in columns[name]]
        put(name, array("d", known))
    told = orjson.dumps([rows, head])
    return b"".join((len(told).to_bytes(_SIZE, "little"), told, *body))


def decode(body: bytes, form: Form = SLOTS) -> Columns | None:
    """Return the columns of a piece; None for one of another befit's form."""
    start = _SIZE + int.from_bytes(body[:_SIZE], "little")
    rows, head = orjson.loads(body[_SIZE:start])
    if tuple(name for name, *_ in head) != form.names:
        return None
    view = memoryview(body)
    columns: Columns = {}
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
