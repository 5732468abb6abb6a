"""How steady time, length and cost are, and how long answers are for what they say.

A median says nothing of the odd slow call: p95 over p50 does. Hours, repeats and
runs are compared because endpoints have rush hours and change silently.
Verbosity is an answer's length over that of the shortest passing answer to the
same sample, whoever gave it; chatter is the share of an answer that is not the
answer proper, where a scorer can point at that. Only answers measured in a run
count for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.answers import UNSEEN, Answers
from befit.analysis.cells import Cell, cells
from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import OK, Frame
from befit.analysis.items import estimate_over_items
from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import cluster_codes, divide, group_means
from befit.stats.quantiles import estimate_quantile
from befit.stats.redrawn import Counts, redraw, redrawn_quantiles

DRAWS = 200
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
    chatter: Estimate
    """Mean share of an answer's characters around the answer proper (its payload)."""
    output_tokens_p5: Estimate
    output_tokens_p99: Estimate
    hours: int
    """Hours of the clock with enough answers to be compared."""
    hour_spread: Estimate
    """Slowest hour's median latency over the quickest hour's."""
    hour_tokens: Estimate
    hour_cost: Estimate
    repeat_spread: Estimate
    """The same between repeats, which are made one after the other."""
    runs: int
    """Runs with enough answers to be compared, this one included."""
    run_spread: Estimate
    """Slowest run's median latency over the quickest run's: the same candidate and prompt."""
    run_tokens: Estimate
    run_cost: Estimate


Earlier = Mapping[tuple[str, str], Sequence[Floats]]
"""(candidate, scenario) -> for each other run an array (answers, 3): seconds, tokens, USD."""
COMPARED = ("latency", "output_tokens", "cost")


class Details:
    """Makes the details of the cells of a run, one by one.

    Args:
        frame: the run.
        earlier: what other runs measured of the same candidates on the same scenarios.
    """

    def __init__(self, frame: Frame, earlier: Earlier | None = None) -> None:
        self._frame = frame
        self._earlier = earlier or {}
        self._shortest = _shortest(frame)
        self._drawn = _drawn(frame, None)

    def of(self, cell: Cell) -> EngineeringDetail:
        """Return the details of one cell; scenario by scenario, the redrawing is shared."""
        if cell.scenario != self._drawn.scenario:
            self._drawn = _drawn(self._frame, cell.scenario)
        return _detail(cell, self._drawn, shortest=self._shortest, earlier=self._earlier)


