"""Trials as they land: one commit is one transaction.

Nearly always everything in a batch is new, so it is written without looking; the
unique keys of the tables refuse the transaction where it is not. Only then a
second one looks at what stands already and writes what is new. Both work under
the write lock, so that batches may come twice, in any order and from several
processes. The first finished trial of a key stays. Where two runs measured the
same key at the same time, both answers were paid for: the second is kept
beside the first, for the slot it fills.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from sqlalchemy import Connection, bindparam, delete, insert, select

from befit.core.landed import Landed
from befit.core.untold import Untold
from befit.errors import StoreError
from befit.storage import schema
from befit.storage.blocks import blob
from befit.storage.database import Database
from befit.storage.driver import ask, mark
from befit.storage.packed import drop
from befit.storage.rows import (
    Place,
    Row,
    outcome,
    payload_chars,
    place_of,
    score_rows,
    scores_body,
    slot_row,
)
from befit.storage.trial_record import trial_body
from befit.storage.trials import standing_slots, standing_trials
from befit.storage.untold import add_untold

_slots = schema.slots.c
_trials = schema.trials.c
_INSERT_TRIAL = insert(schema.trials)
_INSERT_SLOT = insert(schema.slots)
_INSERT_SCORE = insert(schema.scores)
_INSERT_EVIDENCE = insert(schema.evidence)
_SCORING = "SELECT scoring FROM runs WHERE id = "
_BODY = select(_trials.key_id, _trials.body).where(_trials.key_id == bindparam("key"))
_DROP_TRIAL = delete(schema.trials).where(_trials.key_id == bindparam("key"))
_HERE = (
    _slots.run_id == bindparam("run"),
    _slots.scenario == bindparam("p0"),
    _slots.candidate == bindparam("p1"),
    _slots.sample_id == bindparam("p2"),
    _slots.variant == bindparam("p3"),
    _slots.repeat == bindparam("p4"),
)
_DROP_SLOT = delete(schema.slots).where(*_HERE)
_COST = select(_slots.cost).where(*_HERE, _slots.started_at != bindparam("new"))


@dataclass(slots=True, kw_only=True)
class _Arrival:
    """One landed slot; what takes the time is made before the lock is held."""

    key: str
    landed: Landed
    finished: bool
    body: bytes | None
    """None for a reused trial, which the store has already."""


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
    replaced_slots: dict[Place, float] = field(default_factory=dict)
    """With the time at which the trial began that takes the place."""
    slots: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)


class Landing:
    """Writer of trials, slots and scores; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def commit(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Store a batch in one transaction, or nothing of it. Idempotent.

        A slot that is filled is left alone; a missing one is replaced. Scores
        of a missing trial are not stored: it is not scored.

        Raises:
            StoreError: for a run the workspace does not have, or a database that refuses.
        """
        arrivals: dict[Place, _Arrival] = {}
        for landed in batch:
            place = place_of(landed.slot)
            if place not in arrivals or not arrivals[place].finished:
                arrivals[place] = _arrival(landed)
        if not arrivals or self._all_new(run_id, arrivals):
            return
        with self._database.write() as connection:
            standing = _standing(self._database, connection, run_id, arrivals)
            commit = _Commit(connection, run_id, standing)
            for place, arrival in arrivals.items():
                commit.add(place, arrival)
            self._store(connection, run_id, commit.writes)

    def _all_new(self, run_id: str, arrivals: dict[Place, _Arrival]) -> bool:
        """Store a batch as if nothing of it stood; False, and nothing stored, where some does."""
        if any(arrival.body is None for arrival in arrivals.values()):
            return False

        def work(connection: Connection) -> None:
            standing = _Standing(scoring=_scoring(connection, run_id))
            commit = _Commit(connection, run_id, standing)
            for place, arrival in arrivals.items():
                commit.add(place, arrival)
            self._store(connection, run_id, commit.writes)

        return self._database.write_new(work)

    def _store(self, connection: Connection, run_id: str, writes: _Writes) -> None:
        drop(connection, run_id)
        if writes.replaced_trials:
            connection.execute(_DROP_TRIAL, [{"key": key} for key in writes.replaced_trials])
        if writes.replaced_slots:
            places = [
                {"run": run_id, "new": began, **{f"p{i}": name for i, name in enumerate(place)}}
                for place, began in writes.replaced_slots.items()
            ]
            _keep_costs(connection, run_id, places)
            connection.execute(_DROP_SLOT, places)
        trials = [(key, int(done), None, blob(body)) for key, (done, body) in writes.trials.items()]
        put = self._database.insert
        put(connection, _INSERT_TRIAL, trials)
        put(connection, _INSERT_SLOT, writes.slots)
        put(connection, _INSERT_SCORE, writes.scores)
        put(connection, _INSERT_EVIDENCE, writes.evidence)


class _Commit:
    """Turns arrivals into rows beside what stands already."""

    def __init__(self, connection: Connection, run_id: str, standing: _Standing) -> None:
        self._connection = connection
        self._run_id = run_id
        self._standing = standing
        self.writes = _Writes()

    def add(self, place: Place, arrival: _Arrival) -> None:
        """Add the rows of one slot, unless it is filled."""
        standing, writes, landed = self._standing, self.writes, arrival.landed
        if place in standing.done:
            return
        if place in standing.missing:
            writes.replaced_slots[place] = landed.trial.started_at
        trial_id = self._trial(arrival)
        forgotten = trial_id in standing.forgotten
        scores = landed.scores if arrival.finished else ()
        judged = outcome(scores, forgotten=forgotten)
        payload = payload_chars(scores)
        writes.slots.append(
            slot_row(
                (self._run_id, *place, arrival.key, trial_id),
                landed.trial,
                reused=landed.reused,
                judged=judged,
                payload=payload,
            )
        )
        if scores:
            head = (self._run_id, standing.scoring, *place)
            writes.scores.extend(score_rows(self._run_id, standing.scoring, place, scores))
            if not forgotten:
                writes.evidence.append((*head, *judged, blob(scores_body(scores)), payload))

    def _trial(self, arrival: _Arrival) -> str:
        """Decide what becomes of the trial itself; return the id of its row."""
        standing, writes, key = self._standing, self.writes, arrival.key
        known = standing.finished.get(key)
        if not known:
            if known is False and key not in writes.trials:
                writes.replaced_trials.add(key)
            body = trial_body(arrival.landed.trial) if arrival.body is None else arrival.body
            writes.trials[key] = (arrival.finished, body)
            standing.finished[key] = arrival.finished
            return key
        if arrival.body is None or not arrival.finished or key in standing.forgotten:
            return key
        if arrival.body == self._stored(key):
            return key
        rival = f"{key}~{self._run_id}"
        if self._stored(rival) is None:
            writes.trials[rival] = (True, arrival.body)
        return rival

    def _stored(self, trial_id: str) -> bytes | None:
        if trial_id in self.writes.trials:
            return self.writes.trials[trial_id][1]
        row = self._connection.execute(_BODY, {"key": trial_id}).first()
        return None if row is None else row.body


def _keep_costs(connection: Connection, run_id: str, places: list[dict[str, object]]) -> None:
    """Keep what slots have cost that are about to be replaced: it was paid all the same.

    The same trial once more (a batch may come twice) has cost nothing anew.
    """
    spent: defaultdict[str, Decimal] = defaultdict(Decimal)
    for place in places:
        cost = connection.scalar(_COST, place)
        if cost:
            spent[str(place["p1"])] += Decimal(repr(cost))
    for candidate, cost in spent.items():
        add_untold(connection, run_id, candidate, Untold(spent=cost))


def _arrival(landed: Landed) -> _Arrival:
    return _Arrival(
        key=landed.slot.key.id,
        landed=landed,
        finished=landed.trial.status != "missing",
        body=None if landed.reused else trial_body(landed.trial),
    )


def _scoring(connection: Connection, run_id: str) -> int:
    found = ask(connection, _SCORING + mark(connection), (run_id,))
    if not found:
        raise StoreError(f"there is no run {run_id} in the workspace")
    scoring: int = found[0][0]
    return scoring


def _standing(
    database: Database, connection: Connection, run_id: str, arrivals: dict[Place, _Arrival]
) -> _Standing:
    standing = _Standing(scoring=_scoring(connection, run_id))
    keys = list({arrival.key for arrival in arrivals.values()})
    for key, finished, forgotten_at in standing_trials(connection, keys):
        standing.finished[key] = bool(finished)
        if forgotten_at is not None:
            standing.forgotten.add(key)
    for place, status in standing_slots(database, connection, run_id, arrivals):
        (standing.missing if status == "missing" else standing.done).add(place)
    return standing
