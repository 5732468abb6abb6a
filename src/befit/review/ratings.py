"""Who wins: win matrix, Bradley-Terry with and without style, rank letters.

A tie (both good or both bad) is half a win. A reviewer votes on many items and an
item is voted on by several reviewers, so errors are clustered both ways (Cameron,
Gelbach, Miller 2011): V = V_reviewer + V_item - V_both, with t(G - 1) of the fewer
clusters instead of the normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.review.rows import Row
from befit.stats.arrays import Floats
from befit.stats.bradleyterry import Ratings, fit_bradley_terry, style_difference
from befit.stats.distributions import t_value, z_value
from befit.stats.groups import compact_letters
from befit.stats.means import estimate_mean
from befit.stats.multiplicity import holm

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


def clustered_fit(rows: Sequence[Row], names: Sequence[str], *, style: bool = False) -> Ratings:
    """Fit Bradley-Terry with errors clustered by reviewer and by item.

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

    def fit(clusters: Sequence[str]) -> Ratings:
        return fit_bradley_terry(
            left, right, scores, candidates=len(names), covariates=extra, clusters=clusters
        )

    by_both = fit(both)
    groups = [(fit(one), len(set(one))) for one in (people, items) if len(set(one)) > 1]
    if not groups:
        return by_both
    total = sum((found.covariance for found, _ in groups), np.zeros_like(by_both.covariance))
    if len(groups) > 1:
        total = total - by_both.covariance
    # a difference of covariances need not be one: what is below the votes' own is raised to it
    total = _at_least(total, by_both.covariance)
    fewest = min(count for _, count in groups)
    widen = (t_value(_LEVEL, df=fewest - 1) / z_value(_LEVEL)) ** 2
    return replace(by_both, covariance=total * widen)


def _at_least(wanted: Floats, least: Floats) -> Floats:
    values, vectors = np.linalg.eigh(wanted - least)
    raised: Floats = least + (vectors * np.maximum(values, 0.0)) @ vectors.T
    return raised


def style_columns(rows: Sequence[Row]) -> Floats | None:
    """Return the (votes, styles) relative differences, standardised; None where none is known."""
    columns = []
    for name in STYLES:
        pairs = [row.style.get(name, (0.0, 0.0)) for row in rows]
        column = style_difference([one for one, _ in pairs], [two for _, two in pairs])
        columns.append(column)
    table = np.column_stack(columns)
    return table if bool(table.any()) else None


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
    found = [plain.difference(a, b) for a, b in pairs]
    adjusted = holm([p for _, p in found])
    table = np.zeros((len(names), len(names)), dtype=bool)
    for (a, b), p in zip(pairs, adjusted, strict=True):
        table[a, b] = table[b, a] = bool(p < 1 - _LEVEL)
    order = sorted(range(len(names)), key=lambda i: -float(plain.strengths[i]))
    letters = compact_letters(table, order=order)
    counts = _counts(rows)
    return Preference(
        strengths=tuple(
            Strength(
                candidate=names[i],
                rating=_estimate(plain, i, rows),
                letters=letters[i],
                win_rate=win_rate(rows, names[i]),
                styled=not_measured("the styles do not differ")
                if styled is None
                else _estimate(styled, i, rows),
            )
            for i in order
        ),
        contrasts=tuple(
            Contrast(
                a=names[a],
                b=names[b],
                difference=Estimate(
                    value=interval.value, low=interval.low, high=interval.high,
                    n_samples=counts[1], n_trials=len(rows), n_missing=0, method=interval.method,
                ),
                adjusted_p=float(p),
            )
            for (a, b), (interval, _), p in zip(pairs, found, adjusted, strict=True)
        ),
        wins=tuple(
            WinCell(row=a, column=b, rate=win_rate(rows, a, against=b))
            for a in names for b in names if a != b
        ),
        style=()
        if styled is None
        else tuple((STYLES[k], _effect(styled, len(names) + j, j, rows))
                   for j, k in enumerate(used)),
        connected=plain.connected,
        n_votes=len(rows),
        n_reviewers=counts[0],
        n_items=counts[1],
        ties=estimate_mean(
            [float(row.outcome in {"tie", "both_bad"}) for row in rows],
            n_trials=len(rows), n_missing=0, binary=True, clusters=[row.item for row in rows],
        ),
    )  # fmt: skip


def _styled(rows: Sequence[Row], names: Sequence[str]) -> tuple[Ratings | None, list[int]]:
    columns = style_columns(rows)
    if columns is None:
        return None, []
    used = [k for k in range(columns.shape[1]) if bool(columns[:, k].any())]
    return clustered_fit(rows, names, style=True), list(range(columns.shape[1])) if used else []


def _counts(rows: Sequence[Row]) -> tuple[int, int]:
    return len({row.reviewer for row in rows}), len({row.item for row in rows})


def _estimate(ratings: Ratings, index: int, rows: Sequence[Row]) -> Estimate:
    found = ratings.rating(index)
    return Estimate(
        value=found.value, low=found.low, high=found.high, n_samples=_counts(rows)[1],
        n_trials=len(rows), n_missing=0, method=found.method + ", by reviewer and item",
    )  # fmt: skip


def _effect(ratings: Ratings, index: int, place: int, rows: Sequence[Row]) -> Estimate:
    value, half = float(ratings.effects[place]), z_value(_LEVEL) * ratings.error(index)
    return Estimate(
        value=value, low=value - half, high=value + half, n_samples=_counts(rows)[1],
        n_trials=len(rows), n_missing=0, method="bradley-terry covariate",
    )  # fmt: skip


def win_rate(
    rows: Sequence[Row], name: str, *, against: str | None = None, level: float = _LEVEL
) -> Estimate:
    """Return how often a candidate is preferred, ties half; the wider of two clusterings."""
    mine = [
        row for row in rows
        if name in {row.x, row.y} and (against is None or against in {row.x, row.y})
    ]  # fmt: skip
    if not mine:
        return not_measured("no votes")
    scores = [worth(row) if row.x == name else 1 - worth(row) for row in mine]
    found = [
        estimate_mean(
            scores, n_trials=len(mine), n_missing=0, binary=False, clusters=clusters, level=level
        )
        for clusters in ([row.sample or row.item for row in mine], [row.reviewer for row in mine])
        if len(set(clusters)) > 1
    ]
    if not found:
        return estimate_mean(scores, n_trials=len(mine), n_missing=0, binary=False, level=level)
    widest = max(found, key=lambda one: (one.high or 1.0) - (one.low or 0.0))
    return replace(widest, n_samples=_counts(mine)[1])
