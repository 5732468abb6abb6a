"""How long chains live: the Kaplan-Meier curve over steps, with Greenwood's error.

A chain "dies" at the first step that fails; one that ended for another reason
(its end, or an infrastructure failure) is censored after its last step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np

from befit.stats.arrays import Numbers, as_floats
from befit.stats.distributions import z_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """The share of chains alive after a step."""

    step: float
    at_risk: int
    failed: int
    value: float
    error: float
    """Greenwood's standard error."""
    low: float
    high: float


def survival(
    steps: Numbers, failed: Numbers, *, weights: Numbers | None = None, level: float = 0.95
) -> tuple[Survival, ...]:
    """Return the curve at each step at which a chain failed (Kaplan and Meier 1958).

    Args:
        steps: (n,) the step at which each chain failed, or its last one.
        failed: (n,) 1 where it failed there, 0 where it is censored.
        weights: (n,) what each chain counts; 1 / repeats makes all repeats of a sample
            count as one, so that the interval is that of samples (never too narrow).
        level: of the pointwise interval, log(-log) transformed, so that it stays
            inside 0..1 (Kalbfleisch and Prentice 1980); where nobody is left, exact.

    Raises:
        ValueError: the lengths differ.
    """
    times, events = as_floats(steps), as_floats(failed) > 0
    if times.shape != events.shape:
        raise ValueError("need as many outcomes as steps")
    mass = np.ones(times.size) if weights is None else as_floats(weights)
    z = z_value(level)
    value, hazard = 1.0, 0.0
    curve: list[Survival] = []
    for step in np.unique(times[events]):
        alive, here = times >= step, events & (times == step)
        at_risk, died = float(mass[alive].sum()), float(mass[here].sum())
        all_died = bool((alive == here).all())
        value = 0.0 if all_died else value * (1 - died / at_risk)
        hazard = inf if all_died else hazard + died / (at_risk * (at_risk - died))
        if all_died:
            # Greenwood's error is nothing here. None of n that were still alive went on: what may
            # be left is the exact bound of 0 of n (Clopper and Pearson 1934) of those before.
            before = curve[-1].high if curve else 1.0
            low, high = 0.0, before * (1 - ((1 - level) / 2) ** (1 / at_risk))
        else:
            low, high = _interval(value, hazard, z)
        curve.append(
            Survival(
                step=float(step),
                at_risk=int(alive.sum()),
                failed=int(here.sum()),
                value=value,
                error=value * sqrt(hazard) if value > 0 else 0.0,
                low=low,
                high=high,
            )
        )
    return tuple(curve)


def _interval(value: float, hazard: float, z: float) -> tuple[float, float]:
    if value <= 0 or value >= 1 or hazard == inf:
        return (0.0, 1.0) if value > 0 else (0.0, 0.0)
    shift = z * sqrt(hazard) / log(value)
    return value ** exp(-shift), value ** exp(shift)
