"""A race over the columns of a run: which lanes it has, and what its betting evidence says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log

import numpy as np

from befit.analysis.frame import Frame
from befit.analysis.items import Items, item_means
from befit.core.decision import Verdict
from befit.core.policy import Policy
from befit.core.scenario import ScenarioSpec
from befit.core.tier import Tier
from befit.decide.evidence import ALL_TASKS, ScenarioEvidence
from befit.decide.gates import PASS_NAMES, Placed, gates_of
from befit.decide.race import Lane, Race, verdicts_of
from befit.decide.reading import item_means_of
from befit.stats.betting import Units
from befit.stats.weighted import row_means


def placed_gates(spec: ScenarioSpec, tiers: Sequence[Tier], policy: Policy) -> tuple[Placed, ...]:
    """Return the gates of a scenario, read off its description."""
    by_name = {tier.name: tier for tier in tiers}
    tier = by_name.get(spec.tier or "", Tier(name=ALL_TASKS))
    bare = ScenarioEvidence(
        name=spec.name,
        tier=tier.name,
        items=None,  # type: ignore[arg-type]  # gates are read off the description alone
        cost=np.empty((0, 0)),
        latency=(),
        latency_item=(),
        measure=None,  # type: ignore[arg-type]  # the same
        accept=spec.accept,
        critical=spec.critical,
    )
    return gates_of(bare, tier, policy)


def lanes_of(
    specs: Sequence[ScenarioSpec], tiers: Sequence[Tier], policy: Policy
) -> tuple[Lane, ...]:
    """Return what is asked of each scenario; a floor where its gates state one."""
    found = []
    for spec in specs:
        floors = [
            placed.gate.floor
            for placed in placed_gates(spec, tiers, policy)
            if placed.gate.metric in PASS_NAMES and placed.gate.floor is not None
        ]
        found.append(Lane(scenario=spec.name, floor=max(floors, default=None)))
    return tuple(found)


def least_samples(
    specs: Sequence[ScenarioSpec], tiers: Sequence[Tier], policy: Policy, *, tests: int
) -> int:
    """Return the samples below which a gate on a p95 (or p99) has no bound at all."""
    least = 0
    for spec in specs:
        for placed in placed_gates(spec, tiers, policy):
            q = {"p95": 0.95, "p99": 0.99}.get(placed.gate.metric.rpartition("_")[2])
            if q is not None:
                least = max(least, ceil(log(policy.error / (2 * tests)) / log(q)) + 1)
    return least


def look(race: Race, frame: Frame) -> None:
    """Show the race all that a run holds."""
    for lane, one in enumerate(race.lanes):
        if one.scenario in frame.scenarios:
            code = frame.scenarios.index(one.scenario)
            items = item_means(frame, (code,), "pass")
            units, known = _units(frame, code, items)
            if known:
                costs = row_means(item_means_of(frame, code, "cost"), items.weights)
                race.look(lane, items.mean, costs, units=units)


def _units(frame: Frame, scenario: int, items: Items) -> tuple[Units | None, bool]:
    """Return what came together by what weight, and whether it may be bet on.

    It may not where nobody wrote down before the run what the heaviest cluster weighs.
    """
    if items.clusters is None and items.weights is None:
        return None, True
    heaviest = frame.manifest.scenarios[scenario].heaviest
    if heaviest is None:
        return None, False
    size = len(items.samples)
    codes = np.arange(size)
    if items.clusters is not None:
        codes = np.unique(items.clusters, return_inverse=True)[1]
    weights = np.ones(size) if items.weights is None else items.weights
    return Units(codes=codes, weights=weights, heaviest=heaviest), True


def race_verdicts(
    frame: Frame, *, policy: Policy, tiers: Sequence[Tier]
) -> Mapping[tuple[str, str], Verdict]:
    """Return the verdicts on the pass rates of a run that stopped itself, by any policy."""
    specs = [s.spec for s in frame.manifest.scenarios]
    race = Race(
        lanes=lanes_of(specs, tiers, policy),
        candidates=len(frame.candidates),
        error=policy.error,
        margin=policy.margin,
    )
    look(race, frame)
    return verdicts_of(race, frame.candidates)
