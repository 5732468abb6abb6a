"""Latency, length, cost and failures from the calls of a run, and capability beside usability.

Only trials measured in this run give latencies: a reused answer keeps the
latency it had, which is no measurement of today.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from befit.analysis.answers import Answers
from befit.analysis.cells import Cell, cells, scenario_cells
from befit.analysis.engineering_cost import (
    at_least,
    cost_per_call,
    cost_per_month,
    cost_per_success,
    cost_per_task,
    retry_cost,
    total_cost,
    traffic,
    untold_tries,
)
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import Items, item_means, rate_of_trials
from befit.analysis.results import EngineeringCell, UsabilityCell
from befit.analysis.stability import (
    Chance,
    OverSamples,
    planned_repeats,
    repeats_of,
    why_no_repeats,
)
from befit.core.estimate import Estimate, not_measured
from befit.stats.passk import pass_at_k, pass_hat_k


def engineering_cells(frame: Frame) -> tuple[EngineeringCell, ...]:
    """Return one cell per candidate over all scenarios, then one per candidate and scenario."""
    tasks = traffic(frame.manifest)
    return tuple(engineering_cell(cell, tasks=tasks) for cell in cells(frame))


def _month(cell: Cell, tasks: Mapping[str, float], per_task: Estimate) -> tuple[float, Estimate]:
    """Return tasks a month and what they cost, from the cost per task of the whole cell."""
    frame = cell.frame
    codes = range(len(frame.scenarios)) if cell.scenario is None else (cell.scenario,)
    parts = [
        (
            tasks.get(frame.scenarios[code], 0.0),
            per_task
            if cell.scenario is not None
            else cost_per_task(frame, frame.rows(scenario=code)),
        )
        for code in codes
    ]
    return sum(volume for volume, _ in parts), cost_per_month(parts)


def engineering_cell(cell: Cell, *, tasks: Mapping[str, float]) -> EngineeringCell:
    """Return what the calls of a cell took and cost; `tasks` a month by scenario."""
    frame, answers = cell.frame, cell.answers
    mask = np.ones(len(frame.candidate), dtype=np.bool_)
    ended = frame.status != MISSING
    fresh = ~frame.reused
    length = frame.finishes.index("length") if "length" in frame.finishes else -2
    failed = frame.failure[frame.failure >= 0]
    kinds, counts = np.unique(failed, return_counts=True)
    served = np.unique(frame.served[ended & (frame.served >= 0)])
    timeouts = [i for i, name in enumerate(frame.failures) if name.startswith("timeout")]
    per_task = cost_per_task(frame, mask)
    volume, month = _month(cell, tasks, per_task)
    untold = untold_tries(frame, mask)
    return EngineeringCell(
        candidate=frame.candidates[cell.candidate],
        scenario=None if cell.scenario is None else frame.scenarios[cell.scenario],
        first_token_p50=answers.quantile("first_token", 0.5),
        first_token_p95=answers.quantile("first_token", 0.95),
        latency_p50=answers.quantile("latency", 0.5),
        latency_p95=answers.quantile("latency", 0.95),
        latency_p99=answers.quantile("latency", 0.99),
        input_tokens_p50=answers.quantile("input_tokens", 0.5),
        input_tokens_p95=answers.quantile("input_tokens", 0.95),
        output_tokens_p50=answers.quantile("output_tokens", 0.5),
        output_tokens_p95=answers.quantile("output_tokens", 0.95),
        cost_per_call=at_least(cost_per_call(frame, mask, per_task), untold),
        cost_per_task=at_least(per_task, untold),
        cost_per_month=at_least(month, untold),
        tasks_per_month=volume,
        scheduled_p50=answers.quantile("due", 0.5),
        scheduled_p95=answers.quantile("due", 0.95),
        scheduled_p99=answers.quantile("due", 0.99),
        timeout_rate=rate_of_trials(frame, fresh, np.isin(frame.failure, timeouts), of_calls=True),
        retry_cost=retry_cost(frame, fresh),
        cost_per_success=at_least(cost_per_success(frame, mask), untold),
        missing_rate=rate_of_trials(frame, fresh, ~ended, of_calls=True),
        retry_rate=rate_of_trials(frame, fresh, frame.attempts > 0, of_calls=True),
        truncation_rate=rate_of_trials(frame, ended, frame.finish == length),
        total_cost=total_cost(frame, fresh),
        unknown_cost_calls=int(np.isnan(frame.numbers["cost"][ended & fresh]).sum()),
        untold_tries=untold,
        reused_trials=int(frame.reused.sum()),
        failures={
            frame.failures[kind]: int(count) for kind, count in zip(kinds, counts, strict=True)
        },
        served_models=tuple(frame.served_models[code] for code in served),
    )


def usability_cells(
    frame: Frame, known: Sequence[EngineeringCell] = ()
) -> tuple[UsabilityCell, ...]:
    """Return ceiling, mean, reliable, cost per success and latency in one row per cell.

    `known`: cells of the same frame, whose figures count where a cell has one prompt only.
    """
    told = {(cell.candidate, cell.scenario): cell for cell in known}
    items = [item_means(frame, (scenario,), "pass") for scenario in range(len(frame.scenarios))]
    return tuple(
        _usability(cell, items[cell.scenario], told)
        for cell in scenario_cells(frame)
        if cell.scenario is not None
    )


def _usability(
    cell: Cell, items: Items, told: Mapping[tuple[str, str | None], EngineeringCell]
) -> UsabilityCell:
    frame, candidate, scenario = cell.frame, cell.candidate, cell.scenario or 0
    repeats = repeats_of(frame, candidate, scenario)
    over = OverSamples.of(frame, repeats, items, candidate)
    k = planned_repeats(frame, candidate, scenario)
    why = why_no_repeats(frame, candidate, scenario)
    own = _canonical(frame, told.get((frame.candidates[candidate], frame.scenarios[scenario])))

    def over_k(of_item: Chance) -> Estimate:
        if why is not None:
            return not_measured(why, n_missing=over.n_missing)
        return over.chance(of_item, k=k)

    return UsabilityCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        ceiling=over_k(pass_at_k),
        mean=items.estimate(candidate),
        reliable=over_k(pass_hat_k),
        k=k,
        cost_per_success=own[0],
        latency_p50=own[1],
        latency_p95=own[2],
    )


def _canonical(frame: Frame, whole: EngineeringCell | None) -> tuple[Estimate, Estimate, Estimate]:
    """Return cost per success and latency p50 and p95 of a cell, of the canonical prompt."""
    mask = frame.variant == 0
    if whole is not None and mask.all():
        return whole.cost_per_success, whole.latency_p50, whole.latency_p95
    answers = Answers(frame, rows=mask)
    return (
        at_least(cost_per_success(frame, mask), untold_tries(frame, mask)),
        answers.quantile("latency", 0.5),
        answers.quantile("latency", 0.95),
    )
