"""The frontier over quality, cost per successful task and latency, with its doubt.

A candidate leaves it only where another is no worse on any count and a
corrected paired test says that it is better on one. Beside that stands the
bootstrap probability of lying on the frontier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.decide.evidence import ScenarioEvidence
from befit.decide.savings import part_of, sum_of_means
from befit.decide.tiers import TierView, values, widths
from befit.stats.arrays import cluster_codes
from befit.stats.pareto import dominates
from befit.stats.redrawn import Counts, redraw, redrawn_quantiles

DRAWS = 200
ALPHA = 0.05
COSTS = {"cost per success", "cost per task"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Who is on the frontier of a tier; lists are by candidate."""

    on: tuple[bool | None, ...]
    """None: a criterion is not measured for this candidate, or too few of its samples are."""
    dominated_by: tuple[tuple[int, ...], ...]
    chance: tuple[float | None, ...]
    criteria: tuple[str, ...]


def _criteria(view: TierView) -> dict[str, Floats]:
    """Return quality, and those of cost and latency that are known for anybody."""
    found = {"quality": values(view.quality)}
    money = ("cost per success", view.per_success)
    if view.people:
        money = ("cost per task", view.cost)  # without a score nothing is a success
    for name, column in (money, ("p95 latency", view.p95)):
        numbers = values(column)
        if not np.isnan(numbers).all():
            found[name] = numbers
    return found


def front_of(view: TierView, *, rng: np.random.Generator, draws: int = DRAWS) -> Front:
    """Return the frontier of a tier."""
    criteria = _criteria(view)
    known = _known(view, criteria)
    proven, count = beaten(view), len(known)
    chance = _chances(view, tuple(criteria), known, rng=rng, draws=draws)
    return Front(
        on=tuple(None if not known[m] else not bool(proven[:, m].any()) for m in range(count)),
        dominated_by=tuple(
            tuple(int(i) for i in np.flatnonzero(proven[:, m])) for m in range(count)
        ),
        chance=tuple(float(chance[m]) if known[m] else None for m in range(count)),
        criteria=tuple(criteria),
    )


def _known(view: TierView, criteria: dict[str, Floats]) -> Bools:
    """Return of whom every criterion is measured, on enough samples."""
    points = np.column_stack(list(criteria.values()))
    return np.asarray(~np.isnan(points).any(axis=1) & view.covered, dtype=np.bool_).reshape(-1)


def beaten(view: TierView) -> Bools:
    """[i, j]: i is no worse than j on any criterion, and shown to be better on one."""
    criteria = _criteria(view)
    points, known = np.column_stack(list(criteria.values())), _known(view, criteria)
    maximise = [name == "quality" for name in criteria]
    filled = np.where(np.isnan(points), 0.0, points)
    found = dominates(filled, maximise=maximise) & _better(view, criteria)
    found = np.asarray(found & known[:, None] & known[None, :], dtype=np.bool_)
    return found.reshape(len(known), len(known))


