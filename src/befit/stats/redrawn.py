"""Quantiles under a bootstrap of clusters: many draws without touching every value in each.

Ranked values are cut into a few blocks. How often each block is drawn is one matrix
product for all draws; only the block in which a quantile falls is then gone through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Floats, Ints

Counts: TypeAlias = npt.NDArray[np.float32]
"""(draws, clusters): how often each cluster is in a draw. Whole numbers far below 2^24."""

_BLOCKS = 72
"""More make the product dearer, fewer the way through a block longer."""
_PER_BLOCK = 16
"""Values a block holds at least."""


def redraw(clusters: int, *, rng: np.random.Generator, draws: int) -> Counts:
    """Draw so many clusters with replacement, `draws` times."""
    found = np.empty((draws, clusters), dtype=np.float32)
    for row in found:
        row[:] = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
    return found


def redrawn_quantiles(
    values: Floats, owners: Ints, counts: Counts, qs: Sequence[float]
) -> tuple[Floats, ...]:
    """Return, for each q, the weighted quantile of `values` in each draw: (draws,).

    The quantile is the first ranked value at which the weight reaches q of the whole;
    nan in a draw that holds none of the values.

    Args:
        values: one per answer, (n,), no nan, n > 0.
        owners: cluster code of each, a column of `counts`.
        counts: how often each cluster is drawn.
        qs: shares between 0 and 1.
    """
    order = np.argsort(values)  # whatever the order of equal values: the quantile is the same
    ranked, owner = values[order], owners[order]
    n, clusters = ranked.size, counts.shape[1]
    blocks = max(1, min(_BLOCKS, n // _PER_BLOCK))
    edges = np.linspace(0, n, blocks + 1).astype(np.int64)
    block = np.repeat(np.arange(blocks), np.diff(edges))
    table = np.bincount(owner * blocks + block, minlength=clusters * blocks)
    drawn = counts @ table.reshape(clusters, blocks).astype(np.float32)
    reached = np.cumsum(drawn, axis=1, dtype=np.float64)
    return tuple(_places(ranked, owner, counts, reached, edges, q) for q in qs)


def _places(
    ranked: Floats, owner: Ints, counts: Counts, reached: Floats, edges: Ints, q: float
) -> Floats:
    whole = reached[:, -1]
    # Weights are whole numbers: at least q of the whole is at least the next whole number.
    target = np.ceil(q * whole)
    at = (reached >= target[:, None]).argmax(axis=1)
    rows = np.arange(len(counts))
    need = target - np.where(at > 0, reached[rows, at - 1], 0.0)
    inside = edges[at][:, None] + np.arange(int(np.diff(edges).max()))[None, :]
    np.minimum(inside, edges[at + 1][:, None] - 1, out=inside)
    places = owner[inside]
    places += (rows * counts.shape[1])[:, None]
    weight = counts.ravel()[places]
    np.cumsum(weight, axis=1, out=weight)
    step = weight >= need.astype(np.float32)[:, None]
    found = ranked[inside[rows, step.argmax(axis=1)]]
    return np.where(whole > 0, found, np.nan)