def engineering_details(
    frame: Frame, earlier: Earlier | None = None
) -> tuple[EngineeringDetail, ...]:
    """Return one row per candidate over all scenarios, then one per candidate and scenario."""
    return tuple(map(Details(frame, earlier).of, cells(frame)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drawn:
    """The clusters of a scenario (None: of all) redrawn, the same for every candidate."""

    scenario: int | None
    column: Ints
    """Column of each cluster (by cluster code) in the counts."""
    counts: Counts


def _drawn(frame: Frame, scenario: int | None) -> _Drawn:
    own = frame.cluster if scenario is None else frame.cluster[frame.home == scenario]
    codes = np.unique(own)
    column = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
    column[codes] = np.arange(codes.size)
    counts = redraw(codes.size, rng=np.random.default_rng(0), draws=DRAWS)
    return _Drawn(scenario=scenario, column=column, counts=counts)


def _detail(cell: Cell, drawn: _Drawn, *, shortest: Floats, earlier: Earlier) -> EngineeringDetail:
    frame, answers, scenario = cell.frame, cell.answers, cell.scenario
    fresh, n_missing = answers.fresh, answers.n_missing
    numbers = frame.numbers
    length = numbers["output_tokens"]
    with np.errstate(divide="ignore", invalid="ignore"):
        verbose = length / shortest[frame.sample]
    hours = np.floor(numbers["started_at"] / HOUR).astype(np.int64)
    by_hour = [_between(_parts(numbers[name], hours, fresh), n_missing) for name in COMPARED]
    by_repeat = _between(_parts(numbers["latency"], frame.repeat, fresh), n_missing)
    by_run = _between_runs(cell, earlier, n_missing=n_missing)
    wordy = answers.ranked(np.where(np.isfinite(verbose), verbose, np.nan))

    def quantile(name: str, q: float) -> Estimate:
        found = answers.quantile(name, q)
        return found if found.value is not None else not_measured(UNSEEN, n_missing=n_missing)

    return EngineeringDetail(
        candidate=frame.candidates[cell.candidate],
        scenario=None if scenario is None else frame.scenarios[scenario],
        first_output_p50=quantile("first_output_token", 0.5),
        first_output_p95=quantile("first_output_token", 0.95),
        per_token_p50=quantile("per_token", 0.5),
        per_token_p95=quantile("per_token", 0.95),
        latency_spread=_spread(answers, "latency", drawn),
        tokens_spread=_spread(answers, "output_tokens", drawn),
        cost_spread=_spread(answers, "cost", drawn),
        verbosity=not_measured(UNSEEN, n_missing=n_missing)
        if wordy is None
        else wordy.ranked.estimate(0.5, n_samples=wordy.n_samples, n_missing=n_missing),
        chatter=_chatter(frame, n_missing=n_missing),
        output_tokens_p5=quantile("output_tokens", 0.05),
        output_tokens_p99=quantile("output_tokens", 0.99),
        hours=by_hour[0].groups,
        hour_spread=by_hour[0].spread,
        hour_tokens=by_hour[1].spread,
        hour_cost=by_hour[2].spread,
        repeat_spread=by_repeat.spread,
        runs=by_run[0].groups,
        run_spread=by_run[0].spread,
        run_tokens=by_run[1].spread,
        run_cost=by_run[2].spread,
    )


def _shortest(frame: Frame) -> Floats:
    """Return the length of the shortest passing answer to each sample; nan where none passed."""
    length = frame.numbers["output_tokens"]
    found = np.full(len(frame.samples), np.inf)
    passing = (np.nan_to_num(frame.passed) >= 1) & (length > 0)
    np.minimum.at(found, frame.sample[passing], length[passing])
    return np.where(np.isfinite(found), found, np.nan)


def _spread(answers: Answers, name: str, drawn: _Drawn) -> Estimate:
    """Return p95 over p50 with a bootstrap over clusters of samples (percentile interval)."""
    column = answers.column(name)
    if column is None or len(column.ranked.values) < LEAST or column.ranked.quantile(0.5) <= 0:
        return not_measured(f"fewer than {LEAST} values", n_missing=answers.n_missing)
    values = column.ranked.values
    middle, tail = redrawn_quantiles(
        values,
        drawn.column[column.clusters],
        drawn.counts,
        (0.5, 0.95),
        weights=column.weights,
    )
    low, high = np.nanquantile(divide(tail, middle), (0.025, 0.975))
    return Estimate(
        value=column.ranked.reach(0.95) / column.ranked.reach(0.5),
        low=float(low),
        high=float(high),
        n_samples=column.n_samples,
        n_trials=int(values.size),
        n_missing=answers.n_missing,
        method="p95 over p50, bootstrap over samples",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Between:
    """Groups compared, and the largest over the least of their medians."""

    groups: int
    spread: Estimate


def _parts(values: Floats, groups: Ints, rows: Bools) -> list[Floats]:
    kept = rows & ~np.isnan(values)
    values, codes = values[kept], cluster_codes(groups[kept])
    if not len(codes):
        return []
    ends = np.cumsum(np.bincount(codes))
    return np.split(
        values[np.argsort(codes, kind="stable")] if len(ends) > 1 else values, ends[:-1]
    )


def _between(parts: Sequence[Floats], n_missing: int) -> _Between:
    """Return the largest over the least median of groups, with an interval from their own."""
    usable = [part for part in parts if part.size >= LEAST_IN_HOUR]
    found = [estimate_quantile(p, q=0.5, n_samples=p.size, n_missing=0) for p in usable]
    if len(found) < 2:  # noqa: PLR2004 - one group is no comparison
        why = "one group only"
        return _Between(groups=len(found), spread=not_measured(why, n_missing=n_missing))
    slow = max(found, key=lambda e: e.value or 0.0)
    quick = min(found, key=lambda e: e.value or 0.0)
    if not quick.value:
        why = "the least median is 0"
        return _Between(groups=len(found), spread=not_measured(why, n_missing=n_missing))
    low = slow.low / quick.high if slow.low is not None and quick.high else None
    high = slow.high / quick.low if slow.high is not None and quick.low else None
    n = sum(part.size for part in usable)
    estimate = Estimate(
        value=(slow.value or 0.0) / quick.value,
        low=None if low is None else max(low, 1.0),
        high=high,
        n_samples=n,
        n_trials=n,
        n_missing=n_missing,
        method=f"largest over least of {len(found)} medians, ends of both intervals (conservative)",
    )
    return _Between(groups=len(found), spread=estimate)


def _between_runs(
    cell: Cell, earlier: Earlier, *, n_missing: int
) -> tuple[_Between, _Between, _Between]:
    """Compare this run with others, one task type at a time: others may hold other tasks."""
    frame, scenario = cell.frame, cell.scenario
    if scenario is None and len(frame.scenarios) > 1:
        nothing = _Between(groups=0, spread=not_measured("told for each task type"))
        return nothing, nothing, nothing
    name = frame.scenarios[scenario or 0] if frame.scenarios else ""
    others = earlier.get((frame.candidates[cell.candidate], name), ())
    own = cell.answers.fresh & (frame.variant == 0)
    found = []
    for at, column in enumerate(COMPARED):
        parts = [frame.numbers[column][own], *(other[:, at] for other in others)]
        found.append(_between([part[~np.isnan(part)] for part in parts], n_missing))
    return found[0], found[1], found[2]


def _chatter(frame: Frame, *, n_missing: int) -> Estimate:
    """Return the mean share of an answer that is around its payload, over item means."""
    whole, payload = frame.numbers["output_chars"], frame.numbers["payload_chars"]
    kept = (frame.status == OK) & (whole > 0) & ~np.isnan(payload)
    if not kept.any():
        return not_measured("no scorer points at it")
    shares = np.clip(1.0 - payload[kept] / whole[kept], 0.0, 1.0)
    codes, place = frame.samples_of(np.flatnonzero(kept))
    return estimate_over_items(
        group_means(shares, place, groups=len(codes)),
        n_trials=int(kept.sum()),
        n_missing=n_missing,
        binary=False,
        clusters=frame.clusters_of(codes),
        weights=frame.weights_of(codes),
    )
