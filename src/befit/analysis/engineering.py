"""Latency, length, cost and failures from the calls of a run, and capability beside usability.

Only trials measured in this run give latencies: a reused answer keeps the
latency it had, which is no measurement of today.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from befit.analysis.cells import cells, scenario_cells
from befit.analysis.columns import Bools, Floats
from befit.analysis.engineering_cost import (
    cost_per_call,
    cost_per_month,
    cost_per_success,
    cost_per_task,
    retry_cost,
    total_cost,
    traffic,
)
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import Items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import EngineeringCell, UsabilityCell
from befit.analysis.stability import OverSamples, repeats_of
from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import group_means
from befit.stats.means import estimate_mean
from befit.stats.passk import pass_at_k, pass_hat_k
from befit.stats.quantiles import estimate_quantile


def engineering_cells(frame: Frame) -> tuple[EngineeringCell, ...]:
    """Return one cell per candidate over all scenarios, then one per candidate and scenario."""
    tasks = traffic(frame.manifest)
    return tuple(
        _engineering(cell.frame, cell.candidate, cell.scenario, tasks=tasks)
        for cell in cells(frame)
    )


def _quantile(frame: Frame, mask: Bools, name: str | Floats, q: float) -> Estimate:
    """Return a quantile over the answers measured in this run, clustered by sample."""
    ended = mask & (frame.status != MISSING)
    fresh = ended & ~frame.reused
    n_missing = int((mask & (frame.status == MISSING)).sum())
    if ended.any() and not fresh.any():
        return not_measured("all answers were reused from an earlier run", n_missing=n_missing)
    values = (frame.numbers[name] if isinstance(name, str) else name)[fresh]
    kept = ~np.isnan(values)
    if not kept.any():
        why = "not visible in the answers" if fresh.any() else "no answers"
        return not_measured(why, n_missing=n_missing)
    samples = frame.sample[fresh][kept]
    return estimate_quantile(
        values[kept],
        q=q,
        n_samples=int(np.count_nonzero(np.bincount(samples))),
        n_missing=n_missing,
        clusters=frame.clusters_of(samples),
    )


def _rate(frame: Frame, mask: Bools, happened: Bools) -> Estimate:
    """Return the share of trials in which something happened, over item means."""
    if not mask.any():
        return not_measured("no trials of this run")
    codes, place = frame.samples_of(np.flatnonzero(mask))
    means = group_means(happened[mask].astype(np.float64), place, groups=len(codes))
    return estimate_mean(
        means,
        n_trials=int(mask.sum()),
        n_missing=0,
        binary=True,
        clusters=frame.clusters_of(codes),
    )


def _month(
    frame: Frame, candidate: int, scenario: int | None, tasks: Mapping[str, float]
) -> tuple[float, Estimate]:
    """Return tasks a month and what they cost."""
    codes = range(len(frame.scenarios)) if scenario is None else (scenario,)
    parts = [
        (
            tasks.get(frame.scenarios[code], 0.0),
            cost_per_task(frame, frame.rows(candidate=candidate, scenario=code)),
        )
        for code in codes
    ]
    return sum(volume for volume, _ in parts), cost_per_month(parts)


def _engineering(
    frame: Frame, candidate: int, scenario: int | None, *, tasks: Mapping[str, float]
) -> EngineeringCell:
    mask = frame.rows(candidate=candidate, scenario=scenario)
    ended = mask & (frame.status != MISSING)
    fresh = mask & ~frame.reused
    length = frame.finishes.index("length") if "length" in frame.finishes else -2
    failed = frame.failure[mask & (frame.failure >= 0)]
    kinds, counts = np.unique(failed, return_counts=True)
    served = np.unique(frame.served[ended & (frame.served >= 0)])
    timeouts = [i for i, name in enumerate(frame.failures) if name.startswith("timeout")]
    due = frame.numbers["latency"] + frame.numbers["waited"]
    volume, month = _month(frame, candidate, scenario, tasks)
    return EngineeringCell(
        candidate=frame.candidates[candidate],
        scenario=None if scenario is None else frame.scenarios[scenario],
        first_token_p50=_quantile(frame, mask, "first_token", 0.5),
        first_token_p95=_quantile(frame, mask, "first_token", 0.95),
        latency_p50=_quantile(frame, mask, "latency", 0.5),
        latency_p95=_quantile(frame, mask, "latency", 0.95),
        latency_p99=_quantile(frame, mask, "latency", 0.99),
        output_tokens_p50=_quantile(frame, mask, "output_tokens", 0.5),
        output_tokens_p95=_quantile(frame, mask, "output_tokens", 0.95),
        cost_per_call=cost_per_call(frame, mask),
        cost_per_task=cost_per_task(frame, mask),
        cost_per_month=month,
        tasks_per_month=volume,
        scheduled_p50=_quantile(frame, mask, due, 0.5),
        scheduled_p95=_quantile(frame, mask, due, 0.95),
        scheduled_p99=_quantile(frame, mask, due, 0.99),
        timeout_rate=_rate(frame, fresh, np.isin(frame.failure, timeouts)),
        retry_cost=retry_cost(frame, fresh),
        cost_per_success=cost_per_success(frame, mask),
        missing_rate=_rate(frame, fresh, frame.status == MISSING),
        retry_rate=_rate(frame, fresh, frame.attempts > 0),
        truncation_rate=_rate(frame, ended, frame.finish == length),
        total_cost=total_cost(frame, fresh),
        unknown_cost_calls=int(np.isnan(frame.numbers["cost"][ended & fresh]).sum()),
        reused_trials=int((mask & frame.reused).sum()),
        failures={
            frame.failures[kind]: int(count) for kind, count in zip(kinds, counts, strict=True)
        },
        served_models=tuple(frame.served_models[code] for code in served),
    )


def usability_cells(frame: Frame) -> tuple[UsabilityCell, ...]:
    """Return ceiling, mean, reliable, cost per success and latency in one row per cell."""
    items = [item_means(frame, (scenario,), "pass") for scenario in range(len(frame.scenarios))]
    return tuple(
        _usability(cell.frame, items[cell.scenario], cell.candidate, cell.scenario)
        for cell in scenario_cells(frame)
        if cell.scenario is not None
    )


def _usability(frame: Frame, items: Items, candidate: int, scenario: int) -> UsabilityCell:
    repeats = repeats_of(frame, candidate, scenario)
    over = OverSamples.of(frame, repeats, items, candidate)
    k = specs(frame)[scenario].repeats_of(frame.manifest.candidates[candidate].candidate)
    mask = frame.rows(candidate=candidate, scenario=scenario) & (frame.variant == 0)

    def over_k(per_item: Floats) -> Estimate:
        if k < 2:  # noqa: PLR2004 - one repeat has no ceiling of its own
            return not_measured("1 repeat", n_missing=over.n_missing)
        if np.isnan(per_item).all():
            return not_measured(f"no sample with {k} scored repeats", n_missing=over.n_missing)
        return over.estimate(per_item, binary=True)

    return UsabilityCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        ceiling=over_k(pass_at_k(repeats.right, repeats.scored, k=k)),
        mean=items.estimate(candidate),
        reliable=over_k(pass_hat_k(repeats.right, repeats.scored, k=k)),
        k=k,
        cost_per_success=cost_per_success(frame, mask),
        latency_p50=_quantile(frame, mask, "latency", 0.5),
        latency_p95=_quantile(frame, mask, "latency", 0.95),
    )
