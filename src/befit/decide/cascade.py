"""Cheap first, escalate by a stated rule, where the repeats of a run support one.

The rule: ask the cheap candidate twice or more, and pass the task on unless
all answers agree. How often to ask is chosen on one half of the samples and
judged on the other, since a rule judged where it was chosen looks too good.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.analysis.items import estimate_over_items
from befit.core.decision import Cascade
from befit.core.estimate import Estimate
from befit.decide.evidence import ScenarioEvidence
from befit.decide.tiers import TierView
from befit.stats.distributions import one_sided
from befit.stats.gates import against_floor
from befit.stats.weighted import unequal

LEAST = 40
"""Samples with repeats of both candidates below which no cascade is looked for."""
ASKED = (2, 3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pair:
    agreed: Bools
    right: Floats
    """Of the cascade's answer, by sample."""
    cost: Floats
    weights: Floats | None

    def mean(self, values: Floats, half: slice) -> float:
        """Return the mean of some values over one half of the samples, by their weights."""
        weights = None if self.weights is None else self.weights[half]
        return float(np.average(values[half], weights=weights))

    def quality(self, half: slice, level: float = 0.95) -> Estimate:
        """Return the pass rate over one half of the samples."""
        right = self.right[half]
        return estimate_over_items(
            right,
            n_trials=len(right),
            n_missing=0,
            binary=True,
            clusters=None,
            weights=None if self.weights is None else unequal(self.weights[half]),
            level=level,
        )


def _play(one: ScenarioEvidence, first: int, then: int, asked: int) -> _Pair | None:
    """Play a cascade on recorded answers; None where there are too few."""
    if not one.answers or one.answers[first].shape[1] < asked:
        return None
    answers, own = one.answers[first][:, :asked], one.passes[first][:, 0]
    other = one.passes[then][:, 0]
    costs = asked * one.cost[first], one.cost[then]
    there = ~np.isnan(answers).any(axis=1) & ~np.isnan(own) & ~np.isnan(other)
    there &= ~np.isnan(costs[0]) & ~np.isnan(costs[1])
    if there.sum() < LEAST:
        return None
    agreed = (answers == answers[:, :1]).all(axis=1)[there]
    return _Pair(
        agreed=np.asarray(agreed, dtype=np.bool_),
        right=np.where(agreed, own[there], other[there]),
        cost=costs[0][there] + np.where(agreed, 0.0, costs[1][there]),
        weights=one.weights_of(there),
    )


def find_cascade(
    view: TierView, route: int, *, floor: float | None, names: tuple[str, ...]
) -> Cascade | None:
    """Return the cascade that is cheaper than the tier's route and keeps its floor, if any.

    Only for tiers of one scenario; `floor` None asks for the route's own quality.
    """
    own = view.cost[route].value
    if len(view.scenarios) != 1 or own is None:
        return None
    one = view.scenarios[0]
    wanted = floor if floor is not None else view.quality[route].value
    if wanted is None:
        return None
    tried: list[tuple[float, int, int, _Pair]] = []
    for first in range(len(names)):
        cheap = view.cost[first].value
        if first == route or cheap is None or cheap * min(ASKED) >= own or not view.covered[first]:
            continue
        for asked in ASKED:
            pair = _play(one, first, route, asked)
            if pair is None:
                continue
            half = slice(0, None, 2)  # every second sample chooses, the rest judges
            cost = pair.mean(pair.cost, half)
            if pair.mean(pair.right, half) >= wanted and cost < own:
                tried.append((cost, first, asked, pair))
    if not tried:
        return None
    _, first, asked, pair = min(tried, key=lambda t: t[:3])
    judged = slice(1, None, 2)
    cost = pair.mean(pair.cost, judged)
    if cost >= own:
        return None
    times = {2: "twice", 3: "three times"}[asked]
    return Cascade(
        first=names[first],
        then=names[route],
        rule=f"ask {names[first]} {times}; unless all answers agree, ask {names[route]}",
        cost_per_task=cost,
        escalated=1 - pair.mean(pair.agreed.astype(np.float64), judged),
        quality=pair.quality(judged),
        meets_floor=against_floor(pair.quality(judged, one_sided(0.95)), floor=wanted),
        saving=own - cost,
    )
