"""Weighted composites with missing cells: an interval, and a partial order.

A missing cell could be anything from 0 to 1, so the composite is the interval
between both fillings; A is above B only if A's lowest is above B's highest.
Scores are on fixed anchors in [0, 1]: scaling by the candidates at hand would
let a bad newcomer reorder the good ones.
"""

from __future__ import annotations

import numpy as np

from befit.stats.arrays import Bools, Floats, Numbers, as_floats


def normalised_weights(weights: Numbers) -> Floats:
    """Return the weights scaled to sum 1; raises ValueError unless all are >= 0 and one is > 0."""
    w = as_floats(weights)
    if (w < 0).any() or not float(w.sum()) > 0:
        raise ValueError("weights must be at least 0, with one above 0")
    scaled: Floats = w / w.sum()
    return scaled


def composite_bounds(scores: Numbers, weights: Numbers) -> tuple[Floats, Floats]:
    """Lowest and highest composite of each candidate: scores (M, D) with NaN, weights (D,)."""
    table, w = as_floats(scores), normalised_weights(weights)
    return np.nan_to_num(table, nan=0.0) @ w, np.nan_to_num(table, nan=1.0) @ w


def certainly_above(low: Numbers, high: Numbers) -> Bools:
    """Partial order (M, M): [i, j] is true where i is above j however the gaps are filled."""
    above: Bools = as_floats(low)[:, None] > as_floats(high)[None, :]
    return above
