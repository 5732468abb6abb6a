"""Simulated candidates of known quality, price and latency, as the evidence of a decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from befit.analysis.items import Items
from befit.core.candidate import Traits
from befit.core.estimate import Estimate, not_measured
from befit.core.scenario import Accept
from befit.core.tier import Tier
from befit.decide.evidence import Evidence, ScenarioEvidence, latency_p95
from befit.stats.means import estimate_mean


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
        unasked=np.zeros(len(table), dtype=np.int64),
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
    latency_item: np.ndarray | None = None,
) -> ScenarioEvidence:
    """Evidence of one scenario from arrays."""
    items = items_of(means, repeats=repeats)
    found: ScenarioEvidence

    def measure(metric: str, candidate: int, level: float) -> Estimate:
        if metric in {"pass_rate", "pass"}:
            return items.estimate(candidate, level=level)
        if metric == "latency_p95":
            return latency_p95(found, candidate, level=level)
        if metric == "stability" and passes:
            right = passes[candidate].sum(axis=1)
            k = passes[candidate].shape[1]
            agree = (right * (right - 1) + (k - right) * (k - right - 1)) / (k * (k - 1))
            return estimate_mean(
                agree, n_trials=agree.size * k, n_missing=0, binary=False, level=level
            )
        return not_measured(f"{metric} was not measured")

    found = ScenarioEvidence(
        name=name,
        tier=tier,
        items=items,
        cost=np.full(items.mean.shape, np.nan) if cost is None else np.asarray(cost, dtype=float),
        latency=tuple(latency),
        latency_item=tuple(
            np.arange(len(times)) if latency_item is None else latency_item for times in latency
        ),
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
