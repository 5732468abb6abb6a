"""Rank correlations with ties: Kendall's tau-b for rankings, Spearman's for long columns."""

from __future__ import annotations

from math import sqrt

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats


def kendall_tau(x: Numbers, y: Numbers) -> float | None:
    """Tau-b of two score vectors; None where one of them has no order at all.

    Compares all pairs, so it is meant for rankings of candidates, not of rows.
    """
    a, b = as_floats(x), as_floats(y)
    upper = np.triu_indices(a.size, k=1)
    left = np.sign(a[:, None] - a[None, :])[upper]
    right = np.sign(b[:, None] - b[None, :])[upper]
    scale = sqrt(float(np.abs(left).sum()) * float(np.abs(right).sum()))
    return float((left * right).sum()) / scale if scale else None


def average_ranks(x: Numbers) -> Floats:
    """Return the ranks of `x`, ties at their mean rank."""
    values = as_floats(x)
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[codes.ravel()]
    return ranks


def spearman(x: Numbers, y: Numbers) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None where one has no order."""
    a, b = average_ranks(x), average_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    scale = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale else None
