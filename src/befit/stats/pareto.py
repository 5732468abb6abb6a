"""The front of candidates that no other beats on every count."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Numbers, as_floats


def dominates(points: Numbers, *, maximise: npt.ArrayLike) -> Bools:
    """[i, j] is true where i is nowhere worse than j and somewhere better.

    `points` is (candidates, criteria), `maximise` says which criteria are better high.
    """
    signed = as_floats(points) * np.where(np.asarray(maximise, dtype=bool), 1.0, -1.0)
    no_worse = (signed[:, None, :] >= signed[None, :, :]).all(axis=2)
    better = (signed[:, None, :] > signed[None, :, :]).any(axis=2)
    return np.asarray(no_worse & better, dtype=bool)


def pareto_front(points: Numbers, *, maximise: npt.ArrayLike) -> tuple[int, ...]:
    """Indices of the candidates no other dominates, by the values as they are."""
    beaten = dominates(points, maximise=maximise).any(axis=0)
    return tuple(int(i) for i in np.flatnonzero(~beaten))


def significant_front(
    points: Numbers, better: npt.ArrayLike, *, maximise: npt.ArrayLike
) -> tuple[int, ...]:
    """Front where domination also needs a significant difference; ties stay on it.

    `better[i, j]` is true where a corrected paired test says that i is better than j
    on at least one criterion; then i must be no worse than j on all of them.
    """
    proven = dominates(points, maximise=maximise) & np.asarray(better, dtype=bool)
    return tuple(int(i) for i in np.flatnonzero(~proven.any(axis=0)))
