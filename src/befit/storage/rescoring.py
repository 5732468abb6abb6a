"""Scoring a run again without calling a model: the new scores take the place of the old at once.

The new pass is written beside the old one in short transactions, so nobody
waits and memory stays flat; one last step makes it the pass that counts. A
pass that was cut off is never seen, and is swept by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, delete, insert, select, update

from befit.core.score import Score
from befit.core.trial import Slot
from befit.errors import StoreError
from befit.storage.database import Database
from befit.storage.packed import drop
from befit.storage.packing import Packing
from befit.storage.rows import Row, outcome, payload_chars, place_of, score_rows, scores_body
from befit.storage.schema import evidence, runs, scores, slots, trials

Amend = Callable[[Connection, int], None]
"""Changes what a run says of itself, given the pass of scoring that ends."""

_INSERT_SCORE = insert(scores)
_INSERT_EVIDENCE = insert(evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """The new scores of one slot, complete: they replace all it had."""

    slot: Slot
    scores: tuple[Score, ...]


class Rescoring:
    """Writer of a new pass of scoring; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._packing = Packing(database)

    def replace_scores(
        self,
        run_id: str,
        batches: Iterable[Sequence[Rescored]],
        /,
        *,
        amend: Amend | None = None,
    ) -> None:
        """Replace all scores of a run by those of `batches`, all or nothing.

        A slot that is not in `batches` is unscored afterwards. Call while
        holding the run (`Workspace.hold`): what another process commits to the
        run meanwhile would be unscored, too. `amend` is called in the
        transaction that makes the new scores count, with the number of the pass
        that ends: what the run says of itself changes with them or not at all.

        Raises:
            StoreError: for an unknown run. Whatever `batches` raises is passed on,
                and the old scores stand.
        """
        with self._database.write() as connection:
            current = connection.scalar(select(runs.c.scoring).where(runs.c.id == run_id))
            if current is None:
                raise StoreError(f"there is no run {run_id} in the workspace")
            _sweep(connection, run_id, keep=current)
        scoring = current + 1
        for batch in batches:
            self._write(run_id, scoring, batch)
        with self._database.write() as connection:
            if amend is not None:
                amend(connection, current)
            _make_current(connection, run_id, scoring)
            _sweep(connection, run_id, keep=scoring)
        self._packing.pack(run_id)

    def _write(self, run_id: str, scoring: int, batch: Sequence[Rescored]) -> None:
        narrow: list[Row] = []
        whole: list[Row] = []
        keys = [rescored.slot.key.id for rescored in batch]
        with self._database.write() as connection:
            buried = select(trials.c.key_id).where(
                trials.c.key_id.in_(keys), trials.c.forgotten_at.is_not(None)
            )
            forgotten = set(connection.scalars(buried))
            for key, rescored in zip(keys, batch, strict=True):
                place = place_of(rescored.slot)
                gone = key in forgotten
                narrow.extend(score_rows(run_id, scoring, place, rescored.scores))
                whole.append(
                    (
                        run_id,
                        scoring,
                        *place,
                        *outcome(rescored.scores, forgotten=gone),
                        scores_body(() if gone else rescored.scores),
                        payload_chars(rescored.scores),
                    )
                )
            self._database.insert(connection, _INSERT_SCORE, narrow)
            self._database.insert(connection, _INSERT_EVIDENCE, whole)


def _make_current(connection: Connection, run_id: str, scoring: int) -> None:
    drop(connection, run_id)
    here = and_(slots.c.run_id == run_id, slots.c.status != "missing")
    connection.execute(
        update(slots).where(here).values(passed=None, answer=None, payload_chars=None)
    )
    connection.execute(
        update(slots)
        .where(
            here,
            evidence.c.run_id == slots.c.run_id,
            evidence.c.scoring == scoring,
            evidence.c.scenario == slots.c.scenario,
            evidence.c.candidate == slots.c.candidate,
            evidence.c.sample_id == slots.c.sample_id,
            evidence.c.variant == slots.c.variant,
            evidence.c.repeat == slots.c.repeat,
        )
        .values(
            passed=evidence.c.passed,
            answer=evidence.c.answer,
            payload_chars=evidence.c.payload_chars,
        )
    )
    connection.execute(update(runs).where(runs.c.id == run_id).values(scoring=scoring))


def _sweep(connection: Connection, run_id: str, *, keep: int) -> None:
    """Delete every other pass of scoring of the run."""
    for table in (scores, evidence):
        connection.execute(delete(table).where(table.c.run_id == run_id, table.c.scoring != keep))
