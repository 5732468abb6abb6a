"""Prediction-powered estimates: few human labels, many judged answers, a valid interval.

PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv 2311.01453): the judge's mean is
corrected by its error on the labelled part. The labels must be a random sample
of the same set, and about 30 of them are needed for the normal interval. For two
candidates apply it to paired differences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import t_value, z_value
from befit.stats.intervals import UNIT, wilson_flat
from befit.stats.means import to_estimate
from befit.stats.ratio import ratio_interval
from befit.stats.weighted import LEAST, effective_number

ENOUGH_LABELS = 30
_ALIKE = 1e-9
"""Corrections this close to each other do not spread."""


def best_weight(labels: Numbers, judged: Numbers, judged_unlabelled: Numbers) -> float:
    """Weight of the judge with the smallest variance, in [0, 1]; 0 where the judge is constant."""
    y, f, g = as_floats(labels), as_floats(judged), as_floats(judged_unlabelled)
    variance = float(np.concatenate((f, g)).var(ddof=1))
    if variance == 0:
        return 0.0
    covariance = float(np.cov(y, f, ddof=0)[0, 1])
    return min(1.0, max(0.0, covariance / ((1 + y.size / g.size) * variance)))


def estimate_judged_mean(
    labels: Numbers,
    judged: Numbers,
    judged_unlabelled: Numbers,
    *,
    weight: float | None = None,
    level: float = 0.95,
    units: npt.ArrayLike | None = None,
    sample_weights: Numbers | None = None,
) -> Estimate:
    """Estimate the mean human label over labelled and unlabelled items.

    Where every item is labelled, and where the corrections do not spread (all labels alike, or
    a judge that was right each time), the labels speak alone, with Wilson's interval: a few
    labels without an error do not show that there is none. That holds for scores in [0, 1].

    Args:
        labels: human scores of the labelled items, (n,).
        judged: the judge's scores of the same items, (n,).
        judged_unlabelled: the judge's scores of the rest, (N,).
        weight: the judge's weight; the best one where None, 0 is the classical mean.
        level: two-sided level.
        units: (n + N,) what items may have in common, the labelled ones first; None: nothing.
        sample_weights: (n + N,) what each item counts, in the same order; None: all alike.
    """
    y, f, g = as_floats(labels), as_floats(judged), as_floats(judged_unlabelled)
    n, rest = y.size, g.size
    design = _Design.of(n, rest, units=units, weights=sample_weights)
    a_rate = bool(n) and bool(np.all((y >= 0) & (y <= 1)))
    if n and not rest and a_rate:
        return _labels_alone(y, design, level=level, why="all answers are labelled")
    if n <= 1 or rest == 0:
        return not_measured("needs two labels and unlabelled answers", n_samples=n + rest)
    if weight is None:
        weight = best_weight(y, f, g)
    corrected = y - weight * f
    if a_rate and np.ptp(corrected) < _ALIKE:
        return _labels_alone(y, design, level=level, why="the corrections are all alike")
    if design is None:
        value = weight * float(g.mean()) + float(corrected.mean())
        variance = weight**2 * float(g.var()) / rest + float(corrected.var()) / n
        half = z_value(level) * sqrt(variance)
    elif design.labelled < LEAST:
        why = "nearly all labels are of one document or of one sample of great weight"
        return not_measured(why, n_samples=n + rest)
    else:
        value, variance = design.mean(corrected, weight * g)
        half = t_value(level, df=design.labelled - 1) * sqrt(variance)
    few = "" if n >= ENOUGH_LABELS else f", only {n} labels"
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        n_samples=n + rest,
        n_trials=n + rest,
        n_missing=0,
        method=f"ppi++, judge weight {weight:.3g}{few}{'' if design is None else design.said}",
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Design:
    """What the items have in common and what they weigh, the labelled ones first."""

    n: int
    codes: Ints
    weights: Floats

    @classmethod
    def of(
        cls, n: int, rest: int, *, units: npt.ArrayLike | None, weights: Numbers | None
    ) -> _Design | None:
        if units is None and weights is None:
            return None
        return cls(
            n=n,
            codes=np.arange(n + rest) if units is None else cluster_codes(units),
            weights=np.ones(n + rest) if weights is None else as_floats(weights),
        )

    @property
    def labelled(self) -> float:
        """Kish's effective number of the units that have labels."""
        return effective_number(sum_by(self.weights[: self.n], self.codes[: self.n]))

    @property
    def said(self) -> str:
        return f", {self.labelled:.1f} effective units with labels"

    def mean(self, corrected: Floats, judged: Floats) -> tuple[float, float]:
        """Return the sum of both means and its variance, which is no less than of items alone.

        Every unit counts by all of its influence, that of labelled and of other items.
        """
        parts = [(corrected, self.weights[: self.n]), (judged, self.weights[self.n :])]
        means = [float(np.average(values, weights=w)) for values, w in parts]
        influence = np.concatenate(
            [w * (v - mean) / w.sum() for (v, w), mean in zip(parts, means, strict=True)]
        )
        sums = sum_by(influence, self.codes)
        own, units = (float(np.square(x).sum()) * x.size / (x.size - 1) for x in (influence, sums))
        return sum(means), max(own, units)


def _labels_alone(labels: Floats, design: _Design | None, *, level: float, why: str) -> Estimate:
    n = labels.size
    if design is None:
        interval = wilson_flat(labels, level=level)
    else:
        w, codes = design.weights[:n], design.codes[:n]
        interval = ratio_interval(labels * w, w, clusters=codes, limits=UNIT, level=level)
    found = to_estimate(interval, n_samples=n, n_trials=n, n_missing=0, level=level)
    few = "" if n >= ENOUGH_LABELS else f", only {n} labels"
    return replace(found, method=f"{found.method}, labels alone: {why}{few}")
