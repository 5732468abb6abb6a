"""The samples a run was made of, as they stood in it; equal ones are stored once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from pydantic_core import PydanticSerializationError
from sqlalchemy import Connection, and_, bindparam, func, insert, literal, select, update

from befit.core.sample import Sample
from befit.storage.blocks import blob
from befit.storage.codec import pack, pack_json, plain, plain_or_none, unpack
from befit.storage.database import Database
from befit.storage.schema import contents, sample_history, samples

_CHUNK = 500
_HELD = select(samples.c.sample_id).where(
    samples.c.run_id == bindparam("run"),
    samples.c.scenario == bindparam("scenario"),
    samples.c.sample_id.in_(bindparam("ids", expanding=True)),
)
_COUNT = select(func.coalesce(func.max(samples.c.ordinal) + 1, 0)).where(
    samples.c.run_id == bindparam("run"), samples.c.scenario == bindparam("scenario")
)
_KNOWN = select(contents.c.fingerprint).where(
    contents.c.fingerprint.in_(bindparam("prints", expanding=True))
)
_INSERT_SAMPLE = insert(samples)
_INSERT_CONTENT = insert(contents)


class Samples:
    """Writer and reader of samples; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run_id: str, scenario: str, batch: Sequence[Sample], /) -> None:
        """Store samples of a run, in this order after those it has; known ids are left alone."""
        for start in range(0, len(batch), _CHUNK):
            self._put(run_id, plain(scenario), batch[start : start + _CHUNK])

    def _put(self, run_id: str, scenario: str, batch: Sequence[Sample]) -> None:
        records = {plain(sample.id): (sample, *sample_record(sample)) for sample in batch}
        bodies = {key: body for _, key, body in records.values()}
        # Mostly all is new, and looking costs more than the tables' own refusal.
        if self._database.write_new(
            lambda connection: self._insert(connection, run_id, scenario, records, bodies)
        ):
            return
        among = self._database.among
        with self._database.write() as connection:
            where = {"run": run_id, "scenario": scenario}
            for (held,) in among(connection, _HELD, "ids", list(records), **where):
                records.pop(held)
            if not records:
                return
            bodies = {key: body for _, key, body in records.values()}
            for (key,) in among(connection, _KNOWN, "prints", list(bodies)):
                bodies.pop(key)
            self._insert(connection, run_id, scenario, records, bodies)

    def _insert(
        self,
        connection: Connection,
        run_id: str,
        scenario: str,
        records: Mapping[str, tuple[Sample, str, bytes]],
        bodies: Mapping[str, bytes],
    ) -> None:
        """Insert samples by their id, and contents by their hash, all of them new."""
        first = connection.scalar(_COUNT, {"run": run_id, "scenario": scenario}) or 0
        rows = [
            (
                run_id,
                scenario,
                sample_id,
                ordinal,
                sample.kind,
                plain_or_none(sample.language),
                plain_or_none(sample.cluster),
                sample.weight,
                key,
            )
            for ordinal, (sample_id, (sample, key, _)) in enumerate(records.items(), first)
        ]
        made = [(key, blob(body)) for key, body in bodies.items()]
        self._database.insert(connection, _INSERT_CONTENT, made)
        self._database.insert(connection, _INSERT_SAMPLE, rows)

    def amend(
        self,
        connection: Connection,
        run_id: str,
        scenario: str,
        batch: Sequence[Sample],
        /,
        *,
        scoring: int,
    ) -> None:
        """Put `batch` in the place of the run's samples of those ids, inside a transaction.

        What they were is kept as what pass `scoring` was judged by.
        """
        bodies = dict(sample_record(sample) for sample in batch)
        for keys in _chunks(list(bodies)):
            for key in connection.scalars(_KNOWN, {"prints": keys}).all():
                bodies.pop(key)
        self._database.insert(connection, _INSERT_CONTENT, list(bodies.items()))
        for sample in batch:
            here = and_(
                samples.c.run_id == run_id,
                samples.c.scenario == plain(scenario),
                samples.c.sample_id == plain(sample.id),
            )
            past = select(
                samples.c.run_id,
                literal(scoring),
                samples.c.scenario,
                samples.c.sample_id,
                samples.c.content,
            )
            connection.execute(
                insert(sample_history).from_select(
                    [column.name for column in sample_history.columns], past.where(here)
                )
            )
            connection.execute(
                update(samples)
                .where(here)
                .values(
                    kind=sample.kind,
                    language=plain_or_none(sample.language),
                    cluster=plain_or_none(sample.cluster),
                    weight=sample.weight,
                    content=sample_record(sample)[0],
                )
            )

    def earlier(self, run_id: str, scenario: str, sample_id: str, /) -> list[tuple[int, Sample]]:
        """Return what a sample was before, each with the last pass of scoring it was judged in."""
        history = sample_history.c
        statement = (
            select(history.scoring, contents.c.body)
            .join(contents, history.content == contents.c.fingerprint)
            .where(
                history.run_id == run_id,
                history.scenario == plain(scenario),
                history.sample_id == plain(sample_id),
                contents.c.body.is_not(None),
            )
            .order_by(history.scoring)
        )
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        return [(scoring, read_sample(body)) for scoring, body in rows]

    def samples(self, run_id: str, scenario: str, /) -> Iterator[Sample]:
        """Stream the samples of a run in the order they came; forgotten ones are left out."""
        statement = (
            select(contents.c.body)
            .join(samples, samples.c.content == contents.c.fingerprint)
            .where(
                samples.c.run_id == run_id,
                samples.c.scenario == plain(scenario),
                contents.c.body.is_not(None),
            )
            .order_by(samples.c.ordinal, samples.c.sample_id)
        )
        for rows in self._database.stream(statement):
            for (body,) in rows:
                yield read_sample(body)

    def sample(self, run_id: str, scenario: str, sample_id: str, /) -> Sample | None:
        """Return one sample as it stood in a run; None if it has none, or it was forgotten."""
        statement = (
            select(contents.c.body)
            .join(samples, samples.c.content == contents.c.fingerprint)
            .where(
                samples.c.run_id == run_id,
                samples.c.scenario == plain(scenario),
                samples.c.sample_id == plain(sample_id),
            )
        )
        with self._database.read() as connection:
            body = connection.scalar(statement)
        return None if body is None else read_sample(body)


def _chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), _CHUNK):
        yield list(keys[start : start + _CHUNK])


def sample_record(sample: Sample) -> tuple[str, bytes]:
    """Return a sample's content hash and body."""
    try:
        raw = sample.model_dump_json().encode()
    except PydanticSerializationError:  # lone surrogates
        body = pack(sample.model_dump(mode="json"))
    else:
        body = pack_json(raw)
    return hashlib.blake2b(body, digest_size=16).hexdigest(), body


def read_sample(body: bytes) -> Sample:
    """Return the sample of a stored body."""
    return Sample.model_validate(unpack(body))
