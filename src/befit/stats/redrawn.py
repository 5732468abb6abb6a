"""Quantiles under a bootstrap of clusters: many draws without touching every value in each.

Ranked values are cut into a few blocks, short ones where the quantiles of most draws are
to be expected. How often each block is drawn is one matrix product for all draws; only the
block in which a quantile falls is then gone through.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import ROUNDING, Floats, Ints

Counts: TypeAlias = npt.NDArray[np.float32]
"""(draws, clusters): how often each cluster is in a draw. Whole numbers far below 2^24."""

_CUTS = (0.0, 1.2, 2.4, 3.8, 6.0, 10.0, 20.0)
"""Where blocks end on both sides of a quantile, in standard deviations of the rank that it
has in a draw of single values. Clusters of several spread further: they end in longer blocks."""
_PER_BLOCK = 8
"""Values a block holds at least."""


def redraw(clusters: int, *, rng: np.random.Generator, draws: int) -> Counts:
    """Draw so many clusters with replacement, `draws` times."""
    found = np.empty((draws, clusters), dtype=np.float32)
    for row in found:
        row[:] = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
    return found


def redrawn_quantiles(
    values: Floats,
    owners: Ints,
    counts: Counts,
    qs: Sequence[float],
    *,
    weights: Floats | None = None,
) -> tuple[Floats, ...]:
    """Return, for each q, the weighted quantile of `values` in each draw: (draws,).

    The quantile is the first ranked value at which the weight reaches q of the whole;
    nan in a draw that holds none of the values.

    Args:
        values: one per answer, (n,), no nan, n > 0.
        owners: cluster code of each, a column of `counts`.
        counts: how often each cluster is drawn.
        qs: shares between 0 and 1.
        weights: the weight of each value; all the same where None.
    """
    order = np.argsort(values)  # whatever the order of equal values: the quantile is the same
    ranked, owner = values[order], owners[order]
    if weights is not None:
        return _weighted(ranked, owner, counts, qs, weights[order])
    n, clusters = ranked.size, counts.shape[1]
    edges = _edges(n, qs)
    blocks = len(edges) - 1
    block = np.repeat(np.arange(blocks), np.diff(edges))
    table = np.bincount(owner * blocks + block, minlength=clusters * blocks)
    drawn = counts @ table.reshape(clusters, blocks).astype(np.float32)
    reached = np.cumsum(drawn, axis=1, dtype=np.float64)
    return tuple(_places(ranked, owner, counts, reached, edges, q) for q in qs)


def _weighted(
    ranked: Floats, owner: Ints, counts: Counts, qs: Sequence[float], weights: Floats
) -> tuple[Floats, ...]:
    """Return the same where values weigh unequally: draw by draw, the weights are no counts."""
    found = np.full((len(qs), len(counts)), np.nan)
    for row, drawn in enumerate(counts):
        reached = np.cumsum(drawn[owner] * weights)
        if reached[-1] > 0:
            at = np.searchsorted(reached, np.array(qs) * reached[-1] * (1 - ROUNDING))
            found[:, row] = ranked[np.minimum(at, ranked.size - 1)]
    return tuple(found)


def _edges(n: int, qs: Sequence[float]) -> Ints:
    """Return where the blocks of n ranked values begin and end, 0 and n among them."""
    cuts = np.array((*(-cut for cut in _CUTS[:0:-1]), *_CUTS))
    found = {0, n}
    for q in qs:
        step = max(sqrt(n * q * (1 - q)), _PER_BLOCK / _CUTS[1])
        found.update(np.clip(np.rint(q * n + step * cuts), 0, n).astype(np.int64).tolist())
    return np.array(sorted(found), dtype=np.int64)


def _places(
    ranked: Floats, owner: Ints, counts: Counts, reached: Floats, edges: Ints, q: float
) -> Floats:
    whole = reached[:, -1]
    # Weights are whole numbers: at least q of the whole is at least the next whole number.
    target = np.ceil(q * whole)
    at = (reached >= target[:, None]).argmax(axis=1)
    rows = np.arange(len(counts))
    need = target - np.where(at > 0, reached[rows, at - 1], 0.0)
    inside = edges[at][:, None] + np.arange(int((edges[at + 1] - edges[at]).max()))[None, :]
    np.minimum(inside, edges[at + 1][:, None] - 1, out=inside)
    places = owner[inside]
    places += (rows * counts.shape[1])[:, None]
    weight = counts.ravel()[places]
    np.cumsum(weight, axis=1, out=weight)
    step = weight >= need.astype(np.float32)[:, None]
    found = ranked[inside[rows, step.argmax(axis=1)]]
    return np.where(whole > 0, found, np.nan)
