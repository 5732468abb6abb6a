"""A million rows go through in whole-array steps (bounded by memory, not by a clock)."""

from __future__ import annotations

import tracemalloc

import numpy as np

from befit.stats.agreement import estimate_agreement
from befit.stats.arrays import group_means
from befit.stats.bootstrap import bootstrap_mean
from befit.stats.means import estimate_mean
from befit.stats.paired import paired_difference
from befit.stats.passk import pass_hat_k
from befit.stats.quantiles import estimate_quantile

ROWS = 1_000_000


def test_a_million_rows_stay_within_a_few_copies_of_the_data():
    rng = np.random.default_rng(0)
    a = rng.binomial(5, 0.8, size=ROWS) / 5
    b = rng.binomial(5, 0.8, size=ROWS) / 5
    clusters = np.arange(ROWS) // 7
    tracemalloc.start()
    found = paired_difference(a, b, binary_single=False, rng=rng)
    assert 0 < found.p_value <= 1
    assert found.estimate.n_samples == ROWS
    clustered = estimate_mean(a, n_trials=ROWS, n_missing=0, binary=False, clusters=clusters)
    assert clustered.high - clustered.low < 0.002
    assert bootstrap_mean(a, rng=rng).std() < 0.001
    assert len(pass_hat_k((a * 5).round().astype(int), 5)) == ROWS
    labels = rng.integers(0, 3, size=(ROWS // 5, 5))
    assert abs(estimate_agreement(labels).value - 1 / 3) < 0.01
    latency = rng.exponential(size=ROWS)
    p99 = estimate_quantile(latency, q=0.99, n_samples=ROWS, n_missing=0)
    assert p99.low < -np.log(0.01) < p99.high
    means = group_means(a, np.repeat(np.arange(ROWS // 5), 5), groups=ROWS // 5)
    assert means.shape == (ROWS // 5,)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 8 * ROWS
