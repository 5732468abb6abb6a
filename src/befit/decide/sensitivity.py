"""What could change the decision: every doubt moved at once, and the smallest flips.

Qualities and costs are drawn from their sampling noise, prices and traffic from
the doubt the policy states; in each draw the best routes are found again by
trying every allowed set of models, which for a handful of candidates is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.results import IN_CLUSTERS
from befit.core.decision import Flip, MoreEvidence
from befit.core.estimate import Estimate
from befit.core.policy import Policy
from befit.decide.evidence import ScenarioEvidence
from befit.decide.joint import Judgement
from befit.decide.routing import Problem, order
from befit.decide.tiers import TierView, values, widths

DRAWS = 1000
CENT = 0.01
MANY = 5000
"""Sets of models tried at most; beyond, `max_models` is left out of the draws."""
POWER = 0.8
WORTHWHILE = 0.005
"""Probability of a wrong choice that further samples must take off to be worth a word."""
DOUBTS = ("quality", "prices", "traffic", "costs", "weights")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Doubt:
    """Standard errors and floors of a problem: (tiers, candidates)."""

    quality: Floats
    cost: Floats
    floors: Floats
    """Floor of the pass rate by tier; nan where there is none."""
    open_to: Floats
    """1 where a candidate could serve the tier if its pass rate were high enough, else 0."""
    parts: tuple[tuple[Floats, Floats], ...]
    """By tier: weights of its scenarios, and their pass rates (scenarios, candidates)."""


def doubt_of(views: Sequence[TierView], judgement: Judgement, tiers: Sequence[int]) -> Doubt:
    """Return the doubts of a problem's tiers."""
    floors, open_to = [], []
    for view, t in zip(views, tiers, strict=True):
        gates = [g for g in judgement.gates[t] if g.gate.metric in view.quality_metrics]
        limits = [g.gate.floor for g in gates if g.gate.floor is not None]
        floors.append(max(limits) if limits else np.nan)
        count = range(len(view.quality))
        open_to.append([float(judgement.required[m] == "pass" and _else_met(judgement, t, m, view))
                        for m in count])  # fmt: skip
    return Doubt(
        quality=np.array([widths(view.quality) for view in views]),
        cost=np.array([widths(view.cost) for view in views]),
        floors=np.array(floors),
        open_to=np.array(open_to),
        parts=tuple(
            (np.array(view.weights), np.array([_rates(one) for one in view.scenarios]))
            for view in views
        ),
    )


def _rates(one: ScenarioEvidence) -> Floats:
    return values([one.quality(m) for m in range(len(one.items.mean))])


