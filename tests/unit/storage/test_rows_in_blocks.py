"""Rows written in blocks are the rows that were given, whatever their columns share."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from befit.storage.blocks import SIZES, Blocks

ROWS = SIZES[0]
INSERT = "INSERT INTO t (run, id, value, label, body) VALUES (?, ?, ?, ?, ?)"
Row = tuple[Any, ...]


def _row(number: int, *, run: str = "r", value: float | None = 1.0, label: Any = None) -> Row:
    return (run, f"s{number}", value, label, b"body %d" % number)


def _stored(blocks: Blocks, *batches: list[Row]) -> list[Row]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (run TEXT, id TEXT, value DOUBLE, label TEXT, body BLOB)")
    for batch in batches:
        for sql, values in blocks.steps(batch):
            connection.executemany(sql, values)
    return connection.execute("SELECT * FROM t ORDER BY rowid").fetchall()


@pytest.mark.parametrize("count", [1, 2, 3, ROWS - 1, ROWS, ROWS + 1, 5 * ROWS + 3])
def test_every_row_of_a_batch_is_stored_in_order(count: int) -> None:
    rows = [_row(number) for number in range(count)]
    assert _stored(Blocks(INSERT), rows) == rows


def test_columns_that_cease_to_be_alike_are_stored_as_they_are() -> None:
    first = [_row(number) for number in range(2 * ROWS)]
    other = [
        _row(number, run="r" if number % 2 else "q", value=None if number % 3 else 0.5, label="x")
        for number in range(100, 100 + ROWS)
    ]
    alike_again = [_row(number, run="z", value=None) for number in range(200, 200 + 3 * ROWS)]
    batches = first, other, alike_again
    assert _stored(Blocks(INSERT), *batches) == [row for batch in batches for row in batch]


def test_rows_that_are_all_the_same_are_all_stored() -> None:
    rows = [_row(1)] * (2 * ROWS)
    assert _stored(Blocks(INSERT), rows) == rows


def test_what_all_rows_say_is_handed_over_once_per_statement() -> None:
    rows = [_row(number) for number in range(ROWS)]
    ((_, (values,)),) = Blocks(INSERT).steps(rows)
    assert values.count("r") == 1
    assert len(values) == 3 + 2 * ROWS  # run, value, label; an id and a body for each row


def test_a_batch_of_any_length_takes_one_step_for_each_power_of_two_in_it() -> None:
    rows = [_row(number) for number in range(64 + 16 + 2 + 1)]
    steps = list(Blocks(INSERT).steps(rows))
    taken = [(sql.count("(") - 1, len(values)) for sql, values in steps]  # rows, times
    assert taken == [(32, 2), (16, 1), (2, 1), (1, 1)]


def test_rows_of_too_many_values_are_written_in_smaller_blocks() -> None:
    # 200 values a row, all its own: four rows are 800, eight would be more than 999.
    sql = "INSERT INTO w VALUES (?)".replace("?", ", ".join("?" * 200))
    rows = [tuple(range(start, start + 200)) for start in range(ROWS)]
    steps = list(Blocks(sql).steps(rows))
    assert [(words.count("("), len(values)) for words, values in steps] == [(4, ROWS // 4)]
    written = [value for _, values in steps for row in values for value in row]
    assert written == [value for row in rows for value in row]


def test_rows_that_fill_a_statement_alone_are_written_one_by_one() -> None:
    sql = "INSERT INTO w VALUES (?)".replace("?", ", ".join("?" * 600))
    rows = [tuple(range(start, start + 600)) for start in range(3)]
    assert list(Blocks(sql).steps(rows)) == [(sql, rows)]
