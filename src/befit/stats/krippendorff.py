"""Krippendorff's alpha: agreement of any number of raters, with gaps, at four levels.

alpha = 1 - observed / expected disagreement over the coincidences of values
inside units (Krippendorff 2011). At least 0.8 to rely on, 0.667 to 0.8 tentative.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def _unit_counts(ratings: Numbers) -> tuple[Floats, Floats]:
    table = as_floats(ratings)
    present = ~np.isnan(table)
    names, codes = np.unique(table[present], return_inverse=True)
    counts = np.zeros((table.shape[1], names.size))
    np.add.at(counts, (np.nonzero(present)[1], codes), 1.0)
    return names, counts[counts.sum(axis=1) > 1]


def _distances(values: Floats, totals: Floats, level: Level) -> Floats:
    gap = values[:, None] - values[None, :]
    if level == "nominal":
        return as_floats(gap != 0)
    if level == "interval":
        return as_floats(np.square(gap))
    if level == "ratio":
        total = values[:, None] + values[None, :]
        ratio = np.divide(gap, total, out=np.zeros_like(gap), where=total != 0)
        return as_floats(np.square(ratio))
    middle = np.cumsum(totals) - totals / 2
    return as_floats(np.square(middle[:, None] - middle[None, :]))


def _alpha(values: Floats, counts: Floats, level: Level) -> float | None:
    sizes = counts.sum(axis=1)
    totals = counts.sum(axis=0)
    n = float(totals.sum())
    if n <= 1:
        return None
    distances = _distances(values, totals, level)
    weighted = counts / (sizes - 1)[:, None]
    # a rating is not paired with itself, but its distance to itself is 0 anyway
    observed = float((weighted.T @ counts * distances).sum()) / n
    expected = float((np.outer(totals, totals) * distances).sum()) / (n * (n - 1))
    return 1 - observed / expected if expected > 0 else None


def krippendorff_alpha(ratings: Numbers, *, level: Level = "nominal") -> float | None:
    """Alpha of (raters, units) ratings, NaN where missing; None where all values are equal."""
    values, counts = _unit_counts(ratings)
    return _alpha(values, counts, level)


def estimate_alpha(
    ratings: Numbers,
    *,
    rng: np.random.Generator,
    level: Level = "nominal",
    draws: int = 1_000,
    confidence: float = 0.95,
) -> Estimate:
    """Estimate alpha with a bootstrap over units.

    Not measured where no unit has two ratings, or where only one value occurs
    (nothing could have disagreed).
    """
    table = as_floats(ratings)
    missing = int(np.isnan(table).sum())
    values, counts = _unit_counts(table)
    alpha = _alpha(values, counts, level) if len(counts) else None
    if alpha is None:
        why = "only one value occurs" if len(counts) else "no unit with two ratings"
        return not_measured(why, n_samples=len(counts), n_missing=missing)
    picks = rng.integers(0, len(counts), size=(draws, len(counts)))
    drawn = [_alpha(values, counts[pick], level) for pick in picks]
    kept = [value for value in drawn if value is not None]
    tail = (1 - confidence) / 2
    low, high = np.quantile(kept, (tail, 1 - tail)) if len(counts) > 1 and kept else (None, None)
    return Estimate(
        value=alpha,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        n_samples=len(counts),
        n_trials=int(counts.sum()),
        n_missing=missing,
        method=f"krippendorff alpha, {level}, bootstrap of units",
        level=confidence,
    )
