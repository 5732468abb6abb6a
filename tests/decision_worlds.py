"""Simulated candidates of known quality, price and latency, as the evidence of a decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.items import Items
from befit.core.candidate import Traits
from befit.core.estimate import Estimate, not_measured
from befit.core.scenario import Accept
from befit.core.tier import Tier
from befit.decide.evidence import Evidence, ScenarioEvidence, latency_p95


def items_of(means: np.ndarray, *, repeats: int = 1) -> Items:
    """Item means (candidates, samples) of a binary pass rate."""
    table = np.asarray(means, dtype=float)
    return Items(
        metric="pass",
        samples=np.arange(table.shape[1]),
        mean=table,
        n_trials=np.where(np.isnan(table), 0, repeats),
        planned=np.full(len(table), table.shape[1] * repeats),
        n_planned=table.shape[1],
        binary=True,
        clusters=None,
        weights=None,
    )


def scenario_of(  # noqa: PLR0913 - one argument per property of a simulated scenario
    name: str,
    tier: str,
    means: np.ndarray,
    *,
    cost: np.ndarray | None = None,
    latency: Sequence[np.ndarray] = (),
    floor: float | None = None,
    repeats: int = 1,
    answers: Sequence[np.ndarray] = (),
    passes: Sequence[np.ndarray] = (),
) -> ScenarioEvidence:
    """Evidence of one scenario from arrays."""
    items = items_of(means, repeats=repeats)
    found: ScenarioEvidence

    def measure(metric: str, candidate: int, level: float) -> Estimate:
        if metric in {"pass_rate", "pass"}:
            return items.estimate(candidate, level=level)
        if metric == "latency_p95":
            return latency_p95(found, candidate, level=level)
        return not_measured(f"{metric} was not measured")

    found = ScenarioEvidence(
        name=name,
        tier=tier,
        items=items,
        cost=np.full(items.mean.shape, np.nan) if cost is None else np.asarray(cost, dtype=float),
        latency=tuple(latency),
        latency_item=tuple(np.arange(len(times)) for times in latency),
        measure=measure,
        accept=Accept(pass_rate=floor),
        repeats=repeats,
        answers=tuple(answers),
        passes=tuple(passes),
    )
    return found


def evidence_of(
    names: Sequence[str],
    scenarios: Sequence[ScenarioEvidence],
    tiers: Sequence[Tier] = (),
    *,
    providers: Sequence[str] = (),
    traits: Sequence[Traits] = (),
) -> Evidence:
    """Evidence from scenarios."""
    return Evidence(
        candidates=tuple(names),
        scenarios=tuple(scenarios),
        tiers=tuple(tiers),
        providers=tuple(providers),
        traits=tuple(traits),
    )


def rates(quality: Sequence[float], n: int, *, spread: bool = True) -> np.ndarray:
    """Exact rates as arrays: the first n x q samples right; or spread evenly."""
    table = np.zeros((len(quality), n))
    for m, q in enumerate(quality):
        right = round(n * q)
        at = np.linspace(0, n - 1, right).astype(int) if spread else np.arange(right)
        table[m, at] = 1.0
    return table


@dataclass(frozen=True, kw_only=True)
class World:
    """A planted truth: (tiers, candidates)."""

    quality: np.ndarray
    price: np.ndarray
    """USD per task, (candidates,)."""
    p95: np.ndarray
    """Seconds, (candidates,)."""
    floors: np.ndarray
    ceilings: np.ndarray
    volumes: np.ndarray
    n: int


def draw_world(rng: np.random.Generator, *, n: int, tiers: int = 3, candidates: int = 4) -> World:
    """Draw a world: dearer candidates tend to be better and slower, with exceptions."""
    price = np.sort(rng.uniform(0.2, 1.0, candidates)) * np.array([1, 3, 9, 27][:candidates]) / 1000
    base = np.sort(rng.uniform(0.6, 0.97, candidates))
    hardness = rng.uniform(-0.06, 0.06, tiers)[:, None]
    noise = rng.normal(0, 0.05, (tiers, candidates))
    return World(
        quality=np.clip(base + hardness + noise, 0.35, 0.985),
        price=price,
        p95=rng.uniform(0.5, 3.0, candidates),
        floors=rng.uniform(0.7, 0.9, tiers),
        ceilings=rng.uniform(2.0, 5.0, tiers),
        volumes=rng.integers(1_000, 100_000, tiers).astype(float),
        n=n,
    )


def answers_of(world: World, rng: np.random.Generator, *, repeats: int) -> np.ndarray:
    """Right or wrong: (tiers, candidates, samples, repeats), correlated over samples and repeats.

    A sample has a difficulty that all candidates share and each its own; so
    candidates agree more than by chance and repeats agree more than candidates.
    """
    tiers, count = world.quality.shape
    from statistics import NormalDist  # noqa: PLC0415 - kept beside its only use

    normal = NormalDist()
    cut = np.vectorize(normal.inv_cdf)(world.quality)
    shared = rng.standard_normal((tiers, 1, world.n, 1))
    own = rng.standard_normal((tiers, count, world.n, 1))
    once = rng.standard_normal((tiers, count, world.n, repeats))
    ease = np.sqrt(0.4) * shared + np.sqrt(0.3) * own + np.sqrt(0.3) * once
    return (ease < cut[:, :, None, None]).astype(float)


def world_evidence(
    world: World, right: np.ndarray, rng: np.random.Generator
) -> tuple[Evidence, np.ndarray]:
    """The evidence of a world's answers; and the costs (tiers, candidates, samples)."""
    tiers, count, n, repeats = right.shape
    names = [f"m{m}" for m in range(count)]
    cost = world.price[None, :, None] * rng.lognormal(0, 0.3, (tiers, count, n))
    scenarios = []
    for t in range(tiers):
        # 95 % of the times lie below the candidate's p95: lognormal with sigma 0.4
        scale = world.p95 / np.exp(0.4 * 1.6449)
        times = [scale[m] * rng.lognormal(0, 0.4, n) for m in range(count)]
        scenarios.append(
            scenario_of(
                f"s{t}",
                f"t{t}",
                right[t].mean(axis=2),
                cost=cost[t],
                latency=times,
                repeats=repeats,
            )
        )
    found = [Tier(name=f"t{t}", volume_per_month=int(world.volumes[t])) for t in range(tiers)]
    return evidence_of(names, scenarios, found), cost
