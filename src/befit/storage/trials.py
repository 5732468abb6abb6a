"""Whole trials by key, and which slots of a run are filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, bindparam, select

from befit.core.trial import Slot, Trial
from befit.storage import schema
from befit.storage.database import Database
from befit.storage.rows import Place, place_of
from befit.storage.trial_record import read_trial

_CHUNK = 500
"""Keys asked for in one statement."""

_slots = schema.slots.c
_trials = schema.trials.c

_TRIALS = select(_trials.key_id, _trials.finished, _trials.forgotten_at).where(
    _trials.key_id.in_(bindparam("keys", expanding=True))
)
_BODIES = select(_trials.key_id, _trials.body).where(
    _trials.key_id.in_(bindparam("keys", expanding=True)),
    _trials.finished == bindparam("finished"),
    _trials.body.is_not(None),
)
_SLOTS = select(_slots.sample_id, _slots.variant, _slots.repeat, _slots.status).where(
    _slots.run_id == bindparam("run"),
    _slots.scenario == bindparam("scenario"),
    _slots.candidate == bindparam("candidate"),
    _slots.sample_id.in_(bindparam("ids", expanding=True)),
)
_IDS = _SLOTS.with_only_columns(_slots.sample_id, _slots.variant, _slots.repeat, _slots.trial_id)

SlotPlace: TypeAlias = tuple[str, str, str, str, int]
"""Candidate, scenario, sample id, variant, repeat: the place of a narrow row."""


def standing_trials(
    connection: Connection, key_ids: Sequence[str], /
) -> Iterator[tuple[str, int, str | None]]:
    """Yield (key id, finished, forgotten at) of those of `key_ids` that are in the store."""
    for keys in chunks(key_ids):
        yield from map(tuple, connection.execute(_TRIALS, {"keys": keys}))


def standing_slots(
    database: Database, connection: Connection, run_id: str, places: Iterable[Place], /
) -> Iterator[tuple[Place, str]]:
    """Yield the slots of a run that stand under the samples of `places`, with their status.

    Asked by the order in which the table is kept: no index of their keys is needed.
    """
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for scenario, candidate, sample_id, *_ in places:
        groups.setdefault((scenario, candidate), {})[sample_id] = None
    for (scenario, candidate), names in groups.items():
        for ids in chunks(list(names)):
            asked = {"run": run_id, "scenario": scenario, "candidate": candidate}
            rows = database.among(connection, _SLOTS, "ids", ids, **asked)
            for sample_id, variant, repeat, status in rows:
                yield (scenario, candidate, sample_id, variant, repeat), status


class Trials:
    """Reader of trials; one part of a `Workspace`."""

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
            for keys in chunks(key_ids):
                rows = self._database.among(connection, _BODIES, "keys", keys, finished=1)
                found.update((key, read_trial(body)) for key, body in rows)
        return found

    def ids(self, run_id: str, places: Sequence[SlotPlace], /) -> list[str | None]:
        """Return the id of the trial in each place of a run; None where the place is empty."""
        wanted: dict[tuple[str, str], dict[str, None]] = {}
        for candidate, scenario, sample_id, _, _ in places:
            wanted.setdefault((candidate, scenario), {})[sample_id] = None
        found: dict[SlotPlace, str] = {}
        with self._database.read() as connection:
            for (candidate, scenario), samples in wanted.items():
                for ids in chunks(list(samples)):
                    asked = {"run": run_id, "scenario": scenario, "candidate": candidate}
                    for sample_id, *rest, trial_id in connection.execute(
                        _IDS, {**asked, "ids": ids}
                    ):
                        found[candidate, scenario, sample_id, rest[0], rest[1]] = trial_id
        return [found.get(place) for place in places]

    def all_ids(self, run_id: str, /) -> Iterator[str]:
        """Stream the ids of the trials in a run's slots."""
        for rows in self._database.stream_plain(
            select(_slots.trial_id).where(_slots.run_id == run_id)
        ):
            yield from (trial_id for (trial_id,) in rows)

    def filled(self, run_id: str, key_ids: Sequence[str], /) -> set[str]:
        """Return those of `key_ids` whose slot in this run holds a finished trial.

        Walks the run: `unfilled` is the quicker question.
        """
        wanted = set(key_ids)
        statement = select(_slots.key_id).where(_slots.run_id == run_id, _slots.status != "missing")
        rows = self._database.stream_plain(statement)
        return {key for chunk in rows for (key,) in chunk if key in wanted}

    def unfilled(self, run_id: str, slots: Sequence[Slot], /) -> list[Slot]:
        """Return those of `slots` that hold no finished trial in this run, in their order."""
        places = [place_of(slot) for slot in slots]
        with self._database.read() as connection:
            standing = standing_slots(self._database, connection, run_id, places)
            done = {place for place, status in standing if status != "missing"}
        if not done:
            return list(slots)
        return [slot for slot, place in zip(slots, places, strict=True) if place not in done]


def chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    """Yield `keys` in lists short enough for one statement."""
    for start in range(0, len(keys), _CHUNK):
        yield list(keys[start : start + _CHUNK])
