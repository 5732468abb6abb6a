"""How far each public result can be trusted: its interval, and where that comes from.

Results per item are best; then a stated standard error; then the number of
items with the binomial as an assumption, which is said. Repeated evaluations
add the variance between runs to the sampling variance: conservative, since a
part of it is in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.core.screening import BenchmarkSettings
from befit.interop.benchmarks import BenchmarkTable, Result
from befit.stats.distributions import t_value, z_value
from befit.stats.intervals import Interval, score_interval, standard_error, wilson

LEVEL = 0.95
_MOST_DF = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One result with its noise. `estimate` is in the table's unit.

    `error` (and `run_error`, the part that repeated evaluations show) are
    standard errors in that unit; None where no noise is known.
    """

    estimate: Estimate
    error: float | None
    run_error: float | None
    noise: str

    @property
    def value(self) -> float:
        """The value; only asked of cells that are there."""
        assert self.estimate.value is not None  # noqa: S101 - cells are made from results
        return self.estimate.value


def read_cells(table: BenchmarkTable, benchmark: str, *, assumed_items: int) -> dict[str, Cell]:
    """Return the cells of one benchmark by model."""
    settings = table.settings[benchmark]
    return {
        model: read_cell(result, settings, assumed_items=assumed_items)
        for model, result in table.results[benchmark].items()
    }


def read_cell(result: Result, settings: BenchmarkSettings, *, assumed_items: int) -> Cell:
    """Return one result with its interval."""
    anchors = settings.anchors
    if anchors is None:
        return _unscaled(result)
    low, high = anchors
    span = high - low
    between = _between_runs(result) / span
    items, known = _items(result, settings, assumed_items)
    mean = min(max((result.value - low) / span, 0.0), 1.0)
    if result.by_item and len(result.by_item) > 1:
        interval, sampling, noise = _from_items(result, low=low, span=span)
    elif result.error:
        sampling, noise = result.error / span, "stated standard error"
        interval = _at(mean, sampling, items=items)
    else:
        interval, noise = wilson(mean * items, n=items, level=LEVEL), known
        sampling = sqrt(mean * (1 - mean) / items)
    if between:
        noise += f" + variance of {len(result.runs)} runs"
        interval = _widened(mean, sampling, between, runs=len(result.runs), items=items)
    return _cell(interval, result, items=items, low=low, span=span, between=between, noise=noise)


def _items(result: Result, settings: BenchmarkSettings, assumed_items: int) -> tuple[int, str]:
    if result.by_item:
        return len(result.by_item), "results per item"
    if result.items:
        return result.items, f"assumed: binomial on n = {result.items:,}"
    if settings.items:
        return settings.items, f"assumed: binomial on its usual n = {settings.items:,}"
    return assumed_items, f"assumed: binomial on {assumed_items:,} items, since no n is known"


def _between_runs(result: Result) -> float:
    """Return the standard error of the mean of the runs, from their spread."""
    if len(result.runs) <= 1:
        return 0.0
    return float(np.std(result.runs, ddof=1)) / sqrt(len(result.runs))


def _from_items(result: Result, *, low: float, span: float) -> tuple[Interval, float, str]:
    values = (np.fromiter((result.by_item or {}).values(), dtype=np.float64) - low) / span
    values = np.clip(values, 0.0, 1.0)
    single = not result.runs and bool(np.isin(values, (0.0, 1.0)).all())
    if single:
        interval = wilson(float(values.sum()), n=values.size, level=LEVEL)
    else:
        interval = score_interval(values, level=LEVEL)
    return interval, standard_error(values), "results per item"


def _at(mean: float, error: float, *, items: int) -> Interval:
    """Return Wilson's interval at the n whose binomial error is the stated one."""
    widest = mean * (1 - mean)
    if not widest:
        return wilson(mean * items, n=items, level=LEVEL)
    n = widest / error**2
    found = wilson(mean * n, n=n, level=LEVEL)
    return replace(found, method="wilson at the stated error")


