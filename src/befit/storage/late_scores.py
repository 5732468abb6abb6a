"""Scores that come after their answers: a scorer of the user's own may take its time, or hang.

Such answers are stored first, without scores; what the scorer says is added when it has
said it. Until then the slot is filled and unscored, and can be told from one that a scorer
could not judge: it has no evidence at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, bindparam, func, insert, select, update

from befit.core.landed import Landed
from befit.errors import StoreError
from befit.storage.database import Database
from befit.storage.packed import drop
from befit.storage.rows import (
    Place,
    Row,
    outcome,
    payload_chars,
    place_of,
    score_rows,
    scores_body,
)
from befit.storage.schema import evidence, runs, scores, slots, trials

_INSERT_SCORE = insert(scores)
_INSERT_EVIDENCE = insert(evidence)
_JUDGE = (
    update(slots)
    .where(
        slots.c.run_id == bindparam("at_run"),
        slots.c.scenario == bindparam("p0"),
        slots.c.candidate == bindparam("p1"),
        slots.c.sample_id == bindparam("p2"),
        slots.c.variant == bindparam("p3"),
        slots.c.repeat == bindparam("p4"),
    )
    .values(
        passed=bindparam("judged"), answer=bindparam("said"), payload_chars=bindparam("payload")
    )
)


class LateScores:
    """Writer of scores for slots that are filled already; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, run_id: str, batch: Sequence[Landed], /) -> None:
        """Add the scores of filled slots that have none yet; the others are left alone.

        Raises:
            StoreError: for a run the workspace does not have.
        """
        given = {place_of(landed.slot): landed for landed in batch if landed.scores}
        narrow: list[Row] = []
        whole: list[Row] = []
        judged: list[dict[str, object]] = []
        with self._database.write() as connection:
            scoring = connection.scalar(select(runs.c.scoring).where(runs.c.id == run_id))
            if scoring is None:
                raise StoreError(f"there is no run {run_id} in the workspace")
            for place, landed in given.items():
                waiting = (
                    select(trials.c.forgotten_at)
                    .join(slots, slots.c.trial_id == trials.c.key_id)
                    .where(_waits(run_id, scoring), _at(place))
                )
                row = connection.execute(waiting).first()
                if row is None:
                    continue
                gone = row.forgotten_at is not None
                verdict = outcome(landed.scores, forgotten=gone)
                payload = payload_chars(landed.scores)
                narrow.extend(score_rows(run_id, scoring, place, landed.scores))
                body = scores_body(() if gone else landed.scores)
                whole.append((run_id, scoring, *place, *verdict, body, payload))
                names = {f"p{i}": name for i, name in enumerate(place)}
                told = {"judged": verdict[0], "said": verdict[1], "payload": payload}
                judged.append({"at_run": run_id, **told, **names})
            self._database.insert(connection, _INSERT_SCORE, narrow)
            self._database.insert(connection, _INSERT_EVIDENCE, whole)
            if judged:
                drop(connection, run_id)
                connection.execute(_JUDGE, judged)

    def unscored(self, run_id: str, /) -> int:
        """Return how many answers of a run are stored and were never scored."""
        with self._database.read() as connection:
            scoring = connection.scalar(select(runs.c.scoring).where(runs.c.id == run_id))
            statement = (
                select(func.count())
                .select_from(slots.join(trials, slots.c.trial_id == trials.c.key_id))
                .where(_waits(run_id, scoring or 0), trials.c.forgotten_at.is_(None))
            )
            return connection.scalar(statement) or 0


def _waits(run_id: str, scoring: int) -> ColumnElement[bool]:
    """Whether a slot is filled and has no evidence in the pass of scoring that counts."""
    judged = select(evidence.c.run_id).where(
        evidence.c.run_id == slots.c.run_id,
        evidence.c.scoring == scoring,
        evidence.c.scenario == slots.c.scenario,
        evidence.c.candidate == slots.c.candidate,
        evidence.c.sample_id == slots.c.sample_id,
        evidence.c.variant == slots.c.variant,
        evidence.c.repeat == slots.c.repeat,
    )
    return and_(
        slots.c.run_id == run_id,
        slots.c.status != "missing",
        slots.c.passed.is_(None),
        ~judged.exists(),
    )


def _at(place: Place) -> ColumnElement[bool]:
    scenario, candidate, sample_id, variant, repeat = place
    return and_(
        slots.c.scenario == scenario,
        slots.c.candidate == candidate,
        slots.c.sample_id == sample_id,
        slots.c.variant == variant,
        slots.c.repeat == repeat,
    )
