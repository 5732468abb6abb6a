"""Quantiles of redrawn clusters against the plain way: repeat the values, rank them, look."""

from __future__ import annotations

import numpy as np
import pytest

from befit.stats.redrawn import redraw, redrawn_quantiles

RNG = np.random.default_rng


@pytest.mark.parametrize("n", [1, 5, 40, 700])
def test_blocks_give_what_ranking_the_repeated_values_gives(n):
    rng = RNG(n)
    clusters = max(1, n // 4)
    values = np.round(rng.exponential(size=n), 2)
    owners = rng.integers(0, clusters, size=n)
    counts = redraw(clusters, rng=rng, draws=50)
    qs = (0.05, 0.5, 0.95)
    found = redrawn_quantiles(values, owners, counts, qs)
    for draw, times in enumerate(counts):
        repeated = np.sort(np.repeat(values, times[owners].astype(int)))
        for q, quantiles in zip(qs, found, strict=True):
            if not repeated.size:
                assert np.isnan(quantiles[draw])
                continue
            rank = max(1, int(np.ceil(q * repeated.size - 1e-9)))
            assert quantiles[draw] == repeated[rank - 1]


def test_as_many_clusters_are_drawn_as_there_are():
    counts = redraw(30, rng=RNG(0), draws=20)
    assert (counts.sum(axis=1) == 30).all()
    assert counts.std() > 0.5