def _better(view: TierView, criteria: dict[str, Floats]) -> Bools:
    """[i, j]: a corrected paired test says that i is better than j on a criterion."""
    found = view.better.copy()
    count = len(found)
    tests = max(1, count * (count - 1) // 2) * (2 if len(criteria) > 1 else 1)
    for i in range(count):
        for j in range(count):
            if i != j and not found[i, j] and criteria.keys() & COSTS:
                found[i, j] = _cheaper(view, i, j, level=1 - ALPHA / tests)
    return found


def _cheaper(view: TierView, i: int, j: int, *, level: float) -> bool:
    """Tell whether i is shown to cost less than j per task of the tier, on the same samples.

    Nobody is whose failed tries cost nobody knows what.
    """
    if view.untold and view.untold[i]:
        return False
    parts = []
    for one, share in zip(view.scenarios, view.shares, strict=True):
        gaps = one.cost[i] - one.cost[j]
        there = ~np.isnan(gaps)
        if there.sum() < 2:  # noqa: PLR2004 - one pair has no spread
            return False
        parts.append(part_of(one, gaps, there, factor=share))
    found = sum_of_means(parts, level=level, method="paired")
    return found.high is not None and found.high < 0


def _chances(
    view: TierView,
    criteria: Sequence[str],
    known: Bools,
    *,
    rng: np.random.Generator,
    draws: int,
) -> Floats:
    """Return the share of draws in which each candidate is on the frontier, samples redrawn."""
    tables: dict[str, Floats] = {}
    for one, share, weight in zip(view.scenarios, view.shares, view.weights, strict=True):
        drawn = _redrawn(one, rng=rng, draws=draws, latency="p95 latency" in criteria)
        for name, part in drawn.items():
            if name == "p95 latency":
                tables[name] = np.maximum(tables.get(name, 0.0), part)
            else:
                counts = weight if name == "quality" else share
                tables[name] = tables.get(name, 0.0) + counts * part
    # costs and successes of the whole tier first, then one over the other
    right, spent = tables.pop("successes"), tables.pop("cost of the scored")
    with np.errstate(divide="ignore", invalid="ignore"):
        tables["cost per success"] = np.where(right > 0, spent / right, np.inf)
    on = np.ones((draws, len(known)), dtype=np.bool_)
    signed = [(1 if name == "quality" else -1) * tables[name] for name in criteria]
    rivals = np.flatnonzero(known)
    for j in rivals:
        for i in rivals:
            if i == j:
                continue
            no_worse = np.logical_and.reduce([s[:, i] >= s[:, j] for s in signed])
            better = np.logical_or.reduce([s[:, i] > s[:, j] for s in signed])
            on[:, j] &= ~(no_worse & better)
    found: Floats = on.mean(axis=0)
    return found


def _redrawn(
    one: ScenarioEvidence, *, rng: np.random.Generator, draws: int, latency: bool
) -> dict[str, Floats]:
    n, count = one.n, len(one.items.mean)
    # samples of one document are drawn together
    codes = np.arange(n) if one.items.clusters is None else cluster_codes(one.items.clusters)
    counts = redraw(int(codes.max(initial=-1)) + 1, rng=rng, draws=draws)[:, codes]
    weights = counts.astype(np.float64)
    if one.items.weights is not None:
        weights *= one.items.weights
    costs = one.cost if one.scored_cost is None else one.scored_cost
    right = _drawn_means(weights, one.items.mean)
    spent = _drawn_means(weights, np.where(np.isnan(one.items.mean), np.nan, costs))
    slow = np.zeros((draws, count))
    if latency and one.latency:
        for m in range(count):
            slow[:, m] = _p95(one, m, counts)
    return {
        "quality": right if not one.people else _said(one, rng, draws),
        "successes": right,
        "cost of the scored": spent,
        "cost per task": _drawn_means(weights, one.cost),
        "p95 latency": slow,
    }


def _drawn_means(weights: Floats, table: Floats) -> Floats:
    """Return the mean of each row of a table over the samples it has, in each draw; else 0."""
    there = ~np.isnan(table)
    known = weights @ there.T.astype(np.float64)
    return np.nan_to_num(weights @ np.nan_to_num(table).T / np.where(known > 0, known, np.nan))


def _said(one: ScenarioEvidence, rng: np.random.Generator, draws: int) -> Floats:
    """Return what people said, moved by its error."""
    noise = rng.standard_normal((draws, len(one.people))) * widths(one.people)
    return np.asarray(np.nan_to_num(values(one.people)) + noise, dtype=np.float64)


def _p95(one: ScenarioEvidence, candidate: int, counts: Counts) -> Floats:
    times, items = one.latency[candidate], one.latency_item[candidate]
    if not len(times):
        return np.full(len(counts), np.inf)
    drawn = redrawn_quantiles(times, items, counts, (0.95,), weights=one.weights_of(items))
    return np.nan_to_num(drawn[0], nan=np.inf)