def _widened(mean: float, sampling: float, between: float, *, runs: int, items: int) -> Interval:
    """Put both variances together, with Satterthwaite's degrees of freedom."""
    total = sampling**2 + between**2
    df = min(total**2 / (between**4 / (runs - 1) + sampling**4 / max(items - 1, 1)), _MOST_DF)
    stretch = t_value(LEVEL, df=df) / z_value(LEVEL)
    found = _at(mean, sqrt(total) * stretch, items=items)
    return replace(found, method="wilson, sampling and run variance")


def _cell(
    interval: Interval,
    result: Result,
    *,
    items: int,
    low: float,
    span: float,
    between: float,
    noise: str,
) -> Cell:
    def back(x: float | None) -> float | None:
        return None if x is None else low + span * x

    estimate = Estimate(
        value=result.value,
        low=back(interval.low),
        high=back(interval.high),
        n_samples=items,
        n_trials=items * max(1, len(result.runs)),
        n_missing=0,
        method=noise if noise.startswith("assumed") else interval.method,
        level=LEVEL,
    )
    width = None
    if interval.low is not None and interval.high is not None:
        # half the interval, so that 0 of n and n of n keep an error
        width = span * (interval.high - interval.low) / (2 * z_value(LEVEL))
    return Cell(
        estimate=estimate,
        error=width,
        run_error=span * between if result.runs else None,
        noise=noise,
    )


def _unscaled(result: Result) -> Cell:
    """Return a result without anchors: its noise is known only if stated or repeated."""
    between = _between_runs(result)
    error = sqrt((result.error or 0.0) ** 2 + between**2)
    items = len(result.by_item or ()) or result.items or 0
    if result.by_item and len(result.by_item) > 1:
        spread = standard_error(np.fromiter(result.by_item.values(), dtype=np.float64))
        error = sqrt(spread**2 + between**2)
    half = None
    if error:
        alone = between and not result.error and not result.by_item
        wide = t_value(LEVEL, df=len(result.runs) - 1) if alone else z_value(LEVEL)
        half = wide * error
    noise = "no scale and no noise known" if half is None else "stated or repeated"
    estimate = Estimate(
        value=result.value,
        low=None if half is None else result.value - half,
        high=None if half is None else result.value + half,
        n_samples=items,
        n_trials=items * max(1, len(result.runs)),
        n_missing=0,
        method=noise if half is None else "normal",
        level=LEVEL,
    )
    return Cell(
        estimate=estimate,
        error=None if half is None else half / z_value(LEVEL),
        run_error=between if result.runs else None,
        noise=noise,
    )


def weighted(
    cells: Mapping[str, Cell | None],
    weights: Mapping[str, float],
    settings: Mapping[str, BenchmarkSettings],
) -> Cell:
    """Return the weighted mean of benchmarks on their anchors, 0 to 100.

    A missing cell may be anything, so it widens the interval to both ends.
    `weights` sum to 1 and name benchmarks with anchors only.
    """
    middle = variance = missing = 0.0
    n_missing = 0
    items = []
    for name, weight in weights.items():
        cell, anchors = cells.get(name), settings[name].anchors
        if cell is None or anchors is None:
            missing += weight
            n_missing += 1
            continue
        span = anchors[1] - anchors[0]
        middle += weight * (cell.value - anchors[0]) / span
        variance += (weight * (cell.error or 0.0) / span) ** 2
        items.append(cell.estimate.n_samples)
    if not items:
        return Cell(
            estimate=not_measured("no result on any of its benchmarks", n_missing=n_missing),
            error=None,
            run_error=None,
            noise="nothing reported",
        )
    half = z_value(LEVEL) * sqrt(variance)
    estimate = Estimate(
        value=100 * middle if not missing else None,
        low=100 * max(0.0, middle - half),
        high=100 * min(1.0, middle + missing + half),
        n_samples=sum(items),
        n_trials=sum(items),
        n_missing=n_missing,
        method="weighted mean" if not missing else f"{n_missing} missing: 0 to 100 each",
        level=LEVEL,
    )
    return Cell(
        estimate=estimate, error=100 * sqrt(variance), run_error=None, noise="from its benchmarks"
    )
