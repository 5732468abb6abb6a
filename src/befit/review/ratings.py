"""Who wins: win matrix, Bradley-Terry with and without style, rank letters.

A tie (both good or both bad) is half a win. A reviewer votes on many items and an
item is voted on by several reviewers, so errors are clustered both ways
(`stats/twoway.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.review.rows import Row
from befit.stats.arrays import Floats
from befit.stats.bradleyterry import Ratings, fit_bradley_terry, style_difference
from befit.stats.distributions import t_tail, t_value
from befit.stats.groups import compact_letters
from befit.stats.multiplicity import holm
from befit.stats.twoway import combine, estimate_shared_mean

STYLES = ("characters", "headers", "bold", "lists")
_LEVEL = 0.95
_FEW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WinCell:
    """How often `row` is preferred to `column`; ties count half."""

    row: str
    column: str
    rate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """One candidate's rating against the mean of all, in log odds."""

    candidate: str
    rating: Estimate
    letters: str
    win_rate: Estimate
    """Against all others, each vote counting alike."""
    styled: Estimate
    """The rating once length, headers, bold print and lists are held equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Rating of a minus rating of b."""

    a: str
    b: str
    difference: Estimate
    adjusted_p: float
    """Holm over all pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """What the votes say of the candidates."""

    strengths: tuple[Strength, ...]
    """Best first."""
    contrasts: tuple[Contrast, ...]
    wins: tuple[WinCell, ...]
    style: tuple[tuple[str, Estimate], ...]
    """Style -> its effect on the log odds, per standard deviation."""
    connected: bool
    """False where somebody never lost to, or never met, the rest."""
    n_votes: int
    n_reviewers: int
    n_items: int
    ties: Estimate


def worth(row: Row) -> float:
    """Return what a judged vote is worth to x.

    Raises:
        ValueError: it could not be judged; such votes are missing, not a half.
    """
    if row.score is None:
        raise ValueError("a vote that could not be judged has no score")
    return row.score


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fit with errors by item and by reviewer."""

    ratings: Ratings
    by_item: Floats
    by_reviewer: Floats
    items: int
    reviewers: int

    def interval(self, weights: Floats) -> tuple[float, float, float, float]:
        """Return value, low, high and two-sided p of "0" of a weighted sum of coefficients."""
        beta = np.concatenate((self.ratings.strengths, self.ratings.effects))
        value = float(weights @ beta)

        def part(table: Floats) -> float:
            return max(0.0, float(weights @ table @ weights))

        spread = combine(
            part(self.by_item),
            part(self.by_reviewer),
            part(self.ratings.covariance),
            items=self.items,
            raters=self.reviewers,
        )
        error = sqrt(spread.variance)
        half = t_value(_LEVEL, df=spread.df) * error
        p = 2 * t_tail(abs(value) / error, df=spread.df) if error > 0 else 1.0
        return value, value - half, value + half, min(1.0, p)


def clustered_fit(rows: Sequence[Row], names: Sequence[str], *, style: bool = False) -> Fit:
    """Fit Bradley-Terry with errors clustered by item and by reviewer.

    Raises:
        ValueError: no votes.
    """
    place = {name: number for number, name in enumerate(names)}
    left = np.array([place[row.x] for row in rows])
    right = np.array([place[row.y] for row in rows])
    scores = [worth(row) for row in rows]
    extra = style_columns(rows) if style else None
    people = [row.reviewer for row in rows]
    items = [row.sample or row.item for row in rows]
    both = [f"{a}\x1f{b}" for a, b in zip(people, items, strict=True)]

    found = fit_bradley_terry(
        left, right, scores, candidates=len(names), covariates=extra, clusters=both
    )
    return Fit(
        ratings=found,
        by_item=found.clustered(items),
        by_reviewer=found.clustered(people),
        items=len(set(items)),
        reviewers=len(set(people)),
    )


