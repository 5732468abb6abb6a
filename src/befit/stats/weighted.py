"""Means of units that weigh unequally: what their variance is, and on how few it rests.

A hundred samples of which five carry nine tenths of the weight are hardly more than five.
Kish's effective number n* = (sum w)^2 / sum w^2 (Kish 1965, section 11.7) takes the place of
n, in the degrees of freedom too, which alone lifts coverage from 55-85 % to 80-93 %. The
variance is the larger of two, because each fails where the other holds: the sandwich with
leverages (HC2; MacKinnon, White 1985) follows spread that grows with the weight, but with a
handful of heavy units it is estimated from that handful; the spread of all units over
n* - 1 uses every unit, but takes their spread as one. `docs/proof/statistics.md` has the
coverage of the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats, divide

LEAST = 1.5
"""Below this effective number the t distribution says nothing that "anything" would not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighted:
    """A weighted mean, the variance of that mean, and the effective number of its units."""

    mean: float
    variance: float
    effective: float


def effective_number(weights: Numbers) -> float:
    """Kish's effective number: n for equal weights, 1 where one unit has all the weight."""
    w = as_floats(weights)
    return float(w.sum() ** 2 / np.square(w).sum())


def unequal(weights: Numbers | None) -> Floats | None:
    """Return the weights where they differ; None where all are the same, and so do not count."""
    if weights is None:
        return None
    w = as_floats(weights)
    return w if w.size and float(np.ptp(w)) > 0 else None


def row_means(table: Floats, weights: Floats | None) -> Floats:
    """Return the mean of each row over the columns it has, by their weights; NaN of none."""
    own = np.ones(table.shape[1]) if weights is None else weights
    return divide(np.nan_to_num(table) @ own, (~np.isnan(table)).astype(np.float64) @ own)


def weighted_mean(totals: Numbers, weights: Numbers) -> Weighted:
    """Return the mean sum(totals) / sum(weights) over independent units with its variance.

    Args:
        totals: weight x value of each unit, or the sum of that over a cluster.
        weights: weight of each unit, at least 0; they do not sum to 0.

    For equal weights the variance is s^2 / n. It is 0 for a single unit.
    """
    top, w = as_floats(totals), as_floats(weights)
    whole = float(w.sum())
    mean, share, n = float(top.sum()) / whole, w / whole, effective_number(w)
    if top.size < 2:  # noqa: PLR2004 - two units make a spread
        return Weighted(mean=mean, variance=0.0, effective=1.0)
    residuals = (top - mean * w) / whole
    sandwich = float((np.square(residuals) / np.maximum(1 - share, 1e-9)).sum())
    around: Floats = np.square(divide(top, w) - mean)
    spread = float((share * np.where(w > 0, around, 0.0)).sum()) / (max(n, LEAST) - 1)
    return Weighted(mean=mean, variance=max(sandwich, spread), effective=n)
