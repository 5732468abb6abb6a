"""Cascades (small first, large when unsure) and the measures of a router."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.stats.arrays import Bools, Floats, Numbers, as_floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """A cascade at one threshold: cost per task, accuracy, share passed on to the large one."""

    threshold: float
    cost: float
    accuracy: float
    deferred: float


def cascade_cost(*, small: float, large: float, deferred: float) -> float:
    """Cost per task: the small one always, the large one for the deferred share."""
    return small + deferred * large


def largest_paying_share(*, small: float, large: float) -> float:
    """Deferred share below which the cascade is cheaper than the large candidate alone."""
    return 1 - small / large


def evaluate_cascade(
    confidence: Numbers,
    small_right: Numbers,
    large_right: Numbers,
    *,
    threshold: float,
    costs: tuple[float, float],
) -> Cascade:
    """Evaluate a threshold: items whose small-model confidence is below it are passed on."""
    passed: Bools = as_floats(confidence) < threshold
    right = np.where(passed, as_floats(large_right), as_floats(small_right))
    share = float(passed.mean())
    return Cascade(
        threshold=threshold,
        cost=cascade_cost(small=costs[0], large=costs[1], deferred=share),
        accuracy=float(right.mean()),
        deferred=share,
    )


def choose_threshold(
    confidence: Numbers,
    small_right: Numbers,
    large_right: Numbers,
    *,
    floor: float,
    costs: tuple[float, float],
) -> Cascade | None:
    """Cheapest threshold whose accuracy reaches the floor, on a calibration split.

    Evaluate the result on another split: on this one it is optimistic. None where
    no threshold reaches the floor.
    """
    values = np.unique(as_floats(confidence))
    candidates = [*values.tolist(), float(np.nextafter(values[-1], np.inf))]
    tried = [
        evaluate_cascade(confidence, small_right, large_right, threshold=t, costs=costs)
        for t in candidates
    ]
    good = [cascade for cascade in tried if cascade.accuracy >= floor]
    return min(good, key=lambda cascade: cascade.cost) if good else None


def gap_recovered(quality: Numbers, *, weak: float, strong: float) -> Floats:
    """Performance gap recovered: 0 is the weak candidate's quality, 1 the strong one's."""
    if strong <= weak:
        raise ValueError("the strong candidate must be better than the weak one")
    found: Floats = (as_floats(quality) - weak) / (strong - weak)
    return found


def average_gap_recovered(shares: Numbers, recovered: Numbers) -> float:
    """Area under the gap recovered over the share of strong calls (trapezoids)."""
    x, y = as_floats(shares), as_floats(recovered)
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())


def call_share_needed(shares: Numbers, recovered: Numbers, *, target: float) -> float | None:
    """Least share of strong calls, among those tried, that recovers the target."""
    x, y = as_floats(shares), as_floats(recovered)
    reached = x[y >= target - 1e-12]
    return float(reached.min()) if reached.size else None


def chain_availability(availabilities: Numbers) -> float:
    """Availability of a fallback chain if failures are independent (one provider's are not)."""
    return 1 - float(np.prod(1 - as_floats(availabilities)))
