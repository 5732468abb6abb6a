"""Kendall's tau-b of two rankings, with ties."""

from __future__ import annotations

from math import sqrt

import numpy as np

from befit.stats.arrays import Numbers, as_floats


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
