"""One candidate per task tier at the least cost, or the best quality within a budget.

A small exact integer programme (HiGHS through scipy): x[t, m] = 1 where candidate m
serves task t, y[m] = 1 where it is used at all. Quality enters as the lower bound
of its interval where floors are checked; `allowed` carries floors, latency limits
and any other hard constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Floats, Numbers, as_floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The chosen candidate of each task, the total cost and the volume-weighted quality."""

    choice: tuple[int, ...]
    cost: float
    quality: float


def allowed_routes(quality: Numbers, floors: Numbers, latency: Numbers, limits: Numbers) -> Bools:
    """Which (task, candidate) keep the quality floor and the latency limit of the task."""
    good = as_floats(quality) >= as_floats(floors)[:, None]
    fast = as_floats(latency) <= as_floats(limits)[:, None]
    found: Bools = good & fast
    return found


def _solve(
    objective: Floats,
    allowed: Bools,
    *,
    most: int,
    at_most: tuple[Floats, float] | None,
    at_least: tuple[Floats, float] | None,
) -> tuple[int, ...] | None:
    import scipy.optimize  # noqa: PLC0415  # loads on first use: the command line starts without it

    optimize: Any = scipy.optimize
    tasks, count = allowed.shape
    size = tasks * count + count
    rows: list[Floats] = []
    lows: list[float] = []
    highs: list[float] = []

    def add(row: Floats, low: float, high: float) -> None:
        rows.append(row)
        lows.append(low)
        highs.append(high)

    for t in range(tasks):
        row = np.zeros(size)
        row[t * count : (t + 1) * count] = 1.0
        add(row, 1.0, 1.0)
        for m in range(count):
            link = np.zeros(size)
            link[t * count + m], link[tasks * count + m] = 1.0, -1.0
            add(link, -np.inf, 0.0)
    used = np.zeros(size)
    used[tasks * count :] = 1.0
    add(used, 0.0, float(most))
    pad = np.zeros(count)
    if at_most is not None:
        add(np.concatenate((at_most[0].ravel(), pad)), -np.inf, at_most[1])
    if at_least is not None:
        add(np.concatenate((at_least[0].ravel(), pad)), at_least[1], np.inf)
    found = optimize.milp(
        c=np.concatenate((objective.ravel(), pad)),
        constraints=optimize.LinearConstraint(np.array(rows), lows, highs),
        integrality=np.ones(size),
        bounds=optimize.Bounds(0, np.concatenate((allowed.ravel().astype(float), pad + 1))),
    )
    if found.x is None:
        return None
    return tuple(int(m) for m in found.x[: tasks * count].reshape(tasks, count).argmax(axis=1))


def _assignment(choice: tuple[int, ...], cost: Floats, quality: Floats) -> Assignment:
    picked = np.arange(len(choice)), np.array(choice)
    return Assignment(
        choice=choice, cost=float(cost[picked].sum()), quality=float(quality[picked].sum())
    )


def _inputs(
    volumes: Numbers, costs: Numbers, quality: Numbers, allowed: npt.ArrayLike
) -> tuple[Floats, Floats, Bools]:
    v = as_floats(volumes)
    mask = np.asarray(allowed, dtype=bool)
    total, share = v[:, None] * as_floats(costs), v[:, None] / v.sum() * as_floats(quality)
    # a cost nobody knows is no cost of 0: such a route cannot be chosen
    known = ~(np.isnan(total) | np.isnan(share))
    return np.nan_to_num(total), np.nan_to_num(share), mask & known


def cheapest_routes(
    volumes: Numbers,
    costs: Numbers,
    quality: Numbers,
    *,
    allowed: npt.ArrayLike,
    most: int | None = None,
    least_quality: float | None = None,
    spend: tuple[Numbers, float] | None = None,
) -> Assignment | None:
    """Choose one candidate per task at the least total cost; None where that is impossible.

    Args:
        volumes: tasks per period, (T,).
        costs: cost per task, (T, M), NaN where unknown (then not eligible).
        quality: quality, (T, M), used for the total only.
        allowed: (T, M), from `allowed_routes` and other hard constraints.
        most: at most so many different candidates.
        least_quality: floor of the volume-weighted quality.
        spend: money per task (T, M) and what may be spent in all, where `costs` are not money.
    """
    total, share, mask = _inputs(volumes, costs, quality, allowed)
    floor = None if least_quality is None else (share, least_quality)
    limit = mask.shape[1] if most is None else most
    money = None
    if spend is not None:
        paid = as_floats(volumes)[:, None] * as_floats(spend[0])
        mask = mask & ~np.isnan(paid)
        money = np.nan_to_num(paid), spend[1]
    choice = _solve(total, mask, most=limit, at_most=money, at_least=floor)
    return None if choice is None else _assignment(choice, total, share)


def best_routes(
    volumes: Numbers,
    costs: Numbers,
    quality: Numbers,
    *,
    allowed: npt.ArrayLike,
    budget: float,
    most: int | None = None,
) -> Assignment | None:
    """Choose one candidate per task with the highest volume-weighted quality within a budget."""
    total, share, mask = _inputs(volumes, costs, quality, allowed)
    limit = mask.shape[1] if most is None else most
    choice = _solve(-share, mask, most=limit, at_most=(total, budget), at_least=None)
    return None if choice is None else _assignment(choice, total, share)


def unserved_tasks(allowed: npt.ArrayLike) -> tuple[int, ...]:
    """Tasks no candidate may serve: the reason of an impossible assignment, if any."""
    mask = np.asarray(allowed, dtype=bool)
    return tuple(int(t) for t in np.flatnonzero(~mask.any(axis=1)))
