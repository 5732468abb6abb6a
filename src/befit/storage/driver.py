"""Statements in words, handed straight to SQLite's driver, for what every batch of a run does.

Core's handling of a statement takes several times as long as a small statement itself, and a
batch has a dozen of them. The transaction, the connection and what an error becomes stay
Core's. On PostgreSQL, where the way to the server costs more, Core runs them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError


def mark(connection: Connection) -> str:
    """Return what stands for a value in the words of this database."""
    return "?" if _is_sqlite(connection) else "%s"


def ask(connection: Connection, sql: str, values: tuple[Any, ...], /) -> Sequence[Any]:
    """Return the rows of a query.

    Raises:
        DBAPIError: the database refuses.
    """
    if not _is_sqlite(connection):
        return connection.exec_driver_sql(sql, values).all()
    try:
        return _driver(connection).execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise _refused(sql, error) from error


def do(connection: Connection, sql: str, values: tuple[Any, ...], /) -> None:
    """Run a statement that returns nothing; raises as `ask` does."""
    if not _is_sqlite(connection):
        connection.exec_driver_sql(sql, values)
        return
    try:
        _driver(connection).execute(sql, values)
    except sqlite3.Error as error:
        raise _refused(sql, error) from error


def do_each(connection: Connection, sql: str, rows: list[tuple[Any, ...]], /) -> None:
    """Run a statement once for each of `rows`, one or more; raises as `ask` does."""
    if not _is_sqlite(connection):
        connection.exec_driver_sql(sql, rows)
        return
    driver = _driver(connection)
    try:
        if len(rows) == 1:
            driver.execute(sql, rows[0])
        else:
            driver.executemany(sql, rows)
    except sqlite3.Error as error:
        raise _refused(sql, error) from error


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _driver(connection: Connection) -> sqlite3.Connection:
    driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]  # of `pysqlite`, which alone is opened
    return driver


def _refused(sql: str, error: sqlite3.Error) -> BaseException:
    """Return the error as Core raises it, without the values, which may hold model output."""
    return DBAPIError.instance(sql, None, error, sqlite3.Error, hide_parameters=True)
