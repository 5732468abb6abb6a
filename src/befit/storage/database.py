"""The connection to a workspace's database: SQLite file or PostgreSQL.

One writer at a time on both: SQLite's write lock is taken when a write
transaction begins, PostgreSQL's by an advisory lock. That makes "look, then
write" safe everywhere, without statements only one of them knows. Readers
never wait for writers. Every driver error becomes a `StoreError` without
parameters, which may hold model output.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Executable,
    Select,
    create_engine,
    event,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.dml import Insert

from befit.errors import StoreBusyError, StoreError, StoreFullError
from befit.storage.blocks import Blocks
from befit.storage.driver import do_each

FILE = "workspace.db"
FETCH = 2_000
"""Rows fetched at a time by streaming reads."""
_BUSY_SECONDS = 30.0
_PATIENT = (f"busy_timeout = {_BUSY_SECONDS * 1000:.0f}", "wal_autocheckpoint = 4000")
_BRIEF = ("busy_timeout = 0", "wal_autocheckpoint = 16000")
"""Waits for nobody, and leaves it to others to fold the log into the file, which waits for the
disk; where they never do, it is done at 64 MB."""
_WRITER_LOCK = text(
    "SELECT pg_advisory_xact_lock(hashtextextended('befit ' || current_schema(), 0))"
)
"""PostgreSQL's advisory lock of the one writer; every schema is a workspace of its own."""
_WRITE = "befit_write"


class _StandsError(Exception):
    """Ends a transaction that took everything for new."""


