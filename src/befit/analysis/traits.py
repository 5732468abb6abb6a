"""What samples say of themselves for counting, where they stand in no frame: by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from befit.analysis.columns import Floats, Ints
from befit.stats.means import clusters_repeat
from befit.stats.weighted import unequal

Traits = Mapping[str, tuple[str | None, float]]
"""Sample id -> its cluster (None: it stands alone) and its weight."""
_ALONE = (None, 1.0)
"""What is known of a sample that says nothing."""


def kin_of(ids: Sequence[str], traits: Traits) -> Ints:
    """Return the clusters of samples (with repetitions); one without is a cluster of its own."""
    codes: dict[tuple[bool, str], int] = {}
    clusters = [traits.get(one, _ALONE)[0] for one in ids]
    names = [(own is None, one if own is None else own)
             for one, own in zip(ids, clusters, strict=True)]  # fmt: skip
    return np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int64)


def weights_of(ids: Sequence[str], traits: Traits) -> Floats | None:
    """Return the weights of samples (with repetitions); None where all weigh the same."""
    return unequal([traits.get(one, _ALONE)[1] for one in ids])


def design_of(ids: Sequence[str], traits: Traits) -> tuple[Ints | None, Floats | None]:
    """Return the clusters (None: all stand alone) and weights (None: all alike) of samples."""
    clusters = kin_of(ids, traits)
    return clusters if clusters_repeat(clusters) else None, weights_of(ids, traits)
