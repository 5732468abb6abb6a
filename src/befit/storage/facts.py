"""The narrow rows of a run, streamed, and the scores behind one of them.

Facts and scores come in a stable order: by scenario, candidate (facts) or
metric and candidate (scores), sample, variant and repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, func, or_, select

from befit.core.landed import Fact, ScoreRow
from befit.core.score import Score
from befit.storage.codec import plain
from befit.storage.database import Database
from befit.storage.rows import read_scores
from befit.storage.schema import evidence, runs, samples, scores, slots

_FACT = select(
    slots.c.candidate,
    slots.c.scenario,
    slots.c.sample_id,
    samples.c.cluster,
    func.coalesce(samples.c.kind, "typical"),
    samples.c.language,
    func.coalesce(samples.c.weight, 1.0),
    slots.c.variant,
    slots.c.repeat,
    slots.c.trial_id,
    slots.c.status,
    slots.c.failure,
    slots.c.reused,
    slots.c.attempts,
    slots.c.first_token,
    slots.c.first_output_token,
    slots.c.latency,
    slots.c.input_tokens,
    slots.c.output_tokens,
    slots.c.reasoning_tokens,
    slots.c.cost,
    slots.c.finish_reason,
    slots.c.served_model,
    slots.c.system_fingerprint,
    slots.c.started_at,
    slots.c.output_chars,
    slots.c.passed,
    slots.c.answer,
    slots.c.per_token,
    slots.c.calls,
    slots.c.waited,
    slots.c.retry_cost,
    slots.c.payload_chars,
    slots.c.route,
    slots.c.untold_tries,
).select_from(
    slots.outerjoin(
        samples,
        and_(
            samples.c.run_id == slots.c.run_id,
            samples.c.scenario == slots.c.scenario,
            samples.c.sample_id == slots.c.sample_id,
        ),
    )
)
_ORDER = (
    slots.c.run_id,
    slots.c.scenario,
    slots.c.candidate,
    slots.c.sample_id,
    slots.c.variant,
    slots.c.repeat,
)
_OF_TRIAL = (
    scores.c.name, scores.c.candidate, scores.c.sample_id, scores.c.variant, scores.c.repeat,
)  # fmt: skip
_REUSED = Fact._fields.index("reused")


class ScoreTotal(NamedTuple):
    """One metric of one candidate in one scenario, summed over all trials and parts."""

    scenario: str
    candidate: str
    name: str
    part: bool
    """Whether these are the parts (fields, instructions) rather than the whole."""
    n: int
    n_scored: int
    total: float
    """Sum of the scored values."""


class Facts:
    """Reader of narrow rows; one part of a `Workspace`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def facts(self, run_id: str, /) -> Iterator[Fact]:
        """Stream every filled slot of a run; memory does not grow with the run."""
        return self._facts(_FACT.where(slots.c.run_id == run_id).order_by(*_ORDER))

    def failing(
        self,
        run_id: str,
        /,
        *,
        candidate: str | None = None,
        scenario: str | None = None,
        limit: int = 100,
    ) -> list[Fact]:
        """Return the first `limit` slots which did not pass (missing and unscored: not among)."""
        statement = _FACT.where(
            slots.c.run_id == run_id,
            or_(slots.c.passed < 1, slots.c.status == "candidate_failure"),
        )
        if scenario is not None:
            statement = statement.where(slots.c.scenario == plain(scenario))
        if candidate is not None:
            statement = statement.where(slots.c.candidate == plain(candidate))
        return list(self._facts(statement.order_by(*_ORDER).limit(limit)))

    def missing(
        self, run_id: str, /, *, candidate: str | None = None, scenario: str | None = None
    ) -> dict[str, int]:
        """Return how many trials are missing, by kind of failure, the most frequent first."""
        many = func.count()
        statement = select(slots.c.failure, many).where(
            slots.c.run_id == run_id, slots.c.status == "missing"
        )
        if scenario is not None:
            statement = statement.where(slots.c.scenario == plain(scenario))
        if candidate is not None:
            statement = statement.where(slots.c.candidate == plain(candidate))
        grouped = statement.group_by(slots.c.failure).order_by(many.desc(), slots.c.failure)
        found = chain.from_iterable(self._database.stream_plain(grouped))
        return {kind or "unknown": int(count) for kind, count in found}

    def slots(self, run_id: str, scenario: str, sample_id: str, /) -> list[Fact]:
        """Return all filled slots of one sample: every candidate, variant and repeat."""
        statement = _FACT.where(
            slots.c.run_id == run_id,
            slots.c.scenario == plain(scenario),
            slots.c.sample_id == plain(sample_id),
        )
        return list(self._facts(statement.order_by(*_ORDER)))

    def scores(
        self,
        run_id: str,
        /,
        *,
        scenario: str | None = None,
        names: Sequence[str] | None = None,
        whole_only: bool = False,
    ) -> Iterator[ScoreRow]:
        """Stream the scores of a run, one row each; memory does not grow with the run."""
        chosen = chosen_scores(run_id, scenario=scenario, names=names, whole_only=whole_only)
        for rows in self._database.stream_plain(chosen):
            yield from map(ScoreRow._make, rows)

    def labelled(self, run_id: str, scenario: str, labels: Sequence[str], /) -> Iterator[ScoreRow]:
        """Stream the scores of a scenario that carry one of some labels and did not pass."""
        chosen = chosen_scores(run_id, scenario=scenario, names=None, whole_only=False).where(
            scores.c.label.in_([plain(label) for label in labels]),
            or_(scores.c.value.is_(None), scores.c.value < 1),
        )
        for rows in self._database.stream_plain(chosen):
            yield from map(ScoreRow._make, rows)

    def score_totals(self, run_id: str, /) -> list[ScoreTotal]:
        """Return counts and sums per scenario, candidate and metric, counted by the database."""
        c = scores.c
        part = c.part.is_not(None)
        statement = _current(
            select(
                c.scenario,
                c.candidate,
                c.name,
                part,
                func.count(),
                func.count(c.value),
                func.coalesce(func.sum(c.value), 0.0),
            ),
            run_id,
        ).group_by(c.scenario, c.name, c.candidate, part)
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
        return sorted(
            ScoreTotal(scenario, candidate, name, bool(parts), n, n_scored, total)
            for scenario, candidate, name, parts, n, n_scored, total in rows
        )

    def score_names(self, run_id: str, scenario: str, /) -> list[str]:
        """Return the names of the whole-trial scores of a scenario, without reading them all.

        A name is looked at in its first trial, so this takes as many steps as there are names.
        """
        c = scores.c
        found: list[str] = []
        last = ""
        with self._database.read() as connection:
            while True:
                chosen = chosen_scores(run_id, scenario=scenario, names=None, whole_only=False)
                first = connection.execute(chosen.where(c.name > last).limit(1)).mappings().first()
                if first is None:
                    return found
                last = str(first["name"])
                one = chosen.where(
                    *(column == first[column.name] for column in _OF_TRIAL),
                    c.part.is_(None),
                )
                if connection.execute(one.limit(1)).first() is not None:
                    found.append(last)

    def score_details(
        self,
        run_id: str,
        candidate: str,
        scenario: str,
        sample_id: str,
        variant: str,
        repeat: int,
        /,
    ) -> list[Score]:
        """Return the whole scores of one slot, evidence included; none if it was forgotten."""
        c = evidence.c
        statement = (
            select(c.body)
            .join(runs, and_(runs.c.id == c.run_id, runs.c.scoring == c.scoring))
            .where(
                c.run_id == run_id,
                c.scenario == plain(scenario),
                c.candidate == plain(candidate),
                c.sample_id == plain(sample_id),
                c.variant == plain(variant),
                c.repeat == repeat,
            )
        )
        with self._database.read() as connection:
            body = connection.scalar(statement)
        return [] if body is None else read_scores(body)

    def _facts(self, statement: Select[Any]) -> Iterator[Fact]:
        for rows in self._database.stream_plain(statement):
            columns = list(zip(*rows, strict=True))
            columns[_REUSED] = tuple(map(bool, columns[_REUSED]))
            yield from map(Fact._make, zip(*columns, strict=True))


def _current(statement: Select[Any], run_id: str) -> Select[Any]:
    """Keep to the pass of scoring that counts now."""
    current = select(runs.c.scoring).where(runs.c.id == run_id).scalar_subquery()
    return statement.where(scores.c.run_id == run_id, scores.c.scoring == current)


def chosen_scores(
    run_id: str, *, scenario: str | None, names: Sequence[str] | None, whole_only: bool
) -> Select[Any]:
    """Return the query for scores that count now, in the order in which they are kept."""
    c = scores.c
    statement = _current(
        select(
            c.candidate,
            c.scenario,
            c.sample_id,
            c.variant,
            c.repeat,
            c.scorer,
            c.name,
            c.part,
            c.value,
            c.label,
        ),
        run_id,
    )
    if scenario is not None:
        statement = statement.where(c.scenario == plain(scenario))
    if names is not None:
        statement = statement.where(c.name.in_([plain(name) for name in names]))
    if whole_only:
        statement = statement.where(c.part.is_(None))
    return statement.order_by(
        c.run_id,
        c.scoring,
        c.scenario,
        c.name,
        c.candidate,
        c.sample_id,
        c.variant,
        c.repeat,
        c.position,
    )
