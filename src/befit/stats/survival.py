"""How long chains live: the Kaplan-Meier curve over steps, with Greenwood's error.

A chain "dies" at the first step that fails; one that ended for another reason
(its end, or an infrastructure failure) is censored after its last step. Where chains may share
their fate (repeats of a sample, samples of a document) or weigh unequally, the variance of the
curve's logarithm is also taken from the influence of each such unit (Williams 1995, for
Greenwood's estimate its exact counterpart), and the larger of the two counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Floats, Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import t_value, z_value
from befit.stats.weighted import LEAST, effective_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """The share of chains alive after a step."""

    step: float
    at_risk: int
    failed: int
    value: float
    error: float
    """Greenwood's standard error, or the robust one of the units where that is larger."""
    low: float
    high: float


@dataclass(slots=True, eq=False)
class _Units:
    """What is known of units that share their fate; `influence` grows step by step."""

    codes: Ints
    mass: Floats
    influence: Floats

    @classmethod
    def of(cls, units: npt.ArrayLike, mass: Floats) -> _Units:
        return cls(cluster_codes(units), mass, np.zeros(mass.size))

    def quantile(self, level: float) -> float:
        """Return the quantile of t for as many units, which takes the place of the normal one."""
        whole = self.number(np.ones(self.mass.size, dtype=np.bool_))
        return t_value(level, df=max(whole, LEAST) - 1)

    def number(self, chosen: Bools) -> float:
        """Return Kish's effective number of the units that some chains belong to."""
        whole = sum_by(np.where(chosen, self.mass, 0.0), self.codes)
        return effective_number(whole)

    def after(self, alive: Bools, here: Bools, *, at_risk: float, died: float) -> float:
        """Return the variance of log S after a step: the sandwich over units, with leverages."""
        own = (here - alive * (died / at_risk)) / (at_risk - died)
        self.influence += self.mass * own
        share = sum_by(self.mass, self.codes) / self.mass.sum()
        squares = np.square(sum_by(self.influence, self.codes))
        return float((squares / np.maximum(1 - share, 1e-9)).sum())


def survival(
    steps: Numbers,
    failed: Numbers,
    *,
    weights: Numbers | None = None,
    units: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> tuple[Survival, ...]:
    """Return the curve at each step at which a chain failed (Kaplan and Meier 1958).

    Args:
        steps: (n,) the step at which each chain failed, or its last one.
        failed: (n,) 1 where it failed there, 0 where it is censored.
        weights: (n,) what each chain counts; 1 / repeats makes all repeats of a sample
            count as one, so that the interval is that of samples (never too narrow).
        units: (n,) what chains that may share their fate have in common; None: all stand alone.
        level: of the pointwise interval, log(-log) transformed, so that it stays
            inside 0..1 (Kalbfleisch and Prentice 1980); where nobody is left, exact.

    Raises:
        ValueError: the lengths differ.
    """
    times, events = as_floats(steps), as_floats(failed) > 0
    if times.shape != events.shape:
        raise ValueError("need as many outcomes as steps")
    mass = np.ones(times.size) if weights is None else as_floats(weights)
    kin = None if units is None else _Units.of(units, mass)
    z = z_value(level) if kin is None else kin.quantile(level)
    value, hazard, robust = 1.0, 0.0, 0.0
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
            n = at_risk if kin is None else min(at_risk, kin.number(alive))
            low, high = 0.0, before * (1 - ((1 - level) / 2) ** (1 / n))
        else:
            if kin is not None:
                robust = kin.after(alive, here, at_risk=at_risk, died=died)
            low, high = _interval(value, max(hazard, robust), z)
        curve.append(
            Survival(
                step=float(step),
                at_risk=int(alive.sum()),
                failed=int(here.sum()),
                value=value,
                error=value * sqrt(max(hazard, robust)) if value > 0 else 0.0,
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