def _else_met(judgement: Judgement, tier: int, candidate: int, view: TierView) -> bool:
    """Tell whether all gates besides those on the quality let the candidate in."""
    return all(
        judgement.alone(g, candidate, 1) == "pass"
        for g in judgement.gates[tier]
        if g.gate.metric not in view.quality_metrics
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """What came out of the draws."""

    stands: float
    by_tier: tuple[float, ...]
    winners: Ints
    """(draws, tiers): the best candidate; -1 where nobody was good enough."""
    loss: Estimate
    """USD a month against the best of the draw: the mean over the draws."""


def draw(
    problem: Problem,
    doubt: Doubt,
    chosen: Sequence[int],
    policy: Policy,
    *,
    rng: np.random.Generator,
    only: str | None = None,
    draws: int = DRAWS,
) -> Draws:
    """Move the doubts (all, or only one kind) and find the best routes of each draw."""

    def moved(kind: str) -> float:
        return 1.0 if only in {None, kind} else 0.0

    shape = (draws, *problem.cost.shape)
    quality = np.clip(
        problem.quality + moved("quality") * rng.standard_normal(shape) * doubt.quality, 0, 1
    )
    price = np.exp(moved("prices") * policy.price_doubt * rng.standard_normal((draws, 1, shape[2])))
    cost = problem.cost + moved("costs") * rng.standard_normal(shape) * doubt.cost
    cost = np.maximum(cost, 0) * price
    traffic = np.exp(moved("traffic") * policy.traffic_doubt * rng.standard_normal(shape[:2]))
    volumes = (problem.volumes * traffic)[:, :, None]
    allowed = _allowed(problem, doubt, quality)
    # weights are of what is preferred; what is good enough is each scenario's own floor
    quality = quality + _reweighted(doubt, rng, sd=moved("weights") * policy.weight_doubt, n=draws)
    worth = np.array([tier.value for tier in problem.tiers])[None, :, None]
    lost = (problem.losses if problem.losses is not None else np.zeros(shape[1]))[None, :, None]
    money = np.where(problem.priced[:, None], cost, 0.0)
    if problem.prefer == "value":
        objective = volumes * (money - quality * worth + (1 - quality) * lost)
    elif problem.prefer == "quality":
        objective = 1 - quality
    else:
        objective = volumes * np.where(problem.priced[:, None], money, 1 - quality)
    objective = np.where(allowed & ~np.isnan(objective), objective, np.inf)
    winners = _best(objective, most=problem.most)
    same = winners == np.array(chosen)
    rows = np.arange(len(chosen))
    best = np.take_along_axis(objective, np.maximum(winners, 0)[:, :, None], axis=2)[:, :, 0]
    own = objective[:, rows, np.array(chosen)]
    # a chosen one below its floor costs what its missing answers cost
    short = np.maximum(0.0, np.nan_to_num(doubt.floors) - quality[:, rows, np.array(chosen)])
    penalty = volumes[:, :, 0] * short * (worth + lost)[0, :, 0]
    with np.errstate(invalid="ignore"):
        loss = np.where(np.isinf(own), penalty, np.maximum(0.0, own - best))
    return Draws(
        stands=float(same.all(axis=1).mean()),
        by_tier=tuple(float(x) for x in same.mean(axis=0)),
        winners=winners,
        loss=_loss(np.nan_to_num(loss).sum(axis=1)),
    )


def _loss(drawn: Floats) -> Estimate:
    """Return the mean loss; its interval tells the noise of so many draws, none is below 0."""
    mean, half = drawn.mean(), 1.96 * drawn.std(ddof=1) / np.sqrt(len(drawn))
    return Estimate(
        value=float(mean),
        low=float(max(0.0, mean - half)),
        high=float(mean + half),
        n_samples=len(drawn),
        n_trials=len(drawn),
        n_missing=0,
        method="mean of the draws",
    )


def _reweighted(doubt: Doubt, rng: np.random.Generator, *, sd: float, n: int) -> Floats:
    """Return how far other weights of its scenarios move a tier's pass rates, in each draw."""
    found = []
    for weights, rates in doubt.parts:
        drawn = weights * np.exp(sd * rng.standard_normal((n, len(weights))))
        found.append((drawn / drawn.sum(axis=1, keepdims=True) - weights) @ rates)
    return np.stack(found, axis=1)


def _allowed(problem: Problem, doubt: Doubt, quality: Floats) -> Bools:
    floors = doubt.floors[None, :, None]
    floored = ~np.isnan(floors)
    reached = quality >= np.nan_to_num(floors)
    return np.asarray(np.where(floored, reached & (doubt.open_to > 0), problem.allowed), np.bool_)


def _best(objective: Floats, *, most: int | None) -> Ints:
    """Return the best allowed candidate of each tier in each draw, at most so many different."""
    draws, tiers, count = objective.shape
    winners = np.where(np.isinf(objective).all(axis=2), -1, objective.argmin(axis=2))
    if most is None or most >= min(tiers, count):
        return np.asarray(winners, dtype=np.int64)
    sets = list(combinations(range(count), most))
    if len(sets) > MANY:
        return np.asarray(winners, dtype=np.int64)
    total = np.full((draws, len(sets)), np.inf)
    for at, members in enumerate(sets):
        total[:, at] = objective[:, :, members].min(axis=2).sum(axis=1)
    pick = total.argmin(axis=1)
    chosen = np.array(sets)[pick]
    part = np.take_along_axis(objective, chosen[:, None, :].repeat(tiers, axis=1), axis=2)
    local = part.argmin(axis=2)
    found = np.take_along_axis(chosen, local, axis=1)
    return np.asarray(np.where(np.isinf(part).all(axis=2), -1, found), dtype=np.int64)


def flips(
    problem: Problem, doubt: Doubt, chosen: Sequence[int], names: Sequence[str]
) -> tuple[Flip, ...]:
    """Return, tier by tier, the smallest change of one price or one floor that changes the route.

    Exact where no limit ties the tiers together; `max_models` is left aside here.
    """
    found: list[Flip] = []
    free = replace(problem, most=None, budget=None)
    for t, m in enumerate(chosen):
        tier = problem.tiers[t].name
        found += _price_flips(free, t, m, names)
        floor, own = doubt.floors[t], problem.quality[t, m]
        if np.isnan(floor):
            continue
        bound = own - 1.645 * doubt.quality[t, m]
        nxt = next((n for n in order(free, t) if n != m and problem.quality[t, n] > bound), None)
        found.append(
            Flip(
                tier=tier,
                what="floor",
                now=float(floor),
                flips_at=float(bound),
                to=None if nxt is None else names[nxt],
                text=f"With a floor above {100 * bound:.0f} % (now {100 * floor:.0f} %) "
                f"{names[m]} would no longer be proven good enough"
                + ("." if nxt is None else f"; then {names[nxt]}."),
            )
        )
    return tuple(found)


def _price_flips(problem: Problem, t: int, m: int, names: Sequence[str]) -> Iterator[Flip]:
    if problem.prefer != "cost" or not problem.priced[t]:
        return
    own = float(problem.cost[t, m])
    rivals = [n for n in order(problem, t) if n != m]
    if rivals and own > 0:
        other = float(problem.cost[t, rivals[0]])
        yield Flip(
            tier=problem.tiers[t].name,
            what="price",
            now=own,
            flips_at=other,
            to=names[rivals[0]],
            text=f"If {names[m]} gets {100 * (other / own - 1):.0f} % dearer, "
            f"or {names[rivals[0]]} {100 * (1 - own / other):.0f} % cheaper: {names[rivals[0]]}."
            if other > 0
            else f"{names[rivals[0]]} costs nothing.",
        )


def _dollars(cost: float) -> str:
    return f"about {cost:,.2f} USD" if cost >= CENT else "less than 0.01 USD"


def more_evidence(
    views: Sequence[TierView],
    judgement: Judgement,
    tiers: Sequence[int],
    winners: Ints,
    chosen: Sequence[int | None],
    *,
    needed: dict[tuple[int, int], int],
) -> tuple[MoreEvidence, ...]:
    """Return what could be measured further, the most certainty per dollar first.

    Settling a candidate that wins a share s of the draws with 80 % power takes
    about 0.8 s off the probability that the choice is wrong. What would take off less than half
    a point is no advice.
    """
    found: list[MoreEvidence] = []
    names = judgement.evidence.candidates
    for row, (view, t) in enumerate(zip(views, tiers, strict=True)):
        for m in range(len(names)):
            more = needed.get((t, m))
            share = float((winners[:, row] == m).mean()) if len(winners) else 0.0
            if more is None or m == chosen[row] or POWER * share < WORTHWHILE:
                continue
            have = min(one.n for one in view.scenarios)
            extra = max(1, more - have)
            per_task = view.cost[m].value
            repeats = max(one.repeats for one in view.scenarios)
            cost = None if per_task is None else per_task * repeats * extra * len(view.scenarios)
            found.append(
                MoreEvidence(
                    scenario=", ".join(one.name for one in view.scenarios),
                    candidates=(names[m],),
                    samples=extra,
                    cost=cost,
                    settles=POWER * share,
                    text=f"About {extra:,} more samples of "
                    f"{', '.join(one.name for one in view.scenarios)} for {names[m]}"
                    + (f", {IN_CLUSTERS}" if view.clustered else "")
                    + ("" if cost is None else f" ({_dollars(cost)})")
                    + f" would settle whether it is the better choice for {view.tier.name}.",
                )
            )
    return tuple(sorted(found, key=lambda one: -one.settles / max(one.cost or 1e-6, 1e-6)))