class Database:
    """Read and write transactions on one workspace."""

    def __init__(
        self, engine: Engine, *, folder: Path | None, name: str, patient: bool = True
    ) -> None:
        self.engine = engine
        self.folder = folder
        """The folder of the SQLite file; None on a server."""
        self.name = name
        """How to speak of it: a path, or a URL without its password."""
        self._patient = patient
        """Whether a write waits for others; see `brief`."""
        self._queries: dict[tuple[Select[Any], int], tuple[str, list[str | None]]] = {}
        self._statements: dict[Insert, str | Blocks] = {}

    @classmethod
    def open(cls, location: Path | str, *, create: bool = True) -> Database:
        """Return the database at a folder or a `postgresql+psycopg://` URL.

        Raises:
            StoreError: for a URL of another kind, or a folder that is not there (without
                `create`) or cannot be made.
        """
        if isinstance(location, str) and "://" in location:
            return cls._server(location)
        folder = Path(location)
        if not create and not (folder / FILE).exists():
            raise StoreError(
                "there is no workspace here",
                where=str(folder),
                do="start a run with `befit run`, or go to the folder of the project",
            )
        return cls._file(folder)

    @classmethod
    def _server(cls, location: str) -> Database:
        do = "use postgresql+psycopg://user@host/database"
        try:
            url = make_url(location)
        except (ArgumentError, ValueError):
            # The text may hold a password, so it is not shown.
            raise StoreError("the workspace URL cannot be read", do=do) from None
        name = url.render_as_string(hide_password=True)
        if url.drivername != "postgresql+psycopg":
            raise StoreError("not a database befit can use", where=name, do=do)
        try:
            engine = create_engine(
                url, hide_parameters=True, paramstyle="format", pool_pre_ping=True
            )
        except (ImportError, NoSuchModuleError):
            raise StoreError(
                "the PostgreSQL driver is not installed",
                where=name,
                do="pip install 'befit[postgres]'",
            ) from None
        return cls(engine, folder=None, name=name)

    @classmethod
    def _file(cls, folder: Path) -> Database:
        path = folder / FILE
        if _only_readable(path):
            return cls._readable(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            ignore = folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                "the workspace folder cannot be made",
                where=str(folder),
                why=error.strerror or str(error),
                do="choose a folder you may write to",
            ) from None
        engine = create_engine(
            URL.create("sqlite+pysqlite", database=str(path)),
            hide_parameters=True,
            connect_args={"timeout": _BUSY_SECONDS},
            pool_use_lifo=True,  # each connection has a cache, which others' writes make void
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return cls(engine, folder=folder, name=str(path))

    @classmethod
    def _readable(cls, path: Path) -> Database:
        """Return a database that may be looked at: a medium or a folder without write access."""
        # Without the index of SQLite's log, and no way to make one, nobody can be writing.
        alone = not path.with_name(f"{path.name}-shm").exists()
        query = "mode=ro&immutable=1" if alone else "mode=ro"
        engine = create_engine(
            "sqlite+pysqlite://",
            hide_parameters=True,
            creator=lambda: sqlite3.connect(
                f"file:{quote(str(path.resolve()))}?{query}",
                uri=True,
                timeout=_BUSY_SECONDS,
                check_same_thread=False,
            ),
            poolclass=QueuePool,
        )
        event.listen(engine, "connect", _prepare_readable)
        event.listen(engine, "begin", _begin_sqlite)
        return cls(engine, folder=path.parent, name=str(path))

    def brief(self) -> Database:
        """Return this database for callers that must not be held up by a write.

        A write raises `StoreBusyError` at once where somebody else is writing. For files only.
        """
        return Database(self.engine, folder=self.folder, name=self.name, patient=False)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a file on this machine."""
        return self.folder is not None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one moment of the workspace, whoever writes."""
        with self._told(), self.engine.connect() as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(
                    text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                )
            yield connection

    @contextmanager
    def write(self, *, erasing: bool = False) -> Iterator[Connection]:
        """Yield the one writing connection; everything is stored at the end, or nothing.

        `erasing`: what is deleted is overwritten, too, as far as the database
        lets itself be told (a server reclaims the room in its own time).
        """
        with self._told(), self.engine.connect() as plain:
            if erasing and self.is_sqlite:
                _pragma(plain, "secure_delete = ON")
            connection = plain.execution_options(**{_WRITE: True})
            with self._mood(plain), connection.begin():
                if not self.is_sqlite:
                    connection.execute(_WRITER_LOCK)
                yield connection

    def write_new(self, work: Callable[[Connection], None], /) -> bool:
        """Run `work` in a write transaction as if nothing of it stood in the tables yet.

        False, and nothing stored, where a unique key refuses some of it.
        """
        try:
            with self.write() as connection:
                try:
                    work(connection)
                except IntegrityError as error:
                    raise _StandsError from error
        except _StandsError:
            return False
        return True

    @contextmanager
    def _mood(self, plain: Connection) -> Iterator[None]:
        """Have a connection of the pool wait for nobody, where this database must not."""
        if self._patient:
            yield
            return
        for words in _BRIEF:
            _pragma(plain, words)
        try:
            yield
        finally:
            for words in _PATIENT:
                _pragma(plain, words)

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """Yield a connection of its own outside any transaction, for as long as the block."""
        with self._told(), self.engine.connect() as plain:
            yield plain.execution_options(isolation_level="AUTOCOMMIT")

    def stream(self, statement: Executable, /) -> Iterator[Sequence[Any]]:
        """Yield the rows of a query in chunks; memory does not grow with their number."""
        with self.read() as connection:
            result = connection.execution_options(yield_per=FETCH).execute(statement)
            yield from result.partitions()

    def stream_plain(self, statement: Executable, /) -> Iterator[Sequence[Any]]:
        """Yield rows in chunks as the driver gives them: half the time, no types of Core's own.

        For columns whose values are the same in Python and in both databases
        (texts, whole and floating numbers, None).
        """
        with self.read() as connection:
            yield from self.plain_rows(connection, statement, {})

    def plain_rows(
        self, connection: Connection, statement: Executable, values: Mapping[str, Any], /
    ) -> Iterator[Sequence[Any]]:
        """Yield what `stream_plain` yields, within a transaction of the caller's."""
        if not self.is_sqlite:
            ahead = statement.execution_options(yield_per=FETCH)
            yield from connection.execute(ahead, values).partitions()
            return
        # Without `yield_per` Core fetches nothing ahead, so the cursor is at the first row.
        cursor = connection.execute(statement, values).cursor
        while rows := cursor.fetchmany(FETCH):
            yield rows

    def among(
        self,
        connection: Connection,
        statement: Select[Any],
        name: str,
        values: Sequence[str],
        /,
        **others: str | int,
    ) -> Sequence[Any]:
        """Return the rows of a query whose expanding parameter `name` is one or more `values`.

        Core would write such a statement anew each time, which costs more than the query. Here
        it is written once for each power of two, and the last value fills the places left over.
        """
        size = 1 << (len(values) - 1).bit_length()
        known = self._queries.get((statement, size))
        if known is None:
            compiled = statement.params({**others, name: [""] * size}).compile(
                self.engine, compile_kwargs={"render_postcompile": True}
            )
            names = getattr(compiled, "positiontup", None) or ()  # both databases' have places
            order = [one if one in others else None for one in names]
            known = self._queries[statement, size] = (str(compiled), order)
        sql, order = known
        given = chain(values, repeat(values[-1]))
        asked = tuple([next(given) if one is None else others[one] for one in order])
        return connection.exec_driver_sql(sql, asked).all()

    def insert(
        self, connection: Connection, statement: Insert, rows: Sequence[tuple[Any, ...]], /
    ) -> None:
        """Insert `rows`, tuples in the order of the table's columns.

        The statement is Core's own, compiled once; only Core's handling of each
        row is left out, which costs several times what the insert does.
        """
        if not rows:
            return
        known = self._statements.get(statement)
        if known is None:
            sql = str(statement.compile(self.engine))
            known = self._statements[statement] = Blocks(sql) if self.is_sqlite else sql
        if isinstance(known, str):
            do_each(connection, known, list(rows))
            return
        for words, values in known.steps(rows):
            do_each(connection, words, values)

    def fold(self) -> None:
        """Fold SQLite's log into the file, so that nothing deleted stands in it any more."""
        if self.is_sqlite:
            with self._told(), self.engine.connect() as connection:
                _pragma(connection, "wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _store_error(error, self.name) from error


def _pragma(connection: Connection, words: str) -> None:
    """Run a pragma outside any transaction, where most of them have to be."""
    driver: Any = connection.connection.driver_connection
    driver.execute(f"PRAGMA {words}").close()


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin when Core says so, see _begin_sqlite
    for pragma in (
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "cache_size = -16000",  # kB
        "journal_size_limit = 67108864",
    ):
        connection.execute(f"PRAGMA {pragma}").close()
    for pragma in _PATIENT:
        connection.execute(f"PRAGMA {pragma}").close()


def _only_readable(path: Path) -> bool:
    """Tell whether a workspace is there that may be read and not written."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _prepare_readable(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA cache_size = -16000").close()


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _store_error(error: DBAPIError, name: str) -> StoreError:
    why = str(error.orig).strip().partition("\n")[0]
    known: dict[str, tuple[str, str]] = {
        "file is not a database": ("the workspace file is damaged or of another program", ""),
        "malformed": (
            "the workspace file is damaged",
            "keep a copy, then try `sqlite3 workspace.db .recover`",
        ),
        "is full": ("the disk is full", "make room and run the same command again"),
        "disk I/O": (
            "the workspace cannot be written",
            "make room or check the disk, then run the same command again",
        ),
        "locked": (
            "another process is writing to the workspace for too long",
            "wait for it to end, then run the same command again",
        ),
        "readonly": (
            "the workspace may not be written to",
            "check the rights of the folder; runs, show, report and compare only read",
        ),
        "unable to open": ("the workspace cannot be opened", "check the rights of the folder"),
        "connection": ("the database server cannot be reached", "check that it runs, and the URL"),
    }
    kinds = {
        "is full": StoreFullError,
        "readonly": StoreFullError,
        "disk I/O": StoreFullError,
        "locked": StoreBusyError,
    }
    for sign, (what, do) in known.items():
        if sign in why:
            return kinds.get(sign, StoreError)(what, where=name, why=why, do=do)
    return StoreError("the workspace's database refused", where=name, why=why)
