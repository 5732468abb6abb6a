"""One candidate per tier: the integer programme, fallbacks, and what each constraint costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.core.policy import Policy, Preference
from befit.core.tier import Tier
from befit.decide.amounts import usd
from befit.decide.tiers import ASSUMED, TierView, values
from befit.stats.routing import best_routes, cheapest_routes

TIE = 1e-9
"""Of equal costs the better one: quality enters the objective at this weight."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """The assignment problem in numbers: tiers are rows, candidates are columns."""

    tiers: tuple[Tier, ...]
    volumes: Floats
    cost: Floats
    """USD per task; nan where unknown."""
    quality: Floats
    allowed: Bools
    prefer: Preference = "cost"
    most: int | None = None
    budget: float | None = None
    losses: Floats | None = None
    """Cost of a wrong answer by tier, complexity included."""

    @property
    def priced(self) -> Bools:
        """Tiers in which some allowed candidate has a known cost."""
        known = self.allowed & ~np.isnan(self.cost)
        return np.asarray(known.any(axis=1), dtype=np.bool_)

    def objective(self) -> Floats:
        """Return what is minimised, per task: money, or less net value."""
        cost = np.where(self.priced[:, None], self.cost, 0.0)
        if self.prefer == "value":
            worth = np.array([[tier.value] for tier in self.tiers])
            lost = np.array([[tier.cost_of_error] for tier in self.tiers])
            lost = lost if self.losses is None else self.losses[:, None]
            found = cost - self.quality * worth + (1 - self.quality) * lost
        else:
            # where no price is known the better one is chosen
            found = np.where(self.priced[:, None], cost, 1 - self.quality)
        scale = float(np.nanmax(np.abs(found), initial=0.0)) or 1.0
        tied: Floats = found - TIE * scale * self.quality
        return tied


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The chosen candidate of each tier, USD per period, and the objective."""

    choice: tuple[int, ...]
    cost: float
    objective: float


def make_problem(views: Sequence[TierView], allowed: Bools, policy: Policy) -> Problem:
    """Return the problem of the tiers given; volumes are assumed where no tier states any."""
    tiers = tuple(view.tier for view in views)
    volumes = np.array([float(tier.volume_per_month) for tier in tiers])
    if not volumes.sum():
        volumes = np.full(len(tiers), float(ASSUMED))
    factors = [getattr(policy.complexity, tier.complexity) for tier in tiers]
    return Problem(
        tiers=tiers,
        volumes=volumes,
        # Without any tier (nothing measured) there are no rows, but the candidates still stand.
        cost=np.array([values(view.cost) for view in views]).reshape(allowed.shape),
        quality=np.array([values(view.quality) for view in views]).reshape(allowed.shape),
        allowed=allowed,
        prefer=policy.prefer,
        most=policy.max_models,
        budget=policy.budget_per_month,
        losses=np.array([t.cost_of_error * f for t, f in zip(tiers, factors, strict=True)]),
    )


def solve(problem: Problem) -> Solution | None:
    """Solve over all tiers of the problem; None where that is impossible."""
    volumes = np.maximum(problem.volumes, TIE)  # a tier without traffic still gets its best
    objective = problem.objective()
    money = np.where(problem.priced[:, None], problem.cost, 0.0)
    if problem.prefer == "quality":
        found = best_routes(
            volumes,
            np.where(problem.priced[:, None], problem.cost, 0.0),
            problem.quality,
            allowed=problem.allowed,
            budget=np.inf if problem.budget is None else problem.budget,
            most=problem.most,
        )
    else:
        spend = None if problem.budget is None else (money, problem.budget)
        found = cheapest_routes(
            volumes,
            objective,
            problem.quality,
            allowed=problem.allowed,
            most=problem.most,
            spend=spend,
        )
    if found is None:
        return None
    rows, picked = np.arange(len(volumes)), np.array(found.choice)
    return Solution(
        choice=found.choice,
        cost=float((problem.volumes * np.nan_to_num(money[rows, picked])).sum()),
        objective=float((volumes * objective[rows, picked]).sum()),
    )


def order(problem: Problem, tier: int) -> list[int]:
    """Return the allowed candidates of a tier, the best by the objective first."""
    key = -problem.quality[tier] if problem.prefer == "quality" else problem.objective()[tier]
    known = [m for m in range(len(key)) if problem.allowed[tier, m] and not np.isnan(key[m])]
    return sorted(known, key=lambda m: float(key[m]))


def fallback(
    problem: Problem, tier: int, chosen: int, providers: Sequence[str], *, other_provider: bool
) -> int | None:
    """Return who steps in: the best other allowed candidate, from another provider if asked."""
    for m in order(problem, tier):
        if m != chosen and (not other_provider or providers[m] != providers[chosen]):
            return m
    return None


def relaxed(problem: Problem) -> dict[str, Problem]:
    """Return the problem without each of its limits across tiers."""
    found: dict[str, Problem] = {}
    if problem.most is not None:
        models = f"{problem.most} different model{'' if problem.most == 1 else 's'}"
        found[f"at most {models}"] = replace(problem, most=None)
    if problem.budget is not None:
        found[f"at most {usd(problem.budget)} a month"] = replace(problem, budget=None)
    return found


def one_for_all(problem: Problem) -> Solution | None:
    """Return the best single candidate that serves every tier."""
    return solve(replace(problem, most=1, budget=None))
