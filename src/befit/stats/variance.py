"""Where the noise comes from: items or repeats. One-way random ANOVA.

Answers "would more repeats help, or more items?". Missing trials are allowed;
with unequal repeats the usual n0 takes the place of K.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats, divide


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSplit:
    """Variance components of a score over items and repeats.

    `share_by_repeats` is the share of the mean's variance that more repeats
    could remove; the rest needs more items. `icc` is the correlation of two
    repeats of one item (negative where they agree less than by chance).
    """

    between_items: float
    within_items: float
    icc: float
    mean_square_between: float
    mean_square_within: float
    standard_error: float
    share_by_repeats: float


def split_variance(scores: Numbers) -> VarianceSplit | None:
    """Split the variance of scores (items, repeats), NaN for missing.

    None where it cannot be split: fewer than two items, or no item with two trials.
    """
    table = as_floats(scores)
    present = ~np.isnan(table)
    table, present = table[present.any(axis=1)], present[present.any(axis=1)]
    counts = present.sum(axis=1).astype(np.float64)
    items, trials = len(table), float(counts.sum())
    if items <= 1 or trials <= items:
        return None
    filled = np.where(present, table, 0.0)
    means = filled.sum(axis=1) / counts
    grand = float(filled.sum()) / trials
    between = float((counts * np.square(means - grand)).sum()) / (items - 1)
    within = float(np.square((table - means[:, None])[present]).sum()) / (trials - items)
    k0 = (trials - float(np.square(counts).sum()) / trials) / (items - 1)
    item = max(0.0, (between - within) / k0)
    total = between + (k0 - 1) * within
    noise = within / k0
    return VarianceSplit(
        between_items=item,
        within_items=within,
        icc=(between - within) / total if total > 0 else 0.0,
        mean_square_between=between,
        mean_square_within=within,
        standard_error=sqrt(between / trials),
        share_by_repeats=noise / (item + noise) if item + noise > 0 else 0.0,
    )


def run_means(scores: Numbers) -> Floats:
    """Mean of each repeat over items: (items, repeats) -> (repeats,), NaN where none is there."""
    table = as_floats(scores)
    present = ~np.isnan(table)
    counts = present.sum(axis=0)
    sums = np.where(present, table, 0.0).sum(axis=0)
    return divide(sums, counts)


def run_spread(scores: Numbers) -> float | None:
    """Standard deviation of the per-repeat means; None with fewer than two repeats."""
    means = run_means(scores)
    means = means[~np.isnan(means)]
    return None if means.size <= 1 else float(means.std(ddof=1))
