"""Chance-corrected agreement of two raters, or of many on the same number of ratings.

Krippendorff's alpha (`krippendorff.py`) is the default; these stand beside it.
Gwet's AC1 does not collapse when one category is very common (the kappa paradox).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Floats, Numbers, as_floats

Weighting = Literal["none", "linear", "quadratic"]


def confusion(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """Cross table of two raters' labels over the sorted union of their labels."""
    left, right = np.asarray(a), np.asarray(b)
    names, codes = np.unique(np.concatenate((left, right)), return_inverse=True)
    table = np.zeros((names.size, names.size))
    np.add.at(table, (codes[: left.size], codes[left.size :]), 1.0)
    return table


def _shares(table: Numbers) -> Floats:
    counts = as_floats(table)
    if counts.sum() <= 0:
        raise ValueError("no ratings")
    shares: Floats = counts / counts.sum()
    return shares


def cohen_kappa(table: Numbers, *, weights: Weighting = "none") -> float | None:
    """Cohen's kappa of a cross table, weighted for ordered categories; None if undefined."""
    p = _shares(table)
    place = np.arange(len(p))
    gap = np.abs(place[:, None] - place[None, :]).astype(np.float64)
    cost = {"none": (gap > 0).astype(np.float64), "linear": gap, "quadratic": gap**2}[weights]
    expected = float((cost * np.outer(p.sum(axis=1), p.sum(axis=0))).sum())
    return 1 - float((cost * p).sum()) / expected if expected > 0 else None


def raw_agreement(table: Numbers) -> float:
    """Share of ratings on the diagonal of a cross table."""
    return float(np.trace(_shares(table)))


def gwet_ac1(table: Numbers) -> float:
    """Gwet's AC1 of a cross table (2008)."""
    p = _shares(table)
    share = (p.sum(axis=0) + p.sum(axis=1)) / 2
    chance = float((share * (1 - share)).sum()) / (len(p) - 1)
    return (float(np.trace(p)) - chance) / (1 - chance)


def fleiss_kappa(counts: Numbers, *, uniform: bool = False) -> float | None:
    """Fleiss' kappa of (items, categories) counts with equal row sums; Randolph's if `uniform`."""
    table = as_floats(counts)
    raters = float(table[0].sum())
    if raters <= 1 or not np.all(table.sum(axis=1) == raters):
        raise ValueError("every item needs the same number of ratings, at least two")
    pairs = (np.square(table).sum(axis=1) - raters) / (raters * (raters - 1))
    shares = table.sum(axis=0) / table.sum()
    chance = 1 / table.shape[1] if uniform else float(np.square(shares).sum())
    return (float(pairs.mean()) - chance) / (1 - chance) if chance < 1 else None
