"""The arrays every file here speaks in, and the one step before all of them: item means.

The unit of analysis is the item (or the cluster of items), never the call, so
repeats are averaged to one value per item first. NaN means missing, never 0.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.ArrayLike

_SPARSE = 8
"""Room per value up to which whole numbers are counted instead of sorted."""


ROUNDING = 1e-12
"""A share of a sum below this is what adding up leaves over."""


def as_floats(values: Numbers) -> Floats:
    """Return `values` as a float array; None becomes NaN."""
    return np.asarray(values, dtype=np.float64)


def divide(sums: Numbers, counts: Numbers) -> Floats:
    """Return sums / counts, NaN where the count is 0."""
    top, bottom = as_floats(sums), as_floats(counts)
    top, bottom = np.broadcast_arrays(top, bottom)
    found = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=found, where=bottom > 0)
    return found


def sum_by(values: Floats, codes: Ints, *, groups: int = 0) -> Floats:
    """Sum `values` by `codes`: (n,) -> (groups,)."""
    return np.bincount(codes, weights=values, minlength=groups).astype(np.float64, copy=False)


def item_means(scores: Numbers) -> Floats:
    """Average the repeats of each item: (items, repeats) -> (items,), NaN where none is there."""
    table = as_floats(scores)
    present = ~np.isnan(table)
    counts = present.sum(axis=1)
    sums = np.where(present, table, 0.0).sum(axis=1)
    return divide(sums, counts)


def group_means(values: Numbers, codes: Ints, *, groups: int) -> Floats:
    """Average `values` by `codes` (0..groups-1) in one pass; NaN values are left out.

    For long data: one row per trial, `codes` the item of each row. A group
    without any value gets NaN.
    """
    flat = as_floats(values)
    present = ~np.isnan(flat)
    counts = np.bincount(codes[present], minlength=groups)
    return divide(sum_by(flat[present], codes[present], groups=groups), counts)


def cluster_codes(clusters: npt.ArrayLike) -> Ints:
    """Turn cluster names (any sortable values) into codes 0..G-1."""
    names = np.asarray(clusters)
    if names.dtype.kind in "iu" and names.size:
        # whole numbers close to each other are counted, which is quicker than sorting them
        low, high = int(names.min()), int(names.max())
        if high - low < _SPARSE * names.size:
            codes = names.ravel().astype(np.int64) - low
            seen = np.zeros(high - low + 1, dtype=np.bool_)
            seen[codes] = True
            return codes if seen.all() else np.asarray((np.cumsum(seen) - 1)[codes], dtype=np.int64)
    return np.unique(names, return_inverse=True)[1].astype(np.int64).ravel()
