"""Two independent windows: is the rate of the second different from that of the first?"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

from befit.stats.distributions import normal_tail
from befit.stats.intervals import Interval, wilson

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
    a, b = wilson(first, n=n, level=level), wilson(second, n=m, level=level)
    a_low, a_high, b_low, b_high = (x or 0.0 for x in (a.low, a.high, b.low, b.high))
    difference = a.value - b.value
    down = sqrt((a.value - a_low) ** 2 + (b_high - b.value) ** 2)
    up = sqrt((a_high - a.value) ** 2 + (b.value - b_low) ** 2)
    pooled = (first + second) / (n + m)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    smallest = min(n, m) * min(pooled, 1 - pooled)
    use_exact = smallest < _SMALL if exact is None else exact
    return TwoRates(
        interval=Interval(
            value=difference, low=difference - down, high=difference + up, method="newcombe"
        ),
        z_p=min(1.0, 2 * normal_tail(abs(difference) / error)) if error > 0 else 1.0,
        fisher_p=fisher_p(first, n=n, second=second, m=m) if use_exact else None,
    )
