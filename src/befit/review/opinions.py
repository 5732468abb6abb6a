"""Why: tags and comments by candidate, rubric scores by candidate and row, guesses of identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from befit.core.estimate import Estimate
from befit.review.agreeing import value_alpha
from befit.review.quality import rate
from befit.review.records import Guess, Side
from befit.review.rows import Row
from befit.review.settings import RubricRow
from befit.stats.distributions import binomial_cdf
from befit.stats.twoway import estimate_shared_mean

_STEPS = 3
"""From the worst anchor to the best."""
_QUOTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """How often a tag was given to a candidate's answers."""

    candidate: str
    tag: str
    share: Estimate
    """Of the judged answers of this candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment, quoted; hostile text like all that people or models write.

    `candidate` is the preferred one, where one was.
    """

    candidate: str
    against: str
    verdict: str
    text: str
    scenario: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricScore:
    """One candidate on one row, on the scale 1..4, and by scenario on 0..1."""

    candidate: str
    row: str
    scenario: str
    """"" is all scenarios."""
    score: Estimate
    """0..1: the worst anchor is 0, the best is 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricAgreement:
    """How far reviewers agree on a row (alpha, ordinal)."""

    row: str
    alpha: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessing:
    """Whether reviewers could tell who is who."""

    right: Estimate
    """Of the guesses made."""
    chance: float
    no_idea: Estimate
    p_value: float | None
    """Of "no better than chance", two-sided."""


def sides_of(row: Row) -> tuple[tuple[str, Side], ...]:
    """Return (candidate, side shown) of a row's answers."""
    x: Side = "right" if row.flipped and row.y else "left"
    y: Side = "left" if x == "right" else "right"
    return ((row.x, x), (row.y, y)) if row.y else ((row.x, x),)


def reasons(rows: Sequence[Row]) -> tuple[Reason, ...]:
    """Return the share of each candidate's judged answers that got each tag, by count."""
    seen: Counter[str] = Counter()
    given: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for candidate, side in sides_of(row):
            seen[candidate] += 1
            tags = {t.tag for t in row.ballot.tags if t.side in {side, "both"}}
            given.update((candidate, tag) for tag in tags)
    return tuple(
        Reason(candidate=who, tag=tag, share=rate(count, seen[who], why=""))
        for (who, tag), count in sorted(given.items(), key=lambda one: (-one[1], one[0]))
    )


def comments(rows: Sequence[Row], *, most: int = _QUOTES) -> tuple[Comment, ...]:
    """Return some comments on each candidate, the longest first, each comment once."""
    found: list[Comment] = []
    told: Counter[str] = Counter()
    for row in sorted(rows, key=lambda one: -len(one.ballot.comment)):
        text = row.ballot.comment.strip()
        if not text or min(told[who] for who, _ in sides_of(row)) >= most:
            continue
        told.update(who for who, _ in sides_of(row))
        first = row.y if row.outcome == "right" else row.x
        found.append(
            Comment(
                candidate=first,
                against=row.y if first == row.x else row.x,
                verdict=_said(row, first),
                text=text,
                scenario=row.scenario,
            )
        )
    return tuple(sorted(found, key=lambda one: one.candidate))


def _said(row: Row, candidate: str) -> str:
    if row.outcome not in {"left", "right"}:
        return (row.outcome or "rated").replace("_", " ")
    return "preferred" if (row.outcome == "left") == (candidate == row.x) else "not preferred"


def _ratings(rows: Sequence[Row], name: str) -> list[tuple[Row, str, float]]:
    return [
        (row, candidate, float(value))
        for row in rows
        for candidate, side in sides_of(row)
        if (value := row.ballot.rubric.get(name, {}).get(side)) is not None
    ]


def rubric_scores(rows: Sequence[Row], rubric: Sequence[RubricRow]) -> tuple[RubricScore, ...]:
    """Return the mean of each candidate on each row: over all scenarios, and for each."""
    found = []
    for line in rubric:
        rated = _ratings(rows, line.name)
        for candidate in sorted({who for _, who, _ in rated}):
            mine = [(row, value) for row, who, value in rated if who == candidate]
            for scenario in ("", *sorted({row.scenario for row, _ in mine})):
                part = [(r, v) for r, v in mine if scenario in {"", r.scenario}]
                found.append(
                    RubricScore(
                        candidate=candidate, row=line.name, scenario=scenario,
                        score=scaled_mean(part),
                    )
                )  # fmt: skip
    return tuple(found)


def lowest_rows(
    rows: Sequence[Row], rubric: Sequence[RubricRow]
) -> dict[tuple[str, str], Estimate]:
    """Return (scenario, candidate) -> its lowest row: what a minimum is held against."""
    found: dict[tuple[str, str], Estimate] = {}
    for one in rubric_scores(rows, rubric):
        if not one.scenario or one.score.value is None:
            continue
        place = (one.scenario, one.candidate)
        known = found.get(place)
        if known is None or (known.value or 0.0) > one.score.value:
            found[place] = one.score
    return found


def scaled_mean(rated: Sequence[tuple[Row, float]]) -> Estimate:
    """Return the mean on 0..1, errors by sample and by reviewer."""
    return estimate_shared_mean(
        [(value - 1) / _STEPS for _, value in rated],
        [row.sample or row.item for row, _ in rated],
        [row.reviewer for row, _ in rated],
    )


def rubric_agreement(
    rows: Sequence[Row], rubric: Sequence[RubricRow]
) -> tuple[RubricAgreement, ...]:
    """Return how far reviewers agree on each row; a unit is one answer in one item."""
    found = []
    for line in rubric:
        rated = [(r.reviewer, f"{r.item} {who}", v) for r, who, v in _ratings(rows, line.name)]
        if rated:
            found.append(RubricAgreement(row=line.name, alpha=value_alpha(rated, level="ordinal")))
    return tuple(found)


def guessing(guesses: Sequence[Guess], rows: Sequence[Row], *, names: Sequence[str]) -> Guessing:
    """Return how often "which model is it?" was answered rightly, against chance."""
    by_id = {row.id: row for row in rows}
    told = [(guess, by_id[guess.assignment]) for guess in guesses if guess.assignment in by_id]
    named = [(guess, row) for guess, row in told if guess.named]
    right = sum(_side(row, guess.side) == guess.named for guess, row in named)
    chance = 1 / len(names) if names else 0.0
    return Guessing(
        right=rate(right, len(named), why="nobody named a model"),
        chance=chance,
        no_idea=rate(len(told) - len(named), len(told), why="nobody was asked"),
        p_value=_two_sided(right, n=len(named), p=chance) if named else None,
    )


def _two_sided(k: int, *, n: int, p: float) -> float:
    below = binomial_cdf(k, n=n, p=p)
    above = 1.0 - (binomial_cdf(k - 1, n=n, p=p) if k else 0.0)
    return min(1.0, 2 * min(below, above))


def _side(row: Row, side: Literal["left", "right"]) -> str:
    return next((who for who, shown in sides_of(row) if shown == side), "")
