"""How steady time, length and cost are, and how long answers are for what they say.

A median says nothing of the odd slow call: p95 over p50 does. Hours and
repeats are compared because endpoints have rush hours. Verbosity is an answer's
length over that of the shortest passing answer to the same sample, whoever gave
it. Only answers measured in this run count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import MISSING, Frame
from befit.core.estimate import Estimate, not_measured
from befit.stats.quantiles import estimate_quantile

DRAWS = 400
LEAST = 10
"""Values that a ratio of quantiles needs at least."""
HOUR = 3600.0
LEAST_IN_HOUR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineeringDetail:
    """One candidate on one scenario (None: all). Ratios have no unit; 1 is perfectly steady."""

    candidate: str
    scenario: str | None
    first_output_p50: Estimate
    first_output_p95: Estimate
    per_token_p50: Estimate
    per_token_p95: Estimate
    latency_spread: Estimate
    """p95 over p50."""
    tokens_spread: Estimate
    cost_spread: Estimate
    verbosity: Estimate
    """Median of output tokens over those of the shortest passing answer to the same sample."""
    hours: int
    """Hours of the clock with enough answers to be compared."""
    hour_spread: Estimate
    """Slowest hour's median latency over the quickest hour's."""
    repeat_spread: Estimate
    """The same between repeats, which are made one after the other."""


def engineering_details(frame: Frame) -> tuple[EngineeringDetail, ...]:
    """Return one row per candidate over all scenarios, then one per candidate and scenario."""
    scenarios: list[int | None] = [None]
    if len(frame.scenarios) > 1:
        scenarios += list(range(len(frame.scenarios)))
    shortest = _shortest(frame)
    return tuple(
        _detail(frame, candidate, scenario, shortest)
        for scenario in scenarios
        for candidate in range(len(frame.candidates))
    )


def _detail(
    frame: Frame, candidate: int, scenario: int | None, shortest: Floats
) -> EngineeringDetail:
    rows = frame.rows(candidate=candidate, scenario=scenario)
    fresh = rows & (frame.status != MISSING) & ~frame.reused
    n_missing = int((rows & (frame.status == MISSING)).sum())
    numbers = frame.numbers
    length = numbers["output_tokens"]
    with np.errstate(divide="ignore", invalid="ignore"):
        verbose = length / shortest[frame.sample]
    hours = np.floor(numbers["started_at"] / HOUR).astype(np.int64)
    hour_spread, n_hours = _between(numbers["latency"], hours, fresh, n_missing=n_missing)
    repeat_spread, _ = _between(numbers["latency"], frame.repeat, fresh, n_missing=n_missing)

    def quantile(values: Floats, q: float) -> Estimate:
        return _quantile(frame, values, fresh, q=q, n_missing=n_missing)

    def spread(values: Floats) -> Estimate:
        return _spread(frame, values, fresh, n_missing=n_missing)

    return EngineeringDetail(
        candidate=frame.candidates[candidate],
        scenario=None if scenario is None else frame.scenarios[scenario],
        first_output_p50=quantile(numbers["first_output_token"], 0.5),
        first_output_p95=quantile(numbers["first_output_token"], 0.95),
        per_token_p50=quantile(numbers["per_token"], 0.5),
        per_token_p95=quantile(numbers["per_token"], 0.95),
        latency_spread=spread(numbers["latency"]),
        tokens_spread=spread(length),
        cost_spread=spread(numbers["cost"]),
        verbosity=quantile(np.where(np.isfinite(verbose), verbose, np.nan), 0.5),
        hours=n_hours,
        hour_spread=hour_spread,
        repeat_spread=repeat_spread,
    )


def _shortest(frame: Frame) -> Floats:
    """Return the length of the shortest passing answer to each sample; nan where none passed."""
    length = frame.numbers["output_tokens"]
    found = np.full(len(frame.samples), np.inf)
    passing = (np.nan_to_num(frame.passed) >= 1) & (length > 0)
    np.minimum.at(found, frame.sample[passing], length[passing])
    return np.where(np.isfinite(found), found, np.nan)


def _quantile(frame: Frame, values: Floats, rows: Bools, *, q: float, n_missing: int) -> Estimate:
    kept = rows & ~np.isnan(values)
    if not kept.any():
        return not_measured("not visible in the answers", n_missing=n_missing)
    samples = frame.sample[kept]
    return estimate_quantile(
        values[kept],
        q=q,
        n_samples=len(np.unique(samples)),
        n_missing=n_missing,
        clusters=frame.cluster[samples],
    )


def _spread(frame: Frame, values: Floats, rows: Bools, *, n_missing: int) -> Estimate:
    """Return p95 over p50 with a bootstrap over clusters of samples (percentile interval)."""
    kept = rows & ~np.isnan(values)
    chosen, groups = values[kept], frame.cluster[frame.sample[kept]]
    if chosen.size < LEAST or np.median(chosen) <= 0:
        return not_measured(f"fewer than {LEAST} values", n_missing=n_missing)
    codes, place = np.unique(groups, return_inverse=True)
    order = np.argsort(chosen)
    ranked, owner = chosen[order], place[order]
    rng = np.random.default_rng(0)
    draws = rng.multinomial(codes.size, np.full(codes.size, 1 / codes.size), size=DRAWS)
    drawn = np.array([_ratio(ranked, counts[owner]) for counts in draws])
    value = _ratio(ranked, np.ones_like(owner))
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return Estimate(
        value=value,
        low=float(low),
        high=float(high),
        n_samples=len(np.unique(frame.sample[kept])),
        n_trials=int(chosen.size),
        n_missing=n_missing,
        method="p95 over p50, bootstrap over samples",
    )


def _ratio(ranked: Floats, weights: Ints) -> float:
    """Weighted p95 over weighted p50 of ranked values."""
    total = np.cumsum(weights)
    if not total[-1]:
        return float("nan")
    middle = ranked[np.searchsorted(total, 0.5 * total[-1])]
    tail = ranked[min(np.searchsorted(total, 0.95 * total[-1]), len(ranked) - 1)]
    return float(tail / middle) if middle > 0 else float("nan")


def _between(values: Floats, groups: Ints, rows: Bools, *, n_missing: int) -> tuple[Estimate, int]:
    """Return the largest over the least median of groups, with an interval from their own."""
    kept = rows & ~np.isnan(values)
    found: list[Estimate] = []
    for group in np.unique(groups[kept]):
        inside = values[kept & (groups == group)]
        if inside.size >= LEAST_IN_HOUR:
            found.append(estimate_quantile(inside, q=0.5, n_samples=inside.size, n_missing=0))
    if len(found) < 2:  # noqa: PLR2004 - one group is no comparison
        return not_measured("fewer than two groups with enough answers", n_missing=n_missing), len(
            found
        )
    slow = max(found, key=lambda e: e.value or 0.0)
    quick = min(found, key=lambda e: e.value or 0.0)
    low = slow.low / quick.high if slow.low is not None and quick.high else None
    high = slow.high / quick.low if slow.high is not None and quick.low else None
    estimate = Estimate(
        value=(slow.value or 0.0) / (quick.value or float("nan")),
        low=None if low is None else max(low, 1.0),
        high=high,
        n_samples=int(kept.sum()),
        n_trials=int(kept.sum()),
        n_missing=n_missing,
        method=f"largest over least of {len(found)} medians, ends of both intervals (conservative)",
    )
    return estimate, len(found)
