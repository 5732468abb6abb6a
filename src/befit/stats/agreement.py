"""Stability over repeats: do independent runs of one item give the same answer?

Works on labels: an (items, repeats) array of integers, equal where answers are
equal, negative where the trial is missing. The headline is pairwise agreement,
which has the same meaning at every number of repeats; the others depend on it.
Undefined for an item with fewer than two trials: NaN, and None for the whole.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Ints
from befit.stats.means import estimate_mean


def label_answers(rows: Sequence[Sequence[Hashable | None]]) -> Ints:
    """Number the answers of each item: (items, repeats) labels, -1 for None and padding."""
    width = max((len(row) for row in rows), default=0)
    labels = np.full((len(rows), width), -1, dtype=np.int64)
    for index, row in enumerate(rows):
        seen: dict[Hashable, int] = {}
        for repeat, answer in enumerate(row):
            if answer is not None:
                labels[index, repeat] = seen.setdefault(answer, len(seen))
    return labels


def _table(labels: npt.ArrayLike) -> Ints:
    table = np.asarray(labels, dtype=np.int64)
    return table.reshape(len(table), -1)


def _same_counts(table: Ints) -> tuple[Ints, Ints]:
    # for each trial: how many trials of its item (itself included) answer the same
    present = table >= 0
    same = present.astype(np.int64)
    for i in range(table.shape[1]):
        for j in range(i + 1, table.shape[1]):
            equal = (table[:, i] == table[:, j]) & present[:, i]
            same[:, i] += equal
            same[:, j] += equal
    return same, present.sum(axis=1)


def _where_defined(values: Floats, counts: Ints) -> Floats:
    return np.where(counts > 1, values, np.nan)


def pairwise_agreement(labels: npt.ArrayLike) -> Floats:
    """Chance that two different runs of the item agree, unbiased: (items,)."""
    same, counts = _same_counts(_table(labels))
    pairs = np.maximum(counts * (counts - 1), 1)
    return _where_defined((same.sum(axis=1) - counts) / pairs, counts)


def mode_share(labels: npt.ArrayLike) -> Floats:
    """Share of the most frequent answer (vote share); biased upward for few repeats."""
    same, counts = _same_counts(_table(labels))
    top = same.max(axis=1, initial=0)
    return _where_defined(top / np.maximum(counts, 1), counts)


def total_agreement(labels: npt.ArrayLike) -> Floats:
    """1 where all runs agree, else 0 (TAR, Atil et al. 2024). Never compare across repeats."""
    same, counts = _same_counts(_table(labels))
    all_same = (same.max(axis=1, initial=0) == counts).astype(np.float64)
    return _where_defined(all_same, counts)


def semantic_entropy(labels: npt.ArrayLike) -> Floats:
    """Discrete semantic entropy in nats (Farquhar et al. 2024): 0 where all runs agree."""
    table = _table(labels)
    same, counts = _same_counts(table)
    shares = same / np.maximum(counts, 1)[:, None]
    # each of the m members of a cluster carries 1/K of its m/K ln(m/K)
    logs = np.log(np.where(table >= 0, shares, 1.0)).sum(axis=1)
    return _where_defined(-logs / np.maximum(counts, 1) + 0.0, counts)


def agreement_from_entropy(labels: npt.ArrayLike) -> Floats:
    """1 - H / ln K: entropy on the scale of an agreement."""
    counts = (_table(labels) >= 0).sum(axis=1)
    scaled: Floats = 1 - semantic_entropy(labels) / np.log(np.maximum(counts, 2))
    return scaled


def estimate_agreement(
    labels: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None, n_missing: int = 0
) -> Estimate:
    """Estimate the pairwise agreement over items: the headline of stability.

    Items with fewer than two answers do not count; not measured where no item
    has two.
    """
    table = _table(labels)
    per_item = pairwise_agreement(table)
    used = ~np.isnan(per_item)
    if not used.any():
        return not_measured("no sample with two answers", n_missing=n_missing)
    return estimate_mean(
        per_item,
        n_trials=int((table[used] >= 0).sum()),
        n_missing=n_missing,
        binary=False,
        clusters=clusters,
    )
