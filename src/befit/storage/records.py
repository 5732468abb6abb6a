"""Records that are written once and never changed: decisions, baselines, verdicts, measurements.

A record's id is a hash of its body; reading checks it, so nobody can alter one
in the database without it being seen. There is no way to update or delete one.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import RowMapping, func, insert, select

from befit.core.fingerprint import fingerprint
from befit.core.record import Json
from befit.errors import StoreError, UsageError
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.schema_records import records

Kind = Literal["decision", "baseline", "regression", "load", "fallback", "causes"]
_LETTER: dict[Kind, str] = {
    "decision": "d",
    "baseline": "b",
    "regression": "g",
    "load": "l",
    "fallback": "f",
    "causes": "c",
}
_DIGITS = 12
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One record as it stands in the store."""

    id: str
    kind: Kind
    name: str
    run_id: str
    created_at: str
    body: Json


class _Undone(Exception):  # noqa: N818  # no error: it takes a write back
    """Raised inside a transaction that is to leave nothing."""


class Records:
    """Writer and reader of records; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(
        self, kind: Kind, body: Json, /, *, run_id: str, created_at: str, name: str = ""
    ) -> Written:
        """Write a record and return it; writing the same one again changes nothing."""
        whole = {"kind": kind, "name": name, "run_id": run_id, "at": created_at, "body": body}
        record_id = f"{_LETTER[kind]}-{fingerprint(whole)[:_DIGITS]}"
        highest = select(func.coalesce(func.max(records.c.number), 0))
        with self._database.write() as connection:
            # There is one writer at a time, so what is not there now will not be there below.
            known = connection.scalar(select(records.c.id).where(records.c.id == record_id))
            if known is None:
                connection.execute(
                    insert(records).values(
                        id=record_id,
                        kind=kind,
                        number=(connection.scalar(highest) or 0) + 1,
                        name=plain(name),
                        run_id=run_id,
                        created_at=created_at,
                        body=json.dumps(whole, separators=(",", ":")),
                    )
                )
        if known is not None:
            return self.read(record_id)
        return Written(
            id=record_id, kind=kind, name=name, run_id=run_id, created_at=created_at, body=body
        )

    def see_writable(self) -> None:
        """See that a record could be written now; none is.

        Raises:
            StoreError: it could not: no rights, no room, another writer that does not end.
        """
        trial = {"id": "", "kind": "", "number": -1, "name": "", "run_id": "", "created_at": ""}
        with suppress(_Undone), self._database.write() as connection:
            connection.execute(insert(records).values(body="", **trial))
            raise _Undone

    def read(self, record_id: str, /) -> Written:
        """Return one record.

        Raises:
            StoreError: there is none of this id, or it is not what it was.
        """
        with self._database.read() as connection:
            row = (
                connection.execute(select(records).where(records.c.id == record_id))
                .mappings()
                .first()
            )
        if row is None:
            raise StoreError(f"there is no record {record_id}", where=self._database.name)
        return self._checked(row)

    def all(self, kind: Kind, /, *, name: str | None = None, run_id: str | None = None,
            limit: int = 1000) -> list[Written]:  # fmt: skip
        """Return records of a kind, newest first."""
        statement = select(records).where(records.c.kind == kind)
        if name is not None:
            statement = statement.where(records.c.name == plain(name))
        if run_id is not None:
            statement = statement.where(records.c.run_id == run_id)
        statement = statement.order_by(records.c.number.desc()).limit(limit)
        with self._database.read() as connection:
            rows = connection.execute(statement).mappings().all()
        return [self._checked(row) for row in rows]

    def find(self, kind: Kind, words: str = "latest", /) -> Written:
        """Return the record meant by `latest`, an id or its unique beginning.

        Raises:
            UsageError: when none or several are meant.
        """
        wanted = words.strip().lower()
        known = self.all(kind)
        if wanted == "latest":
            found = known[:1]
        else:
            start = (
                wanted if wanted.startswith(f"{_LETTER[kind]}-") else f"{_LETTER[kind]}-{wanted}"
            )
            found = [one for one in known if one.id.startswith(start)]
        if len(found) == 1:
            return found[0]
        ids = ", ".join(one.id for one in (found or known)[:_SHOWN])
        if found:
            raise UsageError(
                f"'{words}' is the beginning of {len(found)} records", do=f"one of: {ids}"
            )
        raise UsageError(
            f"there is no {kind} '{words}'" if known else f"there is no {kind} yet",
            where=self._database.name,
            do=f"one of: {ids}" if known else f"make one with `befit {_VERB[kind]}`",
        )

    def _checked(self, row: RowMapping) -> Written:
        whole = json.loads(row["body"])
        kind: Kind = row["kind"]
        if row["id"] != f"{_LETTER[kind]}-{fingerprint(whole)[:_DIGITS]}":
            raise StoreError(
                f"record {row['id']} is not what it was when it was written",
                where=self._database.name,
                why="its content does not match its id: somebody changed it",
                do="restore the workspace from a backup",
            )
        return Written(
            id=row["id"],
            kind=kind,
            name=whole["name"],
            run_id=whole["run_id"],
            created_at=whole["at"],
            body=whole["body"],
        )


_VERB: dict[Kind, str] = {
    "decision": "decide",
    "baseline": "bless",
    "regression": "gate",
    "load": "load",
    "fallback": "fallback check",
    "causes": "causes",
}
