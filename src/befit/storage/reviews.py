"""Studies of blind review: their state, their parts, the sealed mapping, the audit trail.

This floor knows nothing of what the bodies mean; `befit.review` reads them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from befit.core.fingerprint import canonical_json
from befit.core.record import Json
from befit.errors import ForbiddenError, StoreError
from befit.storage.codec import pack, plain, unpack
from befit.storage.database import Database
from befit.storage.review_work import ReviewWork
from befit.storage.schema_reviews import (
    review_events,
    review_parts,
    review_sealed,
    review_studies,
)


class Part(NamedTuple):
    """One answer, item, reviewer, guess or record sheet of a study."""

    id: str
    body: Json
    lookup: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the audit trail."""

    number: int
    at: str
    actor: str
    kind: str
    body: Json
    chain: str


class Reviews:
    """Writer and reader of studies; one part of a `Workspace`. `work` holds votes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.work = ReviewWork(database)
        """Assignments, votes and drafts."""
        self.folder = database.folder
        """The folder of the workspace's file; None on a server."""

    def create(
        self,
        study_id: str,
        body: Mapping[str, Json],
        /,
        *,
        parts: Mapping[str, Iterable[Part]],
        sealed: bytes,
        event: tuple[str, str],
    ) -> None:
        """Store a study with its parts by kind, all or nothing.

        Args:
            study_id: new.
            body: has `run_id` and `state`.
            parts: kind -> parts, in order.
            sealed: the encrypted mapping.
            event: when and who, of the first entry of the audit trail.

        Raises:
            StoreError: the id is taken.
        """
        with self._database.write() as connection:
            taken = select(review_studies.c.id).where(review_studies.c.id == study_id)
            if connection.scalar(taken) is not None:
                raise StoreError(f"there is a study {study_id} already", where=self._database.name)
            highest = connection.scalar(select(func.max(review_studies.c.number))) or 0
            connection.execute(
                insert(review_studies).values(
                    id=study_id,
                    number=highest + 1,
                    run_id=body["run_id"],
                    state=body["state"],
                    body=pack(dict(body)),
                )
            )
            connection.execute(insert(review_sealed).values(study=study_id, body=sealed))
            for kind, given in parts.items():
                rows = [_row(study_id, kind, number, one) for number, one in enumerate(given)]
                if rows:
                    connection.execute(insert(review_parts), rows)
            _tell(connection, study_id, at=event[0], actor=event[1], kind="created", body={})

    def studies(self, *, run_id: str | None = None) -> list[Json]:
        """Return the bodies of all studies (of a run), newest first."""
        statement = select(review_studies.c.body).order_by(review_studies.c.number.desc())
        if run_id is not None:
            statement = statement.where(review_studies.c.run_id == run_id)
        with self._database.read() as connection:
            return [unpack(body) for body in connection.scalars(statement)]

    def study(self, study_id: str, /) -> Json:
        """Return the body of a study.

        Raises:
            StoreError: there is none.
        """
        with self._database.read() as connection:
            return self._body(connection, study_id)

    def _body(self, connection: Connection, study_id: str) -> Json:
        found = select(review_studies.c.body).where(review_studies.c.id == study_id)
        body = connection.scalar(found)
        if body is None:
            raise StoreError(f"there is no study {study_id}", where=self._database.name)
        return unpack(body)

    def change(
        self,
        study_id: str,
        changes: Mapping[str, Json],
        /,
        *,
        only_from: Sequence[str],
        event: tuple[str, str, str, Json],
    ) -> Json:
        """Change a study and write it into the audit trail, in one transaction; return its body.

        Args:
            study_id: which.
            changes: fields of the body.
            only_from: the states in which this may be done.
            event: when, who, what, details.

        Raises:
            ForbiddenError: the study is in another state.
        """
        at, actor, kind, details = event
        with self._database.write() as connection:
            body = self._body(connection, study_id)
            if body["state"] not in only_from:
                raise ForbiddenError(
                    f"study {study_id} is {body['state']}",
                    why=f"'{kind}' is possible only while it is {' or '.join(only_from)}",
                )
            body.update(changes)
            where = review_studies.c.id == study_id
            row = update(review_studies).where(where)
            again = body.get("cycle_open") and body["state"] in {"closed", "unblinded"}
            taking = "cycle" if again else body["state"]
            connection.execute(row.values(state=taking, body=pack(body)))
            _tell(connection, study_id, at=at, actor=actor, kind=kind, body=details)
        return body

    def sealed(self, study_id: str, /) -> bytes:
        """Return the encrypted mapping; StoreError where there is none."""
        found = select(review_sealed.c.body).where(review_sealed.c.study == study_id)
        with self._database.read() as connection:
            body = connection.scalar(found)
        if body is None:
            raise StoreError(f"there is no study {study_id}", where=self._database.name)
        return bytes(body)

    def put(self, study_id: str, kind: str, parts: Sequence[Part], /) -> None:
        """Add parts, or replace those of the same id."""
        with self._database.write() as connection:
            for part in parts:
                place = (
                    (review_parts.c.study == study_id)
                    & (review_parts.c.kind == kind)
                    & (review_parts.c.id == part.id)
                )
                old = connection.scalar(select(review_parts.c.number).where(place))
                if old is None:
                    own = (review_parts.c.study == study_id) & (review_parts.c.kind == kind)
                    last = connection.scalar(select(func.max(review_parts.c.number)).where(own))
                    number = 0 if last is None else last + 1
                else:
                    number = old
                    connection.execute(delete(review_parts).where(place))
                row = _row(study_id, kind, number, part)
                connection.execute(insert(review_parts).values(**row))

    def parts(self, study_id: str, kind: str, /) -> dict[str, Json]:
        """Return all parts of a kind by id, in their order."""
        statement = (
            select(review_parts.c.id, review_parts.c.body)
            .where(review_parts.c.study == study_id, review_parts.c.kind == kind)
            .order_by(review_parts.c.number)
        )
        with self._database.read() as connection:
            return {row.id: unpack(row.body) for row in connection.execute(statement)}

    def part(self, study_id: str, kind: str, part_id: str, /) -> Json | None:
        """Return one part, or None."""
        statement = select(review_parts.c.body).where(
            review_parts.c.study == study_id,
            review_parts.c.kind == kind,
            review_parts.c.id == part_id,
        )
        with self._database.read() as connection:
            body = connection.scalar(statement)
        return None if body is None else unpack(body)

    def look_up(self, kind: str, lookup: str, /) -> tuple[str, Json] | None:
        """Return study id and body of the part with this lookup word, or None."""
        statement = select(review_parts.c.study, review_parts.c.body).where(
            review_parts.c.kind == kind, review_parts.c.lookup == plain(lookup)
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None else (row.study, unpack(row.body))

    def tell(self, study_id: str, kind: str, body: Json, /, *, at: str, actor: str) -> None:
        """Write an entry into the audit trail."""
        with self._database.write() as connection:
            _tell(connection, study_id, at=at, actor=actor, kind=kind, body=body)

    def events(self, study_id: str, /) -> list[Event]:
        """Return the audit trail.

        Raises:
            StoreError: an entry is not what it was when it was written.
        """
        statement = (
            select(review_events)
            .where(review_events.c.study == study_id)
            .order_by(review_events.c.number)
        )
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        before = ""
        for number, row in enumerate(rows, 1):
            told = [row.number, row.at, row.actor, row.kind, row.body]
            if row.number != number or row.chain != _link(before, told):
                raise StoreError(
                    f"entry {number} of the audit trail of {study_id} was altered",
                    where=self._database.name,
                    why="its hash does not follow from the one before",
                )
            before = row.chain
        return [
            Event(
                number=row.number,
                at=row.at,
                actor=row.actor,
                kind=row.kind,
                body=unpack(b"o" + row.body.encode()),
                chain=row.chain,
            )
            for row in rows
        ]


def _row(study_id: str, kind: str, number: int, part: Part) -> dict[str, Json]:
    return {
        "study": study_id,
        "kind": kind,
        "id": part.id,
        "number": number,
        "lookup": part.lookup,
        "body": pack(part.body),
    }


def _link(before: str, told: Sequence[Json]) -> str:
    return hashlib.sha256(canonical_json([before, *told]).encode()).hexdigest()


def _tell(
    connection: Connection, study_id: str, *, at: str, actor: str, kind: str, body: Json
) -> None:
    newest = (
        select(review_events.c.number, review_events.c.chain)
        .where(review_events.c.study == study_id)
        .order_by(review_events.c.number.desc())
        .limit(1)
    )
    row = connection.execute(newest).first()
    number, before = (row.number + 1, row.chain) if row else (1, "")
    who, text = plain(actor), plain(canonical_json(body))
    connection.execute(
        insert(review_events).values(
            study=study_id,
            number=number,
            at=at,
            actor=who,
            kind=kind,
            body=text,
            chain=_link(before, [number, at, who, kind, text]),
        )
    )
