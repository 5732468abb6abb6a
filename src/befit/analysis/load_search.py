"""The search for the most load a service level bears: double, then bisect. Pure; no calls.

Each level gives one of three verdicts from its attainment and its interval, so
that chance does not decide; a level whose queue still grew at its end bears
nothing, however quick its first answers were.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, sqrt
from typing import Literal

import numpy as np

from befit.analysis.columns import Floats
from befit.analysis.load import LoadLevel, ServiceLevel
from befit.core.estimate import Estimate
from befit.core.written import in_percent
from befit.stats.distributions import t_value

Verdict = Literal["kept", "missed", "cannot_tell"]
CLOSE = 1.08
"""The search ends when the least missed load is at most this far above the best kept one."""
LEAST_ENDED = 0.97
"""Calls ended per call due: below, the queue was growing."""
NOISE = 2.0
"""Standard errors of calls not ended, above which it is no chance."""
SLOPE_POINTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One load that was tried, with its verdict."""

    load: float
    verdict: Verdict
    why: str = ""
    few: bool = False
    """Nobody can tell, and a lower load makes still fewer calls: only a higher one may tell."""


def judge(level: LoadLevel, promise: ServiceLevel) -> tuple[Verdict, str]:
    """Return whether a level kept the promise, and why not.

    Where nothing was promised, answers are: `promise.share` of the calls are to have one.
    """
    if level.achieved is not None and level.achieved < LEAST_ENDED:
        said = f"{in_percent(level.achieved)} % of the calls due were ended"
        if (1 - level.achieved) * level.calls > _noise(level.mean_in_flight):
            return "missed", f"the queue grew: {said}"
        return "cannot_tell", f"{said}, and so few calls do not tell a queue from chance"
    found, did = level.attainment, "kept the service level"
    if not promise.promised:
        found, did = _answered(level.error_rate), "were answered"
    if found.value is None or found.low is None or found.high is None:
        return "cannot_tell", "no calls"
    if found.low >= promise.share:
        return "kept", ""
    said = f"{in_percent(found.value, places=1)} % of the calls {did}"
    if found.high < promise.share:
        return "missed", said
    return (
        "cannot_tell",
        f"{said}, and {level.calls:,} of them do not settle {in_percent(promise.share)} %",
    )


def _answered(failed: Estimate) -> Estimate:
    """Return the share of calls that were answered."""
    if failed.value is None:
        return failed
    return replace(
        failed,
        value=1 - failed.value,
        low=None if failed.high is None else 1 - failed.high,
        high=None if failed.low is None else 1 - failed.low,
    )


def next_load(
    tried: list[Tried], *, start: float, most: float, whole: bool = False
) -> float | None:
    """Return the load to try next, None when the search is over.

    Args:
        tried: what was tried so far, in any order; `cannot_tell` counts as missed, since
            nobody should promise on it, but for `few`: from there the search goes up.
        start: the first load.
        most: never more than this (a stated rate limit).
        whole: loads are whole numbers (calls in flight).
    """
    kept = max((t.load for t in tried if t.verdict == "kept"), default=None)
    missed = least_missed(tried)
    below = [t.load for t in tried if t.few and (missed is None or t.load < missed)]
    floor = max(below if kept is None else [kept, *below], default=None)
    if not tried:
        load = min(start, most)
    elif missed is None:
        load = min((floor or start) * 2, most)
    elif floor is None:
        load = missed / 2
    else:
        load = (floor * missed) ** 0.5
    if whole:
        load = float(max(1, round(load)))
    if any(isclose(t.load, load) for t in tried):
        return None
    if floor is not None and missed is not None and missed <= floor * CLOSE:
        return None
    too_small = start / 2**10 if not whole else 1.0
    return load if load >= too_small else None


def least_missed(tried: list[Tried]) -> float | None:
    """Return the least load that nobody should promise; None where there is none."""
    return min((t.load for t in tried if t.verdict != "kept" and not t.few), default=None)


def bearable(tried: list[Tried]) -> float | None:
    """Return the most load that kept the promise, below the least that did not."""
    missed = least_missed(tried) or float("inf")
    kept = [t.load for t in tried if t.verdict == "kept" and t.load < missed]
    return max(kept, default=None)


def rising(at: Floats, values: Floats) -> bool:
    """Whether values rise in time significantly (one-sided 2.5 %, over stretch means)."""
    kept = ~np.isnan(values)
    if kept.sum() < SLOPE_POINTS:
        return False
    parts = min(20, int(kept.sum()))
    x = np.array([part.mean() for part in np.array_split(at[kept], parts)])
    y = np.array([part.mean() for part in np.array_split(values[kept], parts)])
    x = x - x.mean()
    slope = float((x * y).sum() / (x * x).sum())
    rest = y - y.mean() - slope * x
    error = float(np.sqrt((rest * rest).sum() / (parts - 2) / (x * x).sum()))
    return slope > t_value(0.95, df=parts - 2) * error if error > 0 else slope > 0


def more_than_noise(at: Floats, in_flight: Floats) -> bool:
    """Whether calls in flight rose from the first third to the last by more than chance explains.

    Those in flight at one moment are about those of the next: that many moments show a rise is
    no evidence beyond that of a few.
    """
    if len(at) < SLOPE_POINTS:
        return False
    first, _, last = np.array_split(in_flight[np.argsort(at)], 3)
    return float(last.mean() - first.mean()) > _noise(float(in_flight.mean()))


def _noise(in_flight: float) -> float:
    """Return the most by which calls in flight differ between two moments of a steady state.

    At each moment they have about the variance of a Poisson count.
    """
    return NOISE * sqrt(2 * max(in_flight, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Knee:
    """Where more load stops bringing more answers."""

    load: float
    before: float
    """Answers per second per load below the knee."""
    after: float
    """The same above it."""


def knee(loads: Floats, answers: Floats) -> Knee | None:
    """Return the knee of a curve over load by two joined lines, None where there is none.

    Needs five points; above the knee the slope must be at most a quarter of
    that below. The joint is searched between the second and last but one point.
    """
    order = np.argsort(loads)
    x, y = np.asarray(loads)[order], np.asarray(answers)[order]
    if len(x) < SLOPE_POINTS or len(np.unique(x)) < SLOPE_POINTS:
        return None
    best: tuple[float, Knee] | None = None
    for joint in np.linspace(x[1], x[-2], 101):
        design = np.column_stack([np.ones_like(x), x, np.maximum(0.0, x - joint)])
        fit, *_ = np.linalg.lstsq(design, y, rcond=None)
        error = float(np.square(y - design @ fit).sum())
        if best is None or error < best[0]:
            before, after = float(fit[1]), float(fit[1] + fit[2])
            best = (error, Knee(load=float(joint), before=before, after=after))
    if best is None or best[1].before <= 0 or best[1].after > best[1].before / 4:
        return None
    return best[1]
