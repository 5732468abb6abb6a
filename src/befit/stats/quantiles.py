"""Quantiles with limits from order statistics: latency percentiles that know what n can bound.

With 100 values the 99th percentile has no upper limit; `high` is then None.
Repeats of one item (or cluster) are not independent; their design effect
shrinks the n that sets the ranks (Woodruff 1952), and so do unequal weights.
"""

from __future__ import annotations

from math import ceil

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import (
    ROUNDING,
    Floats,
    Ints,
    Numbers,
    as_floats,
    cluster_codes,
    sum_by,
)
from befit.stats.clusters import clustered_error
from befit.stats.distributions import binomial_quantile, require_probability
from befit.stats.intervals import Interval
from befit.stats.means import to_estimate
from befit.stats.weighted import unequal, weighted_mean

HALF = 0.5


class Ranked:
    """Values ranked once, for any number of their quantiles.

    Args:
        values: one per trial, no NaN.
        clusters: the item (or cluster) of each, used where one holds several.
        weights: the weight of each; all the same where None.
    """

    def __init__(
        self,
        values: Numbers,
        *,
        clusters: npt.ArrayLike | None = None,
        weights: Numbers | None = None,
    ) -> None:
        self.values = as_floats(values)
        self.weights = unequal(weights)
        if self.weights is None:
            self.ranked = np.sort(self.values)
        else:
            order = np.argsort(self.values, kind="stable")
            self.ranked = self.values[order]
            reached = np.cumsum(self.weights[order])
            self._reached = reached / reached[-1]
            self._middle = self._reached - self.weights[order] / reached[-1] / 2
        codes = None if clusters is None else cluster_codes(clusters)
        alone = codes is None or codes.size == 0 or int(codes.max()) + 1 == codes.size
        self._codes: Ints | None = None if alone else codes

    def quantile(self, q: float) -> float:
        """Return the `q` quantile, linear between ranks.

        Weighted values stand at the middle of what they weigh.
        """
        if self.weights is not None:
            return float(np.interp(q, self._middle, self.ranked))
        last = self.ranked.size - 1
        at = q * last
        before = min(int(at), last)
        low, high = float(self.ranked[before]), float(self.ranked[min(before + 1, last)])
        part = at - before
        # From the nearer end, as numpy has it: both ends are then met exactly.
        return low + (high - low) * part if part < HALF else high - (high - low) * (1 - part)

    def reach(self, q: float) -> float:
        """Return the first ranked value at which `q` of the values (or their weight) is reached."""
        if self.weights is None:
            return float(self.ranked[ceil(q * self.ranked.size) - 1])
        at = int(np.searchsorted(self._reached, q * (1 - ROUNDING)))
        return float(self.ranked[min(at, self.ranked.size - 1)])

    def interval(self, q: float, *, level: float = 0.95) -> Interval:
        """Interval of the `q` quantile from the binomial distribution of ranks.

        At least `level` by construction for independent values; a limit is None
        where there is no such rank. Of weighted values the ranks are those of as many equal
        ones as know the share below the quantile equally well.
        """
        require_probability(q, name="q")
        require_probability(level)
        n = self.ranked.size
        if n == 0:
            raise ValueError("no values")
        value = self.quantile(q)
        if self.weights is not None:
            effective = self._weighted_n(value, self.weights)
        else:
            effective = n if self._codes is None else self._effective_n(value, self._codes)
        tail = (1 - level) / 2
        low = binomial_quantile(tail, n=effective, p=q)
        high = binomial_quantile(1 - tail, n=effective, p=q) + 1
        if self.weights is not None:
            return Interval(
                value=value,
                low=min(value, self.reach(low / effective)) if low >= 1 else None,
                high=max(value, self.reach(high / effective)) if high <= effective else None,
                method=f"order statistics, weighted, {effective} effective",
            )
        if effective < n:
            low = int(np.floor(low * n / effective)) if low else 0
            high = int(np.ceil(high * n / effective)) if high <= effective else n + 1
        return Interval(
            value=value,
            low=float(self.ranked[low - 1]) if low >= 1 else None,
            high=float(self.ranked[high - 1]) if high <= n else None,
            method="order statistics" if effective == n else "order statistics, clustered",
        )

    def _effective_n(self, quantile: float, codes: Ints) -> int:
        below = (self.values <= quantile).astype(np.float64)
        share = float(below.mean())
        plain = share * (1 - share) / below.size
        groups = int(codes.max()) + 1
        if groups == 1:
            return 1
        if plain == 0:
            return groups
        effect = max(1.0, clustered_error(below, codes) ** 2 / plain)
        return max(1, int(below.size / effect))

    def _weighted_n(self, quantile: float, weights: Floats) -> int:
        """Return how many equal, independent values know the share below as well (Woodruff)."""
        below = (self.values <= quantile) * weights
        own = weights
        if self._codes is not None:
            below, own = sum_by(below, self._codes), sum_by(weights, self._codes)
        found = weighted_mean(below, own)
        if found.variance <= 0:
            return max(1, int(found.effective))
        return max(1, int(found.mean * (1 - found.mean) / found.variance))

    def estimate(
        self, q: float, *, n_samples: int, n_missing: int, level: float = 0.95
    ) -> Estimate:
        """Return the interval of the `q` quantile with the counts behind it."""
        return to_estimate(
            self.interval(q, level=level),
            n_samples=n_samples,
            n_trials=self.ranked.size,
            n_missing=n_missing,
            level=level,
        )


def quantile_interval(
    values: Numbers,
    *,
    q: float,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Interval of one quantile: `Ranked.interval`; ValueError where there are no values."""
    return Ranked(values, clusters=clusters).interval(q, level=level)


def estimate_quantile(
    values: Numbers,
    *,
    q: float,
    n_samples: int,
    n_missing: int,
    clusters: npt.ArrayLike | None = None,
    weights: Numbers | None = None,
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
    own = None if weights is None else as_floats(weights)[present]
    ranked = Ranked(flat[present], clusters=kept, weights=own)
    return ranked.estimate(q, n_samples=n_samples, n_missing=n_missing, level=level)
