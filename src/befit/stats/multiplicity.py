"""Corrections for many tests at once.

`holm` controls the chance of any false claim and is the default for ranking;
`benjamini_hochberg` controls the share of false claims and is for exploratory
slices, which say so.
"""

from __future__ import annotations

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats


def _checked(p_values: Numbers) -> Floats:
    p = as_floats(p_values).ravel()
    if np.isnan(p).any() or (p < 0).any() or (p > 1).any():
        raise ValueError("p-values must lie between 0 and 1")
    return p


def holm(p_values: Numbers) -> Floats:
    """Holm's adjusted p-values (1979), in the order given."""
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def benjamini_hochberg(p_values: Numbers, *, dependent: bool = False) -> Floats:
    """Benjamini-Hochberg adjusted p-values (1995); Benjamini-Yekutieli (2001) if `dependent`."""
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, p.size + 1)
    factor = float((1 / ranks).sum()) if dependent else 1.0
    scaled = p[order] * p.size * factor / ranks
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted
