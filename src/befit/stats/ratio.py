"""Ratios of two sums over items: cost per success, a field metric pooled over documents.

The interval is Fieller's: where the denominator cannot be told from 0 (few
successes) the ratio has no upper bound and says so, which the delta method
hides. The delta method and the cluster bootstrap are there beside it. Units are
the clusters where clusters are given, else the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import Floats, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.bootstrap import bootstrap_ratio
from befit.stats.clusters import ENOUGH
from befit.stats.distributions import t_value
from befit.stats.intervals import UNIT, Interval, Limits, clip, effective_wilson, wilson
from befit.stats.means import to_estimate
from befit.stats.weighted import LEAST, effective_number, unequal, weighted_mean

AMOUNT: Limits = (0.0, None)
"""Natural limits of a cost or a duration."""


def _by_unit(
    numerators: Numbers, denominators: Numbers, clusters: npt.ArrayLike | None
) -> tuple[Floats, Floats]:
    top, bottom = as_floats(numerators), as_floats(denominators)
    if top.shape != bottom.shape:
        raise ValueError(f"need as many numerators as denominators: {top.shape}, {bottom.shape}")
    if clusters is None:
        return top, bottom
    codes = cluster_codes(clusters)
    return sum_by(top, codes), sum_by(bottom, codes)


def ratio_error(
    numerators: Numbers, denominators: Numbers, *, clusters: npt.ArrayLike | None = None
) -> float:
    """Standard error of sum(numerators) / sum(denominators) by the delta method (CR1)."""
    top, bottom = _by_unit(numerators, denominators, clusters)
    residuals = top - top.sum() / bottom.sum() * bottom
    units = top.size
    squares = float(np.square(residuals).sum()) * units / (units - 1)
    return sqrt(squares) / abs(float(bottom.sum()))


def delta_interval(
    numerators: Numbers,
    denominators: Numbers,
    *,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Return ratio +- t(units - 1) x delta-method standard error; needs two units."""
    top, bottom = _by_unit(numerators, denominators, clusters)
    value = float(top.sum() / bottom.sum())
    half = t_value(level, df=top.size - 1) * ratio_error(top, bottom)
    return Interval(value=value, low=value - half, high=value + half, method="delta")


def fieller_interval(
    numerators: Numbers,
    denominators: Numbers,
    *,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Fieller's interval of a ratio with a positive denominator; needs two units.

    All ratios r for which mean(top - r x bottom) is not significantly away from
    0. `high` is None where the denominator is not significantly above 0.
    """
    top, bottom = _by_unit(numerators, denominators, clusters)
    n = top.size
    t2 = t_value(level, df=n - 1) ** 2 / n
    return _fieller(float(top.mean()), float(bottom.mean()), t2 * np.cov(top, bottom, ddof=1))


def _fieller(y: float, x: float, scaled: Floats) -> Interval:
    """Return Fieller's set of y / x; `scaled`: t^2 times the covariance of the two means."""
    a = x * x - float(scaled[1, 1])
    b = x * y - float(scaled[0, 1])
    c = y * y - float(scaled[0, 0])
    root = sqrt(max(0.0, b * b - a * c))
    if a > 0:
        return Interval(value=y / x, low=(b - root) / a, high=(b + root) / a, method="fieller")
    # the set is then unbounded; its lower end is the ratio that still can be ruled out
    low = c / (b + root) if b + root > 0 else None
    return Interval(value=y / x, low=low, high=None, method="fieller")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """Items of one kind, by unit (cluster or item), and their share of the whole."""

    top: Floats
    bottom: Floats
    own: Floats
    """How much each unit counts: trials, or its weight."""
    share: float = 1.0

    @property
    def effective(self) -> float:
        """Kish's effective number of units."""
        return effective_number(self.own)

    @property
    def means(self) -> tuple[float, float]:
        """Return the mean of the numerators, and that of the denominators."""
        whole = float(self.own.sum())
        return float(self.top.sum()) / whole, float(self.bottom.sum()) / whole

    def over_own(self) -> Stratum:
        """Return the same with what each unit counts as its denominator: the mean."""
        return replace(self, bottom=self.own)

    def scatter(self, ratio: float) -> tuple[float, Floats]:
        """Return the variance of mean(top) - ratio x mean(bottom), and the covariance of both.

        The sandwich with leverages, widened where the spread over the effective number is
        larger, as of any weighted mean (`weighted.py`).
        """
        (y, x), whole = self.means, float(self.own.sum())
        parts = np.vstack([self.top - y * self.own, self.bottom - x * self.own]) / whole
        free = np.maximum(1 - self.own / whole, 1e-9)
        sandwich = float((np.square(parts[0] - ratio * parts[1]) / free).sum())
        variance = weighted_mean(self.top - ratio * self.bottom, self.own).variance
        wider = variance / sandwich if sandwich > 0 else 1.0
        return variance, wider * ((parts / free) @ parts.T)


def stratum_of(
    numerators: Numbers,
    denominators: Numbers,
    tried: Numbers,
    *,
    share: float = 1.0,
    weights: Numbers | None = None,
    clusters: npt.ArrayLike | None = None,
) -> Stratum:
    """Return the sums over the trials of each item as a stratum; items of weight by their means."""
    top, bottom, own = as_floats(numerators), as_floats(denominators), as_floats(tried)
    w = unequal(weights)
    if w is not None:
        top, bottom, own = top / own * w, bottom / own * w, w
    if clusters is not None:
        codes = cluster_codes(clusters)
        top, bottom, own = (sum_by(column, codes) for column in (top, bottom, own))
    return Stratum(top=top, bottom=bottom, own=own, share=share)


def stratified_ratio_interval(strata: Sequence[Stratum], *, level: float = 0.95) -> Interval:
    """Return sum(share x mean(top)) / sum(share x mean(bottom)) of amounts, Fieller's interval.

    One stratum of unequal weights, or several that are drawn apart. The degrees of freedom are
    those of the effective numbers, put together as Welch and Satterthwaite do.
    """
    y, x = (sum(one.share * one.means[at] for one in strata) for at in (0, 1))
    terms, covariance = [], np.zeros((2, 2))
    for one in strata:
        if one.top.size > 1:
            variance, own = one.scatter(y / x)
            terms.append((one.share**2 * variance, max(one.effective, LEAST) - 1))
            covariance += one.share**2 * own
    variance = sum(v for v, _ in terms)
    if sqrt(variance) <= np.finfo(float).eps * abs(y):
        return Interval(value=y / x, low=None, high=None, method="ratio (no spread seen)")
    df = variance**2 / sum(v**2 / d for v, d in terms)
    found = _fieller(y, x, t_value(level, df=df) ** 2 * covariance)
    low = 0.0 if found.low is None else max(0.0, found.low)
    kind = "weighted" if len(strata) == 1 else "stratified"
    method = f"{kind} fieller, {_effective(strata):.1f} effective"
    return replace(found, low=low, method=method)


def _effective(strata: Sequence[Stratum]) -> float:
    """Return the number of equal, independent units that know a mean over strata as well."""
    return 1 / sum(one.share**2 / one.effective for one in strata)


def stratified_per_success_interval(strata: Sequence[Stratum], *, level: float = 0.95) -> Interval:
    """Interval of costs (top) over successes (bottom) by strata; see `per_success_interval`."""
    if not all(np.array_equal(one.bottom, one.own) for one in strata):
        return stratified_ratio_interval(strata, level=level)
    cost = stratified_ratio_interval([one.over_own() for one in strata], level=level)
    return _all_passed(cost, n=_effective(strata), level=level)


def ratio_interval(
    numerators: Numbers,
    denominators: Numbers,
    *,
    clusters: npt.ArrayLike | None = None,
    limits: Limits = AMOUNT,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Interval:
    """Interval of sum(numerators) / sum(denominators), the default for ratios.

    Rates (`limits=UNIT`): Wilson at the effective n, the degrees of freedom by Kish (`weighted`).
    Amounts: Fieller on clusters (or items), its hull with the cluster bootstrap
    where there are fewer than 20 clusters; no limits where no spread is seen.
    Raises ValueError where the denominators sum to 0.
    """
    top, bottom = _by_unit(numerators, denominators, clusters)
    if float(bottom.sum()) <= 0:
        raise ValueError("the denominators sum to 0")
    value, units = float(top.sum() / bottom.sum()), top.size
    few = f", only {units} clusters" if clusters is not None and units < ENOUGH else ""
    if limits == UNIT:
        found = weighted_mean(top, bottom)
        n = found.effective
        size = max(n, LEAST) if units > 1 else 1
        plain = effective_wilson(value, variance=found.variance, units=n, size=size, level=level)
        return replace(plain, method="wilson, pooled ratio" + few)
    error = ratio_error(top, bottom) if units > 1 else 0.0
    if error <= np.finfo(float).eps * abs(value):
        return Interval(value=value, low=None, high=None, method="ratio (no spread seen)")
    amount = fieller_interval(top, bottom, level=level)
    low, high = amount.low, amount.high
    if few:
        drawn = bootstrap_ratio(top, bottom, rng=rng or np.random.default_rng(0))
        tail = (1 - level) / 2
        resampled = np.quantile(drawn, (tail, 1 - tail), method="nearest")
        low = None if low is None else min(low, float(resampled[0]))
        high = None if high is None or np.isinf(resampled[1]) else max(high, float(resampled[1]))
    return Interval(
        value=value,
        low=limits[0] if low is None else clip(low, limits),
        high=limits[1] if high is None else clip(high, limits),
        method="fieller" + few,
    )


def estimate_ratio(
    numerators: Numbers,
    denominators: Numbers,
    *,
    n_trials: int,
    n_missing: int,
    clusters: npt.ArrayLike | None = None,
    limits: Limits = AMOUNT,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Estimate a ratio of sums over items (95 %); items with a NaN on either side are left out.

    Cost per success is `estimate_ratio(cost per item, successes per item, ...)`;
    without a single success it is not measured.
    """
    top, bottom = as_floats(numerators), as_floats(denominators)
    present = ~(np.isnan(top) | np.isnan(bottom))
    top, bottom = top[present], bottom[present]
    if top.size == 0 or float(bottom.sum()) <= 0:
        why = "no measured samples" if top.size == 0 else "the denominator is 0"
        return not_measured(why, n_samples=int(top.size), n_missing=n_missing)
    kept = None if clusters is None else np.asarray(clusters)[present]
    interval = ratio_interval(top, bottom, clusters=kept, limits=limits, rng=rng)
    return to_estimate(interval, n_samples=top.size, n_trials=n_trials, n_missing=n_missing)


def per_success_interval(
    costs: Numbers,
    passed: Numbers,
    tried: Numbers,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: Numbers | None = None,
    level: float = 0.95,
) -> Interval:
    """Interval of what a passed trial costs: sum(costs) / sum(passed), `tried` trials in all.

    Where every trial passed, the ratio sees no spread of the successes, yet some would fail
    in the long run. So the cost of a trial and Wilson's interval of the pass rate (n of n) are
    joined by MOVER-R (Donner, Zou 2012): a constant cost c gives [c, c / Wilson's lower limit].
    Else the interval is that of `ratio_interval`. Raises ValueError where nothing passed.
    Items of unequal `weights` count by their means, n is then Kish's effective number.
    """
    if unequal(weights) is not None:
        one = stratum_of(costs, passed, tried, weights=weights, clusters=clusters)
        return stratified_per_success_interval([one], level=level)
    _, total = _by_unit(costs, tried, clusters)
    top, right = _by_unit(costs, passed, clusters)
    if not np.array_equal(right, total) or top.size < 2:  # noqa: PLR2004 - one has no spread
        return ratio_interval(costs, passed, clusters=clusters, level=level)
    cost = ratio_interval(costs, tried, clusters=clusters, level=level)
    return _all_passed(cost, n=top.size, level=level)


def _all_passed(cost: Interval, *, n: float, level: float) -> Interval:
    """Join the cost of a trial with Wilson's interval of n passed of n (MOVER-R)."""
    # equal costs: the t interval's limit as the spread goes to 0
    value = cost.value
    low, high = (value, value) if cost.low is None and cost.high is None else (cost.low, cost.high)
    rate = wilson(n, n=n, level=level).low or 0.0
    upper = None
    if high is not None:
        gap = value**2 - high * rate * (2 * value - high) * (2 - rate)
        upper = (value + sqrt(max(0.0, gap))) / (rate * (2 - rate))
    return Interval(value=value, low=low, high=upper, method="mover of cost and wilson, all passed")


def estimate_per_success(
    costs: Numbers,
    passed: Numbers,
    tried: Numbers,
    *,
    n_missing: int,
    clusters: npt.ArrayLike | None = None,
    weights: Numbers | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate what a passed trial costs, by item; `tried` are all trials behind it."""
    interval = per_success_interval(
        costs, passed, tried, clusters=clusters, weights=weights, level=level
    )
    n, n_trials = as_floats(costs).size, int(as_floats(tried).sum())
    return to_estimate(interval, n_samples=n, n_trials=n_trials, n_missing=n_missing, level=level)
