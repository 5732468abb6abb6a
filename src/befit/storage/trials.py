"""Whole trials by key, and which slots of a run are filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import and_, bindparam, select

from befit.core.trial import Slot, Trial
from befit.storage import schema
from befit.storage.database import Database
from befit.storage.rows import Place, place_of
from befit.storage.trial_record import read_trial

_CHUNK = 500
"""Keys asked for in one statement."""

_slots = schema.slots.c
_trials = schema.trials.c

# Led by the trials' keys: asked of `slots` alone, SQLite would walk the whole run.
STANDING = (
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
    .select_from(
        schema.trials.outerjoin(
            schema.slots, and_(_slots.run_id == bindparam("run"), _slots.key_id == _trials.key_id)
        )
    )
    .where(_trials.key_id.in_(bindparam("keys", expanding=True)))
)
"""What stands under `keys` in the workspace and in `run`: one row per slot, or one without."""


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
                statement = select(_trials.key_id, _trials.body).where(
                    _trials.key_id.in_(keys), _trials.finished == 1, _trials.body.is_not(None)
                )
                found.update((key, read_trial(body)) for key, body in connection.execute(statement))
        return found

    def filled(self, run_id: str, key_ids: Sequence[str], /) -> set[str]:
        """Return those of `key_ids` whose slot in this run holds a finished trial."""
        return {key for key, _ in self._filled(run_id, key_ids)}

    def unfilled(self, run_id: str, slots: Sequence[Slot], /) -> list[Slot]:
        """Return those of `slots` that hold no finished trial in this run, in their order."""
        done = {place for _, place in self._filled(run_id, [slot.key.id for slot in slots])}
        return [slot for slot in slots if place_of(slot) not in done]

    def _filled(self, run_id: str, key_ids: Sequence[str]) -> Iterator[tuple[str, Place]]:
        with self._database.read() as connection:
            for keys in chunks(key_ids):
                asked = {"run": run_id, "keys": keys}
                for key, _, _, status, *place in connection.execute(STANDING, asked):
                    if status not in {None, "missing"}:
                        yield key, tuple(place)


def chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    """Yield `keys` in lists short enough for one statement."""
    for start in range(0, len(keys), _CHUNK):
        yield list(keys[start : start + _CHUNK])
