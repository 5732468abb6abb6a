"""Quantiles with limits from order statistics: latency percentiles that know what n can bound.

With 100 values the 99th percentile has no upper limit; `high` is then None.
Repeats of one item (or cluster) are not independent; their design effect
shrinks the n that sets the ranks (Woodruff 1952).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes
from befit.stats.clusters import clustered_error
from befit.stats.distributions import binomial_quantile, require_probability
from befit.stats.intervals import Interval
from befit.stats.means import clusters_repeat, to_estimate


def _effective_n(values: Floats, quantile: float, clusters: npt.ArrayLike) -> int:
    below = (values <= quantile).astype(np.float64)
    share = float(below.mean())
    plain = share * (1 - share) / values.size
    groups = int(cluster_codes(clusters).max()) + 1
    if groups == 1:
        return 1
    if plain == 0:
        return groups
    effect = max(1.0, clustered_error(below, clusters) ** 2 / plain)
    return max(1, int(values.size / effect))


def quantile_interval(
    values: Numbers,
    *,
    q: float,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Interval of the `q` quantile from the binomial distribution of ranks.

    At least `level` by construction for independent values; a limit is None
    where there is no such rank.
    """
    require_probability(q, name="q")
    require_probability(level)
    ranked = np.sort(as_floats(values))
    n = ranked.size
    if n == 0:
        raise ValueError("no values")
    value = float(np.quantile(ranked, q))
    effective = n
    if clusters is not None and clusters_repeat(clusters):
        effective = _effective_n(as_floats(values), value, clusters)
    tail = (1 - level) / 2
    low = binomial_quantile(tail, n=effective, p=q)
    high = binomial_quantile(1 - tail, n=effective, p=q) + 1
    if effective < n:
        low = int(np.floor(low * n / effective)) if low else 0
        high = int(np.ceil(high * n / effective)) if high <= effective else n + 1
    return Interval(
        value=value,
        low=float(ranked[low - 1]) if low >= 1 else None,
        high=float(ranked[high - 1]) if high <= n else None,
        method="order statistics" if effective == n else "order statistics, clustered",
    )


def estimate_quantile(
    values: Numbers,
    *,
    q: float,
    n_samples: int,
    n_missing: int,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate a quantile over trials; NaN values are left out.

    `n_samples` items stand behind the trials; pass the item (or cluster) of each
    trial as `clusters` where items have repeats.
    """
    flat = as_floats(values)
    present = ~np.isnan(flat)
    if not present.any():
        return not_measured("no measured trials", n_missing=n_missing)
    kept = None if clusters is None else np.asarray(clusters)[present]
    interval = quantile_interval(flat[present], q=q, clusters=kept, level=level)
    return to_estimate(
        interval,
        n_samples=n_samples,
        n_trials=int(present.sum()),
        n_missing=n_missing,
        level=level,
    )
