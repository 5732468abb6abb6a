"""Ranking under noise: all pairs tested, corrected, and read as letters and rank sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Floats, Numbers, as_floats, divide
from befit.stats.groups import best_set, compact_letters, rank_sets
from befit.stats.multiplicity import holm
from befit.stats.paired import Difference, paired_difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Candidate `first` minus candidate `second`, with the Holm-adjusted p; indices of rows."""

    first: int
    second: int
    difference: Difference
    adjusted_p: float | None
    significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All pairs and what follows from them, in the order of the rows given.

    `order` lists the candidates by mean, best first (unmeasured ones last);
    `best` those that may be first.
    """

    order: tuple[int, ...]
    letters: tuple[str, ...]
    rank_sets: tuple[tuple[int, int], ...]
    best: tuple[int, ...]
    pairs: tuple[Pair, ...]


def _means(table: Floats) -> Floats:
    counts = (~np.isnan(table)).sum(axis=1)
    sums = np.nan_to_num(table).sum(axis=1)
    return np.nan_to_num(divide(sums, counts), nan=-np.inf)


def rank_candidates(
    means: Numbers,
    *,
    binary_single: bool,
    rng: np.random.Generator,
    clusters: npt.ArrayLike | None = None,
    weights: Numbers | None = None,
    alpha: float = 0.05,
) -> Ranking:
    """Test all pairs of candidates and correct by Holm.

    Args:
        means: item means (candidates, items) of scores in [0, 1], NaN where missing;
            each pair is compared on the items that both have.
        binary_single: one trial per item, each 0 or 1.
        rng: for the tests that need draws.
        clusters: the cluster of each item.
        weights: the weight of each item; all the same where None.
        alpha: chance of any false claim over all pairs.
    """
    table = as_floats(means)
    count = len(table)
    found = [
        (i, j, paired_difference(
            table[i],
            table[j],
            binary_single=binary_single,
            rng=rng,
            clusters=clusters,
            weights=weights,
        ))
        for i, j in combinations(range(count), 2)
    ]  # fmt: skip
    tested = [d.p_value for _, _, d in found if d.p_value is not None]
    adjusted = iter(holm(tested).tolist())
    pairs: list[Pair] = []
    better = np.zeros((count, count), dtype=bool)
    for i, j, difference in found:
        p = None if difference.p_value is None else next(adjusted)
        significant = p is not None and p <= alpha
        pairs.append(
            Pair(first=i, second=j, difference=difference, adjusted_p=p, significant=significant)
        )
        if significant:
            up = (difference.estimate.value or 0.0) > 0
            better[(i, j) if up else (j, i)] = True
    order = [int(i) for i in np.argsort(-_means(table), kind="stable")]
    return Ranking(
        order=tuple(order),
        letters=compact_letters(better | better.T, order=order),
        rank_sets=rank_sets(better),
        best=best_set(better),
        pairs=tuple(pairs),
    )
