"""Who is at work on what: the operating system or the server keeps the lock, a row tells who.

The lock is a file lock beside the SQLite file, or an advisory lock of a
PostgreSQL connection. Both end with the process that holds them, however it
ends, so nobody has to judge whether a holder is still alive.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from sqlalchemy import bindparam, delete, insert, select, text

from befit.errors import StoreBusyError, StoreFullError
from befit.storage.database import Database
from befit.storage.schema import holds

_LOCK = "hashtextextended('hold ' || current_schema() || ' ' || :name, 0)"
_TRY = text(f"SELECT pg_try_advisory_lock({_LOCK})")
_LET_GO = text(f"SELECT pg_advisory_unlock({_LOCK})")


class Holder(NamedTuple):
    """The process that holds something."""

    pid: int
    host: str
    since: str
    """ISO 8601, UTC."""


class Holding:
    """Takes and shows holds; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def hold(self, name: str, /) -> Iterator[None]:
        """Hold `name` (a plan's fingerprint, a run id) until the block or the process ends.

        Raises:
            StoreError: when another process holds it, saying which and since when.
        """
        with self._lock(name) as taken:
            if not taken:
                raise self._refusal(name)
            self._sign(name)
            try:
                yield
            finally:
                with self._database.write() as connection:
                    connection.execute(delete(holds).where(holds.c.name == name))

    def holder(self, name: str, /) -> Holder | None:
        """Return who holds `name` now, or None; a dead holder is none."""
        with self._lock(name) as free:
            return None if free else self._signed(name)

    def _sign(self, name: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.write() as connection:
            connection.execute(delete(holds).where(holds.c.name == name))
            connection.execute(
                insert(holds).values(
                    name=name, pid=os.getpid(), host=socket.gethostname(), since=now
                )
            )

    def _signed(self, name: str) -> Holder:
        statement = select(holds.c.pid, holds.c.host, holds.c.since).where(
            holds.c.name == bindparam("name")
        )
        with self._database.read() as connection:
            row = connection.execute(statement, {"name": name}).first()
        # Between taking the lock and signing there is a moment without a name.
        return Holder(0, "", "") if row is None else Holder(*row)

    def _refusal(self, name: str) -> StoreBusyError:
        holder = self._signed(name)
        who = f"process {holder.pid} on {holder.host} since {holder.since}"
        return StoreBusyError(
            "another befit process is at work on this run",
            where=self._database.name,
            why=f"{who} holds it" if holder.pid else "it has just begun",
            do="wait for it to end, or stop it; what it has done is kept",
        )

    @contextmanager
    def _lock(self, name: str) -> Iterator[bool]:
        if self._database.folder is None:
            with self._advisory(name) as taken:
                yield taken
        else:
            file = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
            with _file_lock(self._database.folder / "locks" / f"{file}.lock") as taken:
                yield taken

    @contextmanager
    def _advisory(self, name: str) -> Iterator[bool]:
        with self._database.session() as connection:
            taken = bool(connection.scalar(_TRY, {"name": name}))
            try:
                yield taken
            finally:
                if taken:
                    connection.execute(_LET_GO, {"name": name})


@contextmanager
def _file_lock(path: Path) -> Iterator[bool]:
    """Yield whether the lock was free and is ours now. The file stays: removing it would race."""
    try:
        path.parent.mkdir(exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise StoreFullError(
            "the workspace may not be written to",
            where=str(path),
            why=error.strerror or "",
            do="make room, or check the rights of the folder",
        ) from None
    with file:
        try:
            _take(file)
        except OSError:
            yield False
        else:
            yield True


def _take(file: IO[bytes]) -> None:
    """Lock without waiting; OSError when somebody has it. Closing the file lets go."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists on this platform only

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 - exists on the other platforms only

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
