"""Labels of samples, every revision of them, as they are pressed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, insert, select

from befit.core.record import Json
from befit.storage.codec import pack, plain, unpack
from befit.storage.database import Database
from befit.storage.schema_data import labels


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLabel:
    """The newest label one labeller gave a sample; `shown` is the hash of what was shown."""

    scenario: str
    sample_id: str
    labeller: str
    revision: int
    shown: str
    created_at: str
    body: Json


class Labels:
    """Writer and reader of labels; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self, place: tuple[str, str, str], body: Json, /, *, shown: str, request_id: str
    ) -> StoredLabel:
        """Store a label of (scenario, sample id, labeller) and return it.

        A `request_id` that was seen before stores nothing: pressing twice, or
        sending again after a broken connection, is one label.
        """
        scenario, sample_id, labeller = (plain(word) for word in place)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.write() as connection:
            seen = select(labels).where(labels.c.request_id == plain(request_id))
            row = connection.execute(seen).first()
            if row is not None:
                return _read(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name of it
            newest = select(func.max(labels.c.revision)).where(
                labels.c.scenario == scenario,
                labels.c.sample_id == sample_id,
                labels.c.labeller == labeller,
            )
            values = {
                "scenario": scenario,
                "sample_id": sample_id,
                "labeller": labeller,
                "revision": int(connection.scalar(newest) or 0) + 1,
                "shown": shown,
                "request_id": plain(request_id),
                "created_at": now,
                "body": pack(body),
            }
            connection.execute(insert(labels).values(**values))
        return _read(values)

    def newest(self, scenario: str, /) -> list[StoredLabel]:
        """Return the newest label of each sample and labeller, in a stable order."""
        statement = (
            select(labels)
            .where(labels.c.scenario == plain(scenario))
            .order_by(labels.c.sample_id, labels.c.labeller, labels.c.revision)
        )
        found: dict[tuple[str, str], StoredLabel] = {}
        for rows in self._database.stream(statement):
            for row in rows:
                one = _read(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name of it
                found[one.sample_id, one.labeller] = one
        return list(found.values())


def _read(row: Json) -> StoredLabel:
    return StoredLabel(
        scenario=row["scenario"],
        sample_id=row["sample_id"],
        labeller=row["labeller"],
        revision=row["revision"],
        shown=row["shown"],
        created_at=row["created_at"],
        body=unpack(row["body"]),
    )
