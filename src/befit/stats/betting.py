"""Evidence by betting: e-values of a bounded mean that hold at every look.

A gambler who stakes a share of his money on every item cannot expect to win if
the null hypothesis is true, so what he has is an e-value (Waudby-Smith, Ramdas
2024). Stakes are mixed over a grid. For one binary trial per item this is the
mixture of `sequential.py`; it also takes repeats and scores, whose item means
lie anywhere in the range. Where items share a cluster or weigh unequally, the stake is on a
whole cluster and by its weight (`Units`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from befit.stats.arrays import Floats, Ints, Numbers, as_floats, sum_by

STAKES = (np.arange(40) + 0.5) / 40
"""Shares of the largest stake that can never be lost whole."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """What comes independently, in random order, and by what weight.

    Under the null hypothesis that a weighted mean is at most m, it is the sum of w (x - m) over
    a cluster drawn at random that is at most 0 on average. Over the weight of the heaviest
    cluster it stays within the limits of a bet; that weight has to be known before any answer
    is, or the bet would depend on what it bets on.
    """

    codes: Ints
    """The unit of each item: 0, 1, ...; whole units only."""
    weights: Floats
    """The weight of each item."""
    heaviest: float
    """The largest weight of a unit, of all that may ever come."""


def _gains(found: Floats, units: Units | None) -> Floats:
    """Return what each independent unit gains, given what each item does; NaN left out."""
    there = ~np.isnan(found)
    if units is None:
        return found[there]
    codes, weights = units.codes[there], units.weights[there]
    sums = sum_by(weights * found[there], codes)
    return sums[np.bincount(codes, minlength=sums.size) > 0] / units.heaviest


def _log_mixture(gains: Floats, limit: float) -> float:
    """Logarithm of the mean over stakes of prod(1 + stake x gain); gains >= -1 / limit."""
    if not gains.size:
        return 0.0
    distinct, counts = np.unique(gains, return_counts=True)
    grown = np.log1p(np.outer(STAKES * limit, distinct)) @ counts
    most = float(grown.max())
    return most + log(float(np.exp(grown - most).mean()))


def log_evidence_above(values: Numbers, *, mean: float, units: Units | None = None) -> float:
    """Return the log e-value against "the mean is at most `mean`"; in [0, 1], NaN left out."""
    gains = _gains(as_floats(values) - mean, units)
    if mean <= 0:
        return float("inf") if gains.size else 0.0
    return _log_mixture(gains, 1 / mean)


def log_evidence_below(values: Numbers, *, mean: float, units: Units | None = None) -> float:
    """Return the log e-value against "the mean is at least `mean`"; values in [0, 1]."""
    return log_evidence_above(1 - as_floats(values), mean=1 - mean, units=units)


def log_evidence_better(
    differences: Numbers, *, margin: float = 0.0, units: Units | None = None
) -> float:
    """Return the log e-value against "the mean difference is at most `margin`"; in [-1, 1]."""
    return _log_mixture(_gains(as_floats(differences) - margin, units), 1 / (1 + margin))
