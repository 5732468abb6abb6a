"""Every automatic score set against people's preference on the same two answers.

A score that cannot tell two answers apart says nothing about a preference; how
often it is silent stands beside how often it agrees where it speaks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from befit.core.estimate import Estimate, not_measured
from befit.review.rows import Row
from befit.stats.twoway import estimate_shared_mean

_SHOWN = 20
_SAME = 1e-9

Scores = Mapping[str, Mapping[str, tuple[float, float]]]
"""Vote id -> metric -> (score of x, score of y)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A pair on which most people prefer what the score puts lower."""

    scenario: str
    sample: str
    preferred: str
    """By people."""
    scored_higher: str
    votes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAgreement:
    """One automatic score against people."""

    metric: str
    agreement: Estimate
    """Of the decided votes on pairs which the score tells apart, those for the higher one."""
    silent: Estimate
    """Of the decided votes, those on pairs which the score cannot tell apart."""
    disagreements: tuple[Disagreement, ...]
    n_disagreements: int


def against_people(rows: Sequence[Row], scores: Scores) -> tuple[ScoreAgreement, ...]:
    """Return each metric's agreement with the votes that count, the best first."""
    metrics = sorted({name for found in scores.values() for name in found})
    made = [_metric(name, rows, scores) for name in metrics]
    return tuple(sorted(made, key=lambda one: -(one.agreement.value or 0.0)))


def _metric(name: str, rows: Sequence[Row], scores: Scores) -> ScoreAgreement:
    decided = [
        (row, *scores[row.id][name])
        for row in rows
        if row.outcome in {"left", "right"} and name in scores.get(row.id, {})
    ]
    told = [(row, x, y) for row, x, y in decided if abs(x - y) > _SAME]
    items = _disagreements(told)
    return ScoreAgreement(
        metric=name,
        agreement=_shared([float((row.outcome == "left") == (x > y)) for row, x, y in told],
                          [row for row, _, _ in told], why="the score tells no pair apart"),
        silent=_shared([float(abs(x - y) <= _SAME) for _, x, y in decided],
                       [row for row, _, _ in decided], why="no decided votes"),
        disagreements=tuple(items[:_SHOWN]),
        n_disagreements=len(items),
    )  # fmt: skip


def _shared(values: Sequence[float], rows: Sequence[Row], *, why: str) -> Estimate:
    if not values:
        return not_measured(why)
    return estimate_shared_mean(
        values, [row.sample or row.item for row in rows], [row.reviewer for row in rows]
    )


def _disagreements(told: Sequence[tuple[Row, float, float]]) -> list[Disagreement]:
    by_item: dict[str, list[tuple[Row, float, float]]] = defaultdict(list)
    for one in told:
        by_item[one[0].item].append(one)
    found = []
    for votes in by_item.values():
        row, x, y = votes[0]
        for_x = sum(one.outcome == "left" for one, _, _ in votes)
        against = len(votes) - for_x if x > y else for_x
        if 2 * against > len(votes):
            names = (row.x, row.y) if x > y else (row.y, row.x)
            found.append(
                Disagreement(
                    scenario=row.scenario, sample=row.sample, scored_higher=names[0],
                    preferred=names[1], votes=against,
                )
            )  # fmt: skip
    return sorted(found, key=lambda one: (-one.votes, one.scenario, one.sample))
