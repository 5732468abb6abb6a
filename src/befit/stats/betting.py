"""Evidence by betting: e-values of a bounded mean that hold at every look.

A gambler who stakes a share of his money on every item cannot expect to win if
the null hypothesis is true, so what he has is an e-value (Waudby-Smith, Ramdas
2024). Stakes are mixed over a grid. For one binary trial per item this is the
mixture of `sequential.py`; it also takes repeats and scores, whose item means
lie anywhere in the range.
"""

from __future__ import annotations

from math import log

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats

STAKES = (np.arange(40) + 0.5) / 40
"""Shares of the largest stake that can never be lost whole."""


def _log_mixture(gains: Floats, limit: float) -> float:
    """Logarithm of the mean over stakes of prod(1 + stake x gain); gains >= -1 / limit."""
    if not gains.size:
        return 0.0
    distinct, counts = np.unique(gains, return_counts=True)
    grown = np.log1p(np.outer(STAKES * limit, distinct)) @ counts
    most = float(grown.max())
    return most + log(float(np.exp(grown - most).mean()))


def log_evidence_above(values: Numbers, *, mean: float) -> float:
    """Return the log e-value against "the mean is at most `mean`"; in [0, 1], NaN left out."""
    found = as_floats(values)
    found = found[~np.isnan(found)]
    if mean <= 0:
        return float("inf") if found.size else 0.0
    return _log_mixture(found - mean, 1 / mean)


def log_evidence_below(values: Numbers, *, mean: float) -> float:
    """Return the log e-value against "the mean is at least `mean`"; values in [0, 1]."""
    return log_evidence_above(1 - as_floats(values), mean=1 - mean)


def log_evidence_better(differences: Numbers, *, margin: float = 0.0) -> float:
    """Return the log e-value against "the mean difference is at most `margin`"; in [-1, 1]."""
    found = as_floats(differences)
    found = found[~np.isnan(found)]
    return _log_mixture(found - margin, 1 / (1 + margin))
