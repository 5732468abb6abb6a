"""Frozen versions of sample sets, and the record of how a set was drawn from the logs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select

from befit.core.record import Json
from befit.core.sample import Sample
from befit.errors import UsageError
from befit.storage.codec import pack, plain, unpack
from befit.storage.database import Database
from befit.storage.samples import read_sample, sample_record
from befit.storage.schema import contents
from befit.storage.schema_data import samplings, set_members, set_versions

_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVersion:
    """One frozen version of a scenario's samples; `version` is the hash runs name it by."""

    number: int
    scenario: str
    version: str
    name: str
    author: str
    created_at: str
    changelog: str
    n_samples: int


class Sets:
    """Writer and reader of set versions and samplings; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def freeze(self, made: SetVersion, samples: Sequence[Sample], /) -> SetVersion:
        """Store a version with its samples and return it with its number.

        Raises:
            UsageError: the scenario has a version of this name already.
        """
        records = {plain(sample.id): sample_record(sample) for sample in samples}
        with self._database.write() as connection:
            taken = select(set_versions.c.version).where(
                set_versions.c.scenario == plain(made.scenario),
                set_versions.c.name == plain(made.name),
            )
            held = connection.scalar(taken)
            if held is not None:
                raise UsageError(
                    f"'{made.scenario}' has a version called '{made.name}' already ({held})",
                    do="give it another name",
                )
            number = int(connection.scalar(select(func.max(set_versions.c.number))) or 0) + 1
            row = {name: getattr(made, name) for name in SetVersion.__dataclass_fields__}
            connection.execute(insert(set_versions).values(**{**row, "number": number}))
            bodies = dict(records.values())
            keys = list(bodies)
            for start in range(0, len(keys), _CHUNK):
                part = contents.c.fingerprint.in_(keys[start : start + _CHUNK])
                for key in connection.scalars(select(contents.c.fingerprint).where(part)).all():
                    bodies.pop(key)
            self._database.insert(connection, insert(contents), list(bodies.items()))
            members = [(number, sample_id, key) for sample_id, (key, _) in records.items()]
            self._database.insert(connection, insert(set_members), members)
        return SetVersion(**{**row, "number": number})

    def versions(self, scenario: str | None = None, /) -> list[SetVersion]:
        """Return the frozen versions, newest first."""
        statement = select(*set_versions.columns).order_by(set_versions.c.number.desc())
        if scenario is not None:
            statement = statement.where(set_versions.c.scenario == plain(scenario))
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        names = [column.name for column in set_versions.columns]
        return [SetVersion(**dict(zip(names, row, strict=True))) for row in rows]

    def members(self, number: int, /) -> dict[str, str]:
        """Return sample id -> content key of a frozen version."""
        statement = select(set_members.c.sample_id, set_members.c.content).where(
            set_members.c.number == number
        )
        with self._database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(statement)}

    def samples(self, number: int, /) -> list[Sample]:
        """Return the samples of a frozen version, by id; forgotten ones are left out."""
        statement = (
            select(contents.c.body)
            .join(set_members, set_members.c.content == contents.c.fingerprint)
            .where(set_members.c.number == number, contents.c.body.is_not(None))
            .order_by(set_members.c.sample_id)
        )
        return [read_sample(body) for rows in self._database.stream(statement) for (body,) in rows]

    def put_sampling(self, scenario: str, body: Json, /) -> str:
        """Store how a set was drawn, and return the record's id."""
        made = f"s-{secrets.token_hex(4)}"
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.write() as connection:
            number = int(connection.scalar(select(func.max(samplings.c.number))) or 0) + 1
            connection.execute(
                insert(samplings).values(
                    id=made,
                    number=number,
                    scenario=plain(scenario),
                    created_at=now,
                    body=pack(body),
                )
            )
        return made

    def drawn_into(self, place: str, /) -> str | None:
        """Return the scenario of the newest sampling that wrote to a file, or None."""
        c = samplings.c
        statement = select(c.scenario, c.body).order_by(c.number.desc())
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        return next((row[0] for row in rows if unpack(row[1]).get("file") == place), None)

    def sampling(self, scenario: str, /) -> tuple[str, str, Any] | None:
        """Return (id, time, body) of the newest sampling of a scenario, or None."""
        c = samplings.c
        statement = (
            select(c.id, c.created_at, c.body)
            .where(c.scenario == plain(scenario))
            .order_by(c.number.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(statement).first()
        return None if row is None else (row[0], row[1], unpack(row[2]))
