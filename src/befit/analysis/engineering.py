"""Latency, length, cost and failures from the calls of a run, and capability beside usability.

Only trials measured in this run give latencies: a reused answer keeps the
latency it had, which is no measurement of today.
"""

from __future__ import annotations

import numpy as np

from befit.analysis.columns import Bools, Floats
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import Items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import EngineeringCell, UsabilityCell
from befit.analysis.stability import OverSamples, repeats_of
from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import group_means
from befit.stats.means import estimate_amount, estimate_mean
from befit.stats.passk import pass_at_k, pass_hat_k
from befit.stats.quantiles import estimate_quantile
from befit.stats.ratio import estimate_ratio


def engineering_cells(frame: Frame) -> tuple[EngineeringCell, ...]:
    """Return one cell per candidate over all scenarios, then one per candidate and scenario."""
    scenarios: list[int | None] = [None]
    if len(frame.scenarios) > 1:
        scenarios += list(range(len(frame.scenarios)))
    return tuple(
        _engineering(frame, candidate, scenario)
        for scenario in scenarios
        for candidate in range(len(frame.candidates))
    )


def _quantile(frame: Frame, mask: Bools, name: str, q: float) -> Estimate:
    """Return a quantile over the answers measured in this run, clustered by sample."""
    ended = mask & (frame.status != MISSING)
    fresh = ended & ~frame.reused
    n_missing = int((mask & (frame.status == MISSING)).sum())
    if ended.any() and not fresh.any():
        return not_measured("all answers were reused from an earlier run", n_missing=n_missing)
    values = frame.numbers[name][fresh]
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


def per_sample_sums(frame: Frame, mask: Bools, values: Floats) -> Floats:
    """Return the sum of `values` per sample over the rows of `mask`; nan where any is unknown."""
    codes, place = frame.samples_of(np.flatnonzero(mask))
    sums = np.bincount(place, weights=values[mask], minlength=len(codes))
    return np.asarray(sums, dtype=np.float64)


def cost_per_success(frame: Frame, mask: Bools) -> Estimate:
    """Return USD per passed task: what all answers cost, over the successes, by sample.

    A reused answer counts at what it cost when it was made: the figure is
    about the candidate, not about this run's bill.
    """
    ended = mask & (frame.status != MISSING)
    n_missing = int((mask & (frame.status == MISSING)).sum())
    if not ended.any():
        return not_measured("no trials", n_missing=n_missing)
    if np.isnan(frame.numbers["cost"][ended]).any():
        return not_measured("price or usage unknown", n_missing=n_missing)
    if not (frame.passed[ended] >= 1).any():
        return not_measured("no success", n_missing=n_missing)
    spent = per_sample_sums(frame, ended, frame.numbers["cost"])
    passed = (np.nan_to_num(frame.passed) >= 1).astype(np.float64)
    successes = per_sample_sums(frame, ended, passed)
    samples, _ = frame.samples_of(np.flatnonzero(ended))
    return estimate_ratio(
        spent,
        successes,
        n_trials=int(ended.sum()),
        n_missing=n_missing,
        clusters=frame.clusters_of(samples),
    )


def _cost_per_call(frame: Frame, mask: Bools) -> Estimate:
    ended = mask & (frame.status != MISSING)
    n_missing = int((mask & (frame.status == MISSING)).sum())
    cost = frame.numbers["cost"][ended]
    if not len(cost) or np.isnan(cost).any():
        return not_measured("price or usage unknown", n_missing=n_missing)
    codes, place = frame.samples_of(np.flatnonzero(ended))
    means = group_means(cost, place, groups=len(codes))
    return estimate_amount(means, n_trials=len(cost), n_missing=n_missing)


def _engineering(frame: Frame, candidate: int, scenario: int | None) -> EngineeringCell:
    mask = frame.rows(candidate=candidate, scenario=scenario)
    ended = mask & (frame.status != MISSING)
    fresh = mask & ~frame.reused
    length = frame.finishes.index("length") if "length" in frame.finishes else -2
    failed = frame.failure[mask & (frame.failure >= 0)]
    kinds, counts = np.unique(failed, return_counts=True)
    served = np.unique(frame.served[ended & (frame.served >= 0)])
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
        cost_per_call=_cost_per_call(frame, mask),
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


def total_cost(frame: Frame, fresh: Bools) -> float | None:
    """Return the USD known to be spent in this run; None where no call has a known cost.

    A sum of what was billed, so nothing is estimated. Failed calls count where
    their cost is known; calls of unknown cost are counted beside it.
    """
    cost = frame.numbers["cost"][fresh]
    known = cost[~np.isnan(cost)]
    return float(known.sum()) if len(known) or not len(cost) else None


def usability_cells(frame: Frame) -> tuple[UsabilityCell, ...]:
    """Return ceiling, mean, reliable, cost per success and latency in one row per cell."""
    found: list[UsabilityCell] = []
    for scenario in range(len(frame.scenarios)):
        items = item_means(frame, (scenario,), "pass")
        found += [_usability(frame, items, c, scenario) for c in range(len(frame.candidates))]
    return tuple(found)


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
