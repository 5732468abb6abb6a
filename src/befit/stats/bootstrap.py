"""Bootstraps that stay small: counts are drawn, not rows.

Resampling n rows with replacement is drawing multinomial counts; where scores
take few distinct values, the counts of the values are all that is needed, so a
million rows cost no more than a handful.
"""

from __future__ import annotations

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats

_CELLS = 4_000_000
"""Largest block of counts held at once (32 MB)."""


def _blocks(draws: int, width: int) -> list[int]:
    size = max(1, min(draws, _CELLS // max(1, width)))
    return [min(size, draws - start) for start in range(0, draws, size)]


def bootstrap_ratio(
    numerators: Numbers, denominators: Numbers, *, rng: np.random.Generator, draws: int = 2_000
) -> Floats:
    """Draw sum(numerators) / sum(denominators) over resampled units (items or clusters).

    Equal pairs are drawn together. Draws whose denominator is 0 are infinite.
    """
    pairs = np.column_stack((as_floats(numerators), as_floats(denominators)))
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    chances = counts / counts.sum()
    found = []
    for size in _blocks(draws, len(distinct)):
        drawn = rng.multinomial(len(pairs), chances, size=size).astype(np.float64)
        sums = drawn @ distinct
        ratio = np.full(size, np.inf)
        np.divide(sums[:, 0], sums[:, 1], out=ratio, where=sums[:, 1] != 0)
        found.append(ratio)
    return np.concatenate(found)


def bootstrap_mean(values: Numbers, *, rng: np.random.Generator, draws: int = 2_000) -> Floats:
    """Draw the mean over resampled items: (draws,)."""
    flat = as_floats(values)
    return bootstrap_ratio(flat, np.ones_like(flat), rng=rng, draws=draws)
