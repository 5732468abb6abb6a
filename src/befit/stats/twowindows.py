"""Two independent windows: is the rate of the second different from that of the first?

Where the observations of both may share their units (answers to one sample), or weigh
unequally, `shared_rates` has the interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import normal_tail, t_value
from befit.stats.intervals import Interval, wilson
from befit.stats.weighted import LEAST, effective_number

_SMALL = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRates:
    """First minus second rate (Newcombe 1998, method 10 for independent rates) with two p."""

    interval: Interval
    z_p: float
    fisher_p: float | None

    @property
    def p_value(self) -> float:
        """Fisher's p where it was computed (some expected count is small), else the z test's."""
        return self.z_p if self.fisher_p is None else self.fisher_p


def fisher_p(first: int, *, n: int, second: int, m: int) -> float:
    """Fisher's exact two-sided p of `first` of n against `second` of m."""
    total = first + second
    low, high = max(0, total - m), min(n, total)
    ways = [comb(n, k) * comb(m, total - k) for k in range(low, high + 1)]
    seen = ways[first - low]
    # whole numbers: "as rare as seen" is exact, without a rounding margin
    return sum(w for w in ways if w <= seen) / sum(ways)


def two_rates(
    first: int, *, n: int, second: int, m: int, level: float = 0.95, exact: bool | None = None
) -> TwoRates:
    """Compare two independent rates; Fisher's test where an expected count is below 5."""
    interval = _newcombe(first, n=n, second=second, m=m, level=level)
    pooled = (first + second) / (n + m)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    smallest = min(n, m) * min(pooled, 1 - pooled)
    use_exact = smallest < _SMALL if exact is None else exact
    return TwoRates(
        interval=interval,
        z_p=min(1.0, 2 * normal_tail(abs(interval.value) / error)) if error > 0 else 1.0,
        fisher_p=fisher_p(first, n=n, second=second, m=m) if use_exact else None,
    )


def _newcombe(first: float, *, n: float, second: float, m: float, level: float) -> Interval:
    """Return the interval of first / n - second / m."""
    a, b = wilson(first, n=n, level=level), wilson(second, n=m, level=level)
    a_low, a_high, b_low, b_high = (x or 0.0 for x in (a.low, a.high, b.low, b.high))
    difference = a.value - b.value
    down = sqrt((a.value - a_low) ** 2 + (b_high - b.value) ** 2)
    up = sqrt((a_high - a.value) ** 2 + (b.value - b_low) ** 2)
    return Interval(
        value=difference, low=difference - down, high=difference + up, method="newcombe"
    )


def shared_rates(
    values: Numbers,
    chosen: Bools,
    *,
    units: npt.ArrayLike,
    weights: Numbers | None = None,
    level: float = 0.95,
) -> Interval:
    """Mean of the chosen values minus mean of the others, all 0 or 1, of units that both share.

    Newcombe's interval at Kish's effective numbers, and where that is wider the one by the
    influence of each unit on the difference (the sandwich, t of the units).
    """
    y, codes = as_floats(values), cluster_codes(units)
    w = np.ones(y.size) if weights is None else as_floats(weights)
    sides = [(y[side], w[side]) for side in (chosen, ~chosen)]
    (p, n), (q, m) = ((float(np.average(v, weights=u)), effective_number(u)) for v, u in sides)
    found = _newcombe(min(p * n, n), n=n, second=min(q * m, m), m=m, level=level)
    pulls = np.where(chosen, (y - p) / w[chosen].sum(), (q - y) / w[~chosen].sum())
    sums = sum_by(w * pulls, codes)
    if sums.size < 2:  # noqa: PLR2004 - one unit has no spread
        return replace(found, low=-1.0, high=1.0, method="newcombe, one unit alone")
    free = max(effective_number(sum_by(w, codes)), LEAST) - 1
    spread = float(np.square(sums).sum()) * sums.size / (sums.size - 1)
    half = t_value(level, df=free) * sqrt(spread)
    return replace(
        found,
        low=max(-1.0, min(found.low or 0.0, found.value - half)),
        high=min(1.0, max(found.high or 0.0, found.value + half)),
        method=f"newcombe, no narrower than by {sums.size} units",
    )
