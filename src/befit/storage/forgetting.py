"""Forgetting: content goes for good, the narrow facts stay, a tombstone keeps it gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from befit.storage.database import Database
from befit.storage.packed import drop
from befit.storage.packing import Packing
from befit.storage.schema import contents, evidence, runs, sample_history, samples, slots, trials
from befit.storage.trials import chunks


class Forgetting:
    """Answers a request to delete somebody's data; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._packing = Packing(database)

    def forget(self, key_ids: Sequence[str], /, *, with_samples: bool = False) -> int:
        """Drop all content of these trials for good, and return how many were known.

        Transcripts, answers, spans and explanations go; the narrow facts and
        score values stay, and a tombstone keeps the content from being stored
        again. `with_samples` drops the samples they were asked with, too.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        bury = update(trials).values(body=None, forgotten_at=now, finished=1)
        known = 0
        touched: list[str] = []
        with self._database.write(erasing=True) as connection:
            run_ids = connection.scalars(select(runs.c.id)).all()
            for keys in chunks(key_ids):
                fresh = trials.c.forgotten_at.is_(None)
                found = connection.execute(bury.where(trials.c.key_id.in_(keys), fresh))
                known += found.rowcount
                for run_id in run_ids:
                    here = and_(slots.c.run_id == run_id, slots.c.key_id.in_(keys))
                    ids = list(connection.scalars(select(slots.c.trial_id).where(here)))
                    connection.execute(bury.where(trials.c.key_id.in_(ids), fresh))
                    if with_samples:
                        _forget_samples(connection, here)
                    _forget_evidence(connection, here)
                    if ids:
                        drop(connection, run_id)
                        touched.append(run_id)
        self._database.fold()
        for run_id in dict.fromkeys(touched):
            self._packing.pack(run_id)
        return known


def _forget_evidence(connection: Connection, here: ColumnElement[bool]) -> None:
    same_slot = and_(
        slots.c.run_id == evidence.c.run_id,
        slots.c.scenario == evidence.c.scenario,
        slots.c.candidate == evidence.c.candidate,
        slots.c.sample_id == evidence.c.sample_id,
        slots.c.variant == evidence.c.variant,
        slots.c.repeat == evidence.c.repeat,
    )
    connection.execute(
        delete(evidence).where(select(slots.c.key_id).where(here, same_slot).exists())
    )
    connection.execute(update(slots).where(here).values(answer=None))


def _forget_samples(connection: Connection, here: ColumnElement[bool]) -> None:
    for table in (samples, sample_history):
        same_sample = and_(
            slots.c.run_id == table.c.run_id,
            slots.c.scenario == table.c.scenario,
            slots.c.sample_id == table.c.sample_id,
        )
        asked = select(table.c.content).join(slots, same_sample).where(here)
        connection.execute(
            update(contents).where(contents.c.fingerprint.in_(asked)).values(body=None)
        )
