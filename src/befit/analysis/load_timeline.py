"""A level over time: latency, answers and failures in equal stretches, and whether a queue grew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.load import Columns, columns, share, times_of
from befit.analysis.load_search import more_than_noise, rising
from befit.core.estimate import Estimate
from befit.engine.load_run import LevelRun
from befit.stats.quantiles import estimate_quantile

MOST = 60
LEAST_CALLS = 8
"""Calls that a stretch has on average at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """One stretch of a level."""

    start: float
    end: float
    calls: int
    p50: Estimate
    p95: Estimate
    failed: Estimate
    in_flight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A level in stretches, warm-up and cool-down included."""

    stretches: tuple[Stretch, ...]
    counted: tuple[float, float]
    """Seconds that the level's figures stand on."""
    growing: bool
    """Calls in flight and latency both rose significantly in the counted window, and the calls by
    more than arrivals at random explain."""


def timeline(run: LevelRun) -> Timeline:
    """Return a level over time."""
    calls = columns(run.log)
    length = run.shape.duration
    count = int(min(MOST, max(1, calls.n // LEAST_CALLS)))
    edges = np.linspace(0.0, length, count + 1)
    latency = times_of(calls)["latency"]
    where = np.digitize(calls["scheduled"], edges[1:-1])
    at = np.array([second for second, _ in run.in_flight])
    flying = np.array([float(number) for _, number in run.in_flight])
    found = []
    for i in range(count):
        rows = where == i
        inside = (at >= edges[i]) & (at < edges[i + 1])
        values = latency[rows]
        n, lost = int(rows.sum()), int(calls.failed[rows].sum())
        found.append(
            Stretch(
                start=float(edges[i]),
                end=float(edges[i + 1]),
                calls=n,
                p50=estimate_quantile(values, q=0.5, n_samples=n - lost, n_missing=lost),
                p95=estimate_quantile(values, q=0.95, n_samples=n - lost, n_missing=lost),
                failed=share(calls.failed[rows]),
                in_flight=float(flying[inside].mean()) if inside.any() else None,
            )
        )
    return Timeline(stretches=tuple(found), counted=run.shape.window, growing=_growing(run, calls))


def _growing(run: LevelRun, calls: Columns) -> bool:
    start, end = run.shape.window
    at = np.array([second for second, _ in run.in_flight])
    flying = np.array([float(number) for _, number in run.in_flight])
    inside = (at >= start) & (at < end)
    rows = (calls["scheduled"] >= start) & (calls["scheduled"] < end)
    if not more_than_noise(at[inside], flying[inside]):
        return False
    latency = times_of(calls)["latency"]
    return rising(at[inside], flying[inside]) and rising(calls["scheduled"][rows], latency[rows])
