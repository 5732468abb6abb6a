"""Packs what a report reads of every trial, once a run has ended; see `packed`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import Select, func, select

from befit.core.landed import ScoreRow
from befit.core.run import scores_read
from befit.errors import StoreError
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.facts import chosen_scores
from befit.storage.packed import SCORES, Columns, Pieces
from befit.storage.runs import Runs
from befit.storage.schema import score_columns, slots
from befit.storage.slot_columns import SlotColumns

LEAST = 20_000
"""Filled slots from which on a run is packed; a smaller one is read as quickly without."""
_PACKED = Pieces(score_columns, SCORES)


class Packing:
    """Packer of runs, and reader of packed scores; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._slots = SlotColumns(database)
        self._runs = Runs(database)

    def pack(self, run_id: str, /, *, least: int = LEAST) -> None:
        """Pack what is not of a run that has at least so many filled slots.

        In short transactions, so that nobody waits for long. Nothing depends on it: a store
        that is full or busy is left as it is.
        """
        some = select(slots.c.run_id).where(slots.c.run_id == run_id).limit(least).subquery()
        with self._database.read() as connection:
            found = connection.scalar(select(func.count()).select_from(some)) or 0
        if found < least:
            return
        with suppress(StoreError):
            self._slots.pack(run_id)
            manifest = self._runs.manifest(run_id)
            for entry in manifest.scenarios:
                for name in scores_read(entry.spec, manifest.policy):
                    self._pack_scores(run_id, plain(entry.spec.name), name)

    def _pack_scores(self, run_id: str, scenario: str, name: str) -> None:
        key = {"run_id": run_id, "scenario": scenario, "name": name}
        with self._database.write() as connection:
            if not _PACKED.has(connection, key):
                rows = self._database.plain_rows(connection, _scores(key), {})
                _PACKED.write(connection, key, map(_columns, rows))

    def score_columns(
        self, run_id: str, scenario: str, names: Sequence[str], /
    ) -> Iterator[Columns]:
        """Stream whole-trial scores of a scenario as columns by the names of `ScoreRow`."""
        with self._database.read() as connection:
            for name in sorted(names):
                key = {"run_id": run_id, "scenario": plain(scenario), "name": plain(name)}
                packed = _PACKED.read(connection, key)
                if packed is not None:
                    yield from packed
                    continue
                rows = self._database.plain_rows(connection, _scores(key), {})
                yield from map(_columns, rows)


def _scores(key: dict[str, str]) -> Select[Any]:
    names = [key["name"]]
    return chosen_scores(key["run_id"], scenario=key["scenario"], names=names, whole_only=True)


def _columns(rows: Sequence[Any]) -> Columns:
    return dict(zip(ScoreRow._fields, zip(*rows, strict=True), strict=True))
