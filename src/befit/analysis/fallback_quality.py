"""What a fallback is worth: quality kept, and how much of what the primary fails it rescues.

Two models often fail on the same items, so that a fallback with a high pass
rate can rescue next to nothing. Both figures are paired by sample; samples count by their
weight and in their clusters, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import Frame
from befit.analysis.items import estimate_over_items, item_means
from befit.charts.numbers import estimate_text
from befit.core.estimate import Estimate, not_measured
from befit.core.written import many
from befit.stats.means import clusters_repeat, to_estimate
from befit.stats.ratio import (
    estimate_ratio,
    ratio_interval,
    stratified_ratio_interval,
    stratum_of,
)
from befit.stats.weighted import unequal

FEW = 10
"""Fewer failures of the primary than this, and the rescue rate is said to be thin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackQuality:
    """One edge on one scenario (None: all of them), paired by sample."""

    primary: str
    fallback: str
    scenario: str | None
    pass_primary: Estimate
    pass_fallback: Estimate
    retention: Estimate
    """Pass rate of the fallback over that of the primary, on the same samples."""
    rescue: Estimate
    """Pass rate of the fallback where the primary fails."""
    n_failed: int
    """Samples on which the primary failed at least once."""

    @property
    def finding(self) -> str:
        """What it says, in a sentence."""
        rescue, whole = self.rescue, self.pass_fallback
        if rescue.value is None or whole.value is None:
            return f"{self.fallback} cannot be judged as a fallback: {rescue.method}."
        said = (
            f"Where {self.primary} fails, {self.fallback} is right in "
            f"{estimate_text(rescue, 'percent')} of the cases; "
            f"over all it is right in {estimate_text(whole, 'percent')}."
        )
        if rescue.high is not None and rescue.high < (whole.low or 0.0):
            said += " It fails on the same samples, so it helps in an outage but rescues little."
        if self.n_failed < FEW:
            said += f" Only {many(self.n_failed, 'sample')} failed, so this is thin."
        return said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """The samples that both have a value on."""

    primary: Floats
    fallback: Floats
    clusters: Ints | None
    weights: Floats | None
    """None where all weigh the same."""
    n_missing: int

    @classmethod
    def of(
        cls, primary: Floats, fallback: Floats, *, clusters: Ints | None, weights: Floats | None
    ) -> _Pairs:
        every = cls(primary=primary, fallback=fallback, clusters=clusters, weights=weights,
                    n_missing=0)  # fmt: skip
        return every.part(~np.isnan(primary) & ~np.isnan(fallback))

    def part(self, chosen: Bools) -> _Pairs:
        """Return some of the samples, the others as missing."""
        return _Pairs(
            primary=self.primary[chosen],
            fallback=self.fallback[chosen],
            clusters=None if self.clusters is None else self.clusters[chosen],
            weights=None if self.weights is None else unequal(self.weights[chosen]),
            n_missing=self.n_missing + int((~chosen).sum()),
        )

    @property
    def groups(self) -> Ints | None:
        """Return the clusters; None where no two samples share one."""
        return self.clusters if clusters_repeat(self.clusters) else None

    def mean(self, values: Floats) -> Estimate:
        return estimate_over_items(
            values,
            n_trials=values.size,
            n_missing=self.n_missing,
            binary=True,
            clusters=self.groups,
            weights=self.weights,
        )


def paired_quality(
    primary: Floats,
    fallback: Floats,
    *,
    names: tuple[str, str],
    scenario: str | None = None,
    clusters: Ints | None = None,
    weights: Floats | None = None,
) -> FallbackQuality:
    """Return retention and rescue from item means (nan: no value), paired by position."""
    pairs = _Pairs.of(primary, fallback, clusters=clusters, weights=weights)
    nothing = _why_unpaired(primary, fallback)
    none = not_measured(nothing, n_missing=pairs.n_missing)
    return FallbackQuality(
        primary=names[0],
        fallback=names[1],
        scenario=scenario,
        pass_primary=pairs.mean(pairs.primary),
        pass_fallback=pairs.mean(pairs.fallback),
        retention=none if nothing else _retention(pairs),
        rescue=none if nothing else _rescue(pairs),
        n_failed=int((pairs.primary < 1).sum()),
    )


def _why_unpaired(primary: Floats, fallback: Floats) -> str:
    """Return why there is no sample that both have a value on; empty where there is one."""
    if (~np.isnan(primary) & ~np.isnan(fallback)).any():
        return ""
    for who, values in (("primary", primary), ("fallback", fallback)):
        if np.isnan(values).all():
            return (
                f"the {who} has no scored answer on any of {values.size:,} samples; what is "
                "missing is neither right nor wrong, so nothing is known of it"
            )
    return "there is no sample on which both have a scored answer"


def _retention(pairs: _Pairs) -> Estimate:
    p, f, missing = pairs.primary, pairs.fallback, pairs.n_missing
    if p.size < 2 or p.sum() == 0:  # noqa: PLR2004 - a spread needs two
        why = "fewer than two samples in common" if p.size < 2 else "the primary never passed"  # noqa: PLR2004 - the same
        return not_measured(why, n_missing=missing)
    if pairs.weights is None:
        return estimate_ratio(f, p, n_trials=p.size, n_missing=missing, clusters=pairs.groups)
    one = stratum_of(f, p, np.ones_like(p), weights=pairs.weights, clusters=pairs.groups)
    interval = stratified_ratio_interval([one])
    return to_estimate(interval, n_samples=p.size, n_trials=p.size, n_missing=missing)


def _rescue(pairs: _Pairs) -> Estimate:
    hit = pairs.primary < 1
    if not hit.any():
        both = f"on the {many(hit.size, 'sample')} that both answered"
        return not_measured(f"the primary never failed {both}", n_missing=pairs.n_missing)
    failed = replace(pairs.part(hit), n_missing=pairs.n_missing)
    often = 1.0 - failed.primary
    if (often == 1.0).all():
        return failed.mean(failed.fallback)
    if failed.weights is not None:
        often = often * failed.weights
    interval = ratio_interval(
        often * failed.fallback, often, clusters=failed.groups, limits=(0.0, 1.0)
    )
    n = int(hit.sum())
    return to_estimate(interval, n_samples=n, n_trials=n, n_missing=pairs.n_missing)


def fallback_quality(frame: Frame, primary: str, fallback: str) -> tuple[FallbackQuality, ...]:
    """Return one row over all scenarios, then one for each where there are several.

    Raises:
        ValueError: a candidate that the run does not have.
    """
    a, b = frame.candidates.index(primary), frame.candidates.index(fallback)
    every = tuple(range(len(frame.scenarios)))
    groups: list[tuple[str | None, tuple[int, ...]]] = [(None, every)]
    if len(every) > 1:
        groups += [(name, (i,)) for i, name in enumerate(frame.scenarios)]
    found = []
    for name, scenarios in groups:
        items = item_means(frame, scenarios, "pass")
        found.append(
            paired_quality(
                items.mean[a],
                items.mean[b],
                names=(primary, fallback),
                scenario=name,
                clusters=items.clusters,
                weights=items.weights,
            )
        )
    return tuple(found)