def _styles(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the styles in which some pair differs."""
    return tuple(
        name for name in STYLES
        if any(one != two for one, two in (row.style.get(name, (0.0, 0.0)) for row in rows))
    )  # fmt: skip


def style_columns(rows: Sequence[Row]) -> Floats | None:
    """Return the (votes, styles) relative differences, standardised; None where none is known."""
    columns = []
    for name in _styles(rows):
        pairs = [row.style.get(name, (0.0, 0.0)) for row in rows]
        columns.append(style_difference([one for one, _ in pairs], [two for _, two in pairs]))
    return np.column_stack(columns) if columns else None


def preference(rows: Sequence[Row]) -> Preference | None:
    """Return what the votes say; None where there are none between two candidates.

    `rows` are work that was judged (`rows.work_of`), x and y already by name.
    """
    names = sorted({name for row in rows for name in (row.x, row.y)})
    if len(names) < _FEW:
        return None
    plain = clustered_fit(rows, names)
    styled, used = _styled(rows, names)
    pairs = list(combinations(range(len(names)), 2))
    found, adjusted = _told_apart(plain, pairs)
    table = np.zeros((len(names), len(names)), dtype=bool)
    for (a, b), p in zip(pairs, adjusted, strict=True):
        table[a, b] = table[b, a] = bool(p < 1 - _LEVEL)
    order = sorted(range(len(names)), key=lambda i: -float(plain.ratings.strengths[i]))
    letters = compact_letters(table, order=order)
    counts = _counts(rows)
    return Preference(
        strengths=tuple(
            Strength(
                candidate=names[i],
                rating=_rating(plain, i, rows),
                letters=letters[i],
                win_rate=win_rate(rows, names[i]),
                styled=not_measured("the styles do not differ")
                if styled is None
                else _rating(styled, i, rows),
            )
            for i in order
        ),
        contrasts=tuple(
            Contrast(
                a=names[a],
                b=names[b],
                difference=_told(value, low, high, rows, "bradley-terry difference"),
                adjusted_p=float(p),
            )
            for (a, b), (value, low, high, _), p in zip(pairs, found, adjusted, strict=True)
        ),
        wins=win_matrix(rows),
        style=()
        if styled is None
        else tuple((name, _effect(styled, len(names) + j, rows)) for j, name in enumerate(used)),
        connected=plain.ratings.connected,
        n_votes=len(rows),
        n_reviewers=counts[0],
        n_items=counts[1],
        ties=estimate_shared_mean(
            [float(row.outcome in {"tie", "both_bad"}) for row in rows],
            [row.item for row in rows], [row.reviewer for row in rows],
        ),
    )  # fmt: skip


def _told_apart(
    fit: Fit, pairs: Sequence[tuple[int, int]]
) -> tuple[list[tuple[float, float, float, float]], Floats]:
    """Return each pair's difference (value, low, high, p), and p by Holm over all pairs."""
    count = fit.ratings.strengths.size
    found = [fit.interval(_weights(count, a, b)) for a, b in pairs]
    return found, holm([p for _, _, _, p in found])


def told_apart(rows: Sequence[Row]) -> dict[tuple[str, str], bool]:
    """Return for (preferred, other) whether votes tell them apart: what `preference` says."""
    names = sorted({name for row in rows for name in (row.x, row.y)})
    if len(names) < _FEW:
        return {}
    pairs = list(combinations(range(len(names)), 2))
    found, adjusted = _told_apart(clustered_fit(rows, names), pairs)
    return {
        (names[a], names[b]) if value > 0 else (names[b], names[a]): bool(p < 1 - _LEVEL)
        for (a, b), (value, _, _, _), p in zip(pairs, found, adjusted, strict=True)
    }


def _styled(rows: Sequence[Row], names: Sequence[str]) -> tuple[Fit | None, tuple[str, ...]]:
    if style_columns(rows) is None:
        return None, ()
    return clustered_fit(rows, names, style=True), _styles(rows)


def _counts(rows: Sequence[Row]) -> tuple[int, int]:
    return len({row.reviewer for row in rows}), len({row.item for row in rows})


def _weights(count: int, a: int, b: int, *, extra: int = 0) -> Floats:
    weights = np.zeros(count + extra)
    weights[a], weights[b] = 1.0, -1.0
    return weights


def _told(value: float, low: float, high: float, rows: Sequence[Row], method: str) -> Estimate:
    return Estimate(
        value=value, low=low, high=high, n_samples=_counts(rows)[1], n_trials=len(rows),
        n_missing=0, method=f"{method}, errors by item and reviewer",
    )  # fmt: skip


def _rating(fit: Fit, index: int, rows: Sequence[Row]) -> Estimate:
    """Return a strength against the mean of all."""
    count = fit.ratings.strengths.size
    weights = np.zeros(count + fit.ratings.effects.size)
    weights[:count] = -1 / count
    weights[index] += 1.0
    value, low, high, _ = fit.interval(weights)
    return _told(value, low, high, rows, "bradley-terry")


def _effect(fit: Fit, index: int, rows: Sequence[Row]) -> Estimate:
    weights = np.zeros(fit.ratings.strengths.size + fit.ratings.effects.size)
    weights[index] = 1.0
    value, low, high, _ = fit.interval(weights)
    return _told(value, low, high, rows, "bradley-terry covariate")


def win_matrix(rows: Sequence[Row]) -> tuple[WinCell, ...]:
    """Return how often each candidate is preferred to each other it has met."""
    by_pair: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        one, two = sorted((row.x, row.y))
        by_pair.setdefault((one, two), []).append(row)
    found = []
    for (a, b), mine in sorted(by_pair.items()):
        rate = win_rate(mine, a)
        found += [WinCell(row=a, column=b, rate=rate), WinCell(row=b, column=a, rate=_other(rate))]
    return tuple(found)


def _other(rate: Estimate) -> Estimate:
    """Return the rate of the other side: every vote is won by one or shared."""
    if rate.value is None:
        return rate
    low = None if rate.high is None else 1 - rate.high
    high = None if rate.low is None else 1 - rate.low
    return replace(rate, value=1 - rate.value, low=low, high=high)


def win_rate(
    rows: Sequence[Row], name: str, *, against: str | None = None, level: float = _LEVEL
) -> Estimate:
    """Return how often a candidate is preferred, ties half."""
    mine = [
        row for row in rows
        if name in {row.x, row.y} and (against is None or against in {row.x, row.y})
    ]  # fmt: skip
    if not mine:
        return not_measured("no votes")
    scores = [worth(row) if row.x == name else 1 - worth(row) for row in mine]
    found = estimate_shared_mean(
        scores,
        [row.sample or row.item for row in mine],
        [row.reviewer for row in mine],
        level=level,
    )
    return replace(found, n_samples=_counts(mine)[1])
