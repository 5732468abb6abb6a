"""Trials as they land, and whole trials by key.

A commit looks at what stands already and writes what is new, both under the
write lock, so that batches may come twice, in any order and from several
processes. The first finished trial of a key stays. Where two runs measured the
same key at the same time, both answers were paid for: the second is kept
beside the first, for the slot it fills.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, insert, select, update

from befit.core.landed import Landed
from befit.core.trial import Slot, Trial
from befit.errors import StoreError
from befit.storage import schema
from befit.storage.database import Database
from befit.storage.rows import Place, Row, outcome, place_of, score_rows, scores_body, slot_row
from befit.storage.trial_record import read_trial, trial_body

_CHUNK = 500
"""Keys asked for in one statement."""

_slots = schema.slots.c
_trials = schema.trials.c
_INSERT_TRIAL = insert(schema.trials)
_INSERT_SLOT = insert(schema.slots)
_INSERT_SCORE = insert(schema.scores)
_INSERT_EVIDENCE = insert(schema.evidence)
_SCORING = select(schema.runs.c.scoring).where(schema.runs.c.id == bindparam("run"))
# Led by the trials' keys: asked of `slots` alone, SQLite would walk the whole run.
_BY_KEY = schema.trials.outerjoin(
    schema.slots, and_(_slots.run_id == bindparam("run"), _slots.key_id == _trials.key_id)
)
_STANDING = (
    select(
        _trials.key_id,
        _trials.finished,
        _trials.forgotten_at,
        _slots.status,
        _slots.scenario,
        _slots.candidate,
        _slots.sample_id,
        _slots.variant,
        _slots.repeat,
    )
    .select_from(_BY_KEY)
    .where(_trials.key_id.in_(bindparam("keys", expanding=True)))
)
_DROP_SLOT = delete(schema.slots).where(
    _slots.run_id == bindparam("run"),
    _slots.scenario == bindparam("p0"),
    _slots.candidate == bindparam("p1"),
    _slots.sample_id == bindparam("p2"),
    _slots.variant == bindparam("p3"),
    _slots.repeat == bindparam("p4"),
)
_DROP_TRIAL = delete(schema.trials).where(_trials.key_id == bindparam("key"))


@dataclass(slots=True, kw_only=True)
class _Standing:
    """What the store holds already of the keys of a batch."""

    scoring: int
    done: set[Place] = field(default_factory=set)
    missing: set[Place] = field(default_factory=set)
    finished: dict[str, bool] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class _Writes:
    """The rows of one commit."""

    trials: dict[str, tuple[bool, bytes]] = field(default_factory=dict)
    replaced_trials: set[str] = field(default_factory=set)
    replaced_slots: list[Place] = field(default_factory=list)
    slots: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)


class Trials:
    """Writer and reader of trials; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def trial(self, key_id: str, /) -> Trial | None:
        """Return the trial of a key, a missing one too; None if unknown or forgotten."""
        statement = select(_trials.body).where(_trials.key_id == key_id)
        with self._database.read() as connection:
            body = connection.scalar(statement)
        return None if body is None else read_trial(body)

    def trials(self, key_ids: Sequence[str], /) -> dict[str, Trial]:
        """Return the finished trials among `key_ids`, by key id."""
        found: dict[str, Trial] = {}
        with self._database.read() as connection:
            for keys in _chunks(key_ids):
                statement = select(_trials.key_id, _trials.body).where(
                    _trials.key_id.in_(keys), _trials.finished == 1, _trials.body.is_not(None)
                )
                found.update((key, read_trial(body)) for key, body in connection.execute(statement))
        return found

    def filled(self, run_id: str, key_ids: Sequence[str], /) -> set[str]:
        """Return those of `key_ids` whose slot in this run holds a finished trial."""
        found: set[str] = set()
        with self._database.read() as connection:
            for keys in _chunks(key_ids):
                rows = connection.execute(_STANDING, {"run": run_id, "keys": keys})
                found.update(row.key_id for row in rows if row.status not in {None, "missing"})
        return found

    def unfilled(self, run_id: str, slots: Sequence[Slot], /) -> list[Slot]:
        """Return those of `slots` that hold no finished trial in this run, in their order."""
        done: set[Place] = set()
        with self._database.read() as connection:
            for keys in _chunks([slot.key.id for slot in slots]):
                for _, _, _, status, *place in connection.execute(
                    _STANDING, {"run": run_id, "keys": keys}
                ):
                    if status not in {None, "missing"}:
                        done.add(tuple(place))
        return [slot for slot in slots if place_of(slot) not in done]

    def commit(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Store a batch in one transaction, or nothing of it. Idempotent.

        A slot that is filled is left alone; a missing one is replaced. Scores
        of a missing trial are not stored: it is not scored.

        Raises:
            StoreError: for a run the workspace does not have, or a database that refuses.
        """
        waiting: dict[Place, Landed] = {}
        for landed in batch:
            place = place_of(landed.slot)
            if place not in waiting or waiting[place].trial.status == "missing":
                waiting[place] = landed
        if not waiting:
            return
        # What takes the time is done before the lock is held.
        bodies = {
            place: trial_body(landed.trial)
            for place, landed in waiting.items()
            if not landed.reused
        }
        with self._database.write() as connection:
            standing = _standing(connection, run_id, waiting)
            writes = _Writes()
            for place, landed in waiting.items():
                if place not in standing.done:
                    body = bodies.get(place)
                    trial_id = _place_trial(connection, run_id, landed, body, standing, writes)
                    _fill(run_id, place, landed, trial_id, standing, writes)
            self._store(connection, run_id, writes)

    def _store(self, connection: Connection, run_id: str, writes: _Writes) -> None:
        if writes.replaced_trials:
            connection.execute(_DROP_TRIAL, [{"key": key} for key in writes.replaced_trials])
        if writes.replaced_slots:
            connection.execute(
                _DROP_SLOT,
                [
                    {"run": run_id, **{f"p{i}": name for i, name in enumerate(place)}}
                    for place in writes.replaced_slots
                ],
            )
        trials = [(key, int(done), None, body) for key, (done, body) in writes.trials.items()]
        put = self._database.insert
        put(connection, _INSERT_TRIAL, trials)
        put(connection, _INSERT_SLOT, writes.slots)
        put(connection, _INSERT_SCORE, writes.scores)
        put(connection, _INSERT_EVIDENCE, writes.evidence)

    def forget(self, key_ids: Sequence[str], /, *, with_samples: bool = False) -> int:
        """Drop all content of these trials for good, and return how many were known.

        Transcripts, answers, spans and explanations go; the narrow facts and
        score values stay, and a tombstone keeps the content from being stored
        again. `with_samples` drops the samples they were asked with, too.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        known = 0
        with self._database.write() as connection:
            for keys in _chunks(key_ids):
                tombstone = update(schema.trials).values(body=None, forgotten_at=now, finished=1)
                known += connection.execute(
                    tombstone.where(_trials.key_id.in_(keys), _trials.forgotten_at.is_(None))
                ).rowcount
                for run_id in connection.scalars(select(schema.runs.c.id)).all():
                    here = (_slots.run_id == run_id, _slots.key_id.in_(keys))
                    ids = list(connection.scalars(select(_slots.trial_id).where(*here)))
                    connection.execute(tombstone.where(_trials.key_id.in_(ids)))
                    _forget_evidence(connection, here)
                    if with_samples:
                        _forget_samples(connection, here)
        self._database.scrub()
        return known


def _standing(connection: Connection, run_id: str, waiting: dict[Place, Landed]) -> _Standing:
    scoring = connection.scalar(_SCORING, {"run": run_id})
    if scoring is None:
        raise StoreError(f"there is no run {run_id} in the workspace")
    keys = list({landed.slot.key.id for landed in waiting.values()})
    standing = _Standing(scoring=scoring)
    for key, finished, forgotten_at, status, *place in connection.execute(
        _STANDING, {"run": run_id, "keys": keys}
    ):
        standing.finished[key] = bool(finished)
        if forgotten_at is not None:
            standing.forgotten.add(key)
        if status is not None:
            (standing.missing if status == "missing" else standing.done).add(tuple(place))
    return standing


def _place_trial(
    connection: Connection,
    run_id: str,
    landed: Landed,
    body: bytes | None,
    standing: _Standing,
    writes: _Writes,
) -> str:
    """Decide what becomes of a trial beside what stands under its key; return its row's id."""
    key = landed.slot.key.id
    known = standing.finished.get(key)
    finished = landed.trial.status != "missing"
    if not known:
        if known is False and key not in writes.trials:
            writes.replaced_trials.add(key)
        writes.trials[key] = (finished, trial_body(landed.trial) if body is None else body)
        standing.finished[key] = finished
        return key
    if landed.reused or not finished or key in standing.forgotten:
        return key
    if key in writes.trials:
        first: bytes | None = writes.trials[key][1]
    else:
        first = connection.scalar(select(_trials.body).where(_trials.key_id == key))
    if first == body or body is None:
        return key
    rival = f"{key}~{run_id}"
    if rival not in writes.trials:
        stored = connection.scalar(select(_trials.key_id).where(_trials.key_id == rival))
        if stored is None:
            writes.trials[rival] = (True, body)
    return rival


def _fill(
    run_id: str,
    place: Place,
    landed: Landed,
    trial_id: str,
    standing: _Standing,
    writes: _Writes,
) -> None:
    if place in standing.missing:
        writes.replaced_slots.append(place)
    forgotten = trial_id in standing.forgotten
    writes.slots.append(slot_row(run_id, place, landed, trial_id=trial_id, forgotten=forgotten))
    if landed.trial.status == "missing" or not landed.scores:
        return
    writes.scores.extend(score_rows(run_id, standing.scoring, place, landed.scores))
    if not forgotten:
        passed, answer = outcome(landed.scores)
        body = scores_body(landed.scores)
        writes.evidence.append((run_id, standing.scoring, *place, passed, answer, body))


def _forget_evidence(connection: Connection, here: Sequence[ColumnElement[bool]]) -> None:
    evidence = schema.evidence.c
    connection.execute(
        delete(schema.evidence).where(
            select(_slots.key_id)
            .where(
                *here,
                _slots.run_id == evidence.run_id,
                _slots.scenario == evidence.scenario,
                _slots.candidate == evidence.candidate,
                _slots.sample_id == evidence.sample_id,
                _slots.variant == evidence.variant,
                _slots.repeat == evidence.repeat,
            )
            .exists()
        )
    )
    connection.execute(update(schema.slots).where(*here).values(answer=None))


def _forget_samples(connection: Connection, here: Sequence[ColumnElement[bool]]) -> None:
    samples = schema.samples.c
    asked = (
        select(samples.content)
        .join(
            schema.slots,
            (_slots.run_id == samples.run_id)
            & (_slots.scenario == samples.scenario)
            & (_slots.sample_id == samples.sample_id),
        )
        .where(*here)
    )
    connection.execute(
        update(schema.contents).where(schema.contents.c.fingerprint.in_(asked)).values(body=None)
    )


def _chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), _CHUNK):
        yield list(keys[start : start + _CHUNK])
