"""What a fallback is worth: quality kept, and how much of what the primary fails it rescues.

Two models often fail on the same items, so that a fallback with a high pass
rate can rescue next to nothing. Both figures are paired by sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Floats, Ints
from befit.analysis.frame import Frame
from befit.analysis.items import item_means
from befit.core.estimate import Estimate, not_measured
from befit.stats.means import clusters_repeat, estimate_mean, to_estimate
from befit.stats.ratio import estimate_ratio, ratio_interval

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
            f"Where {self.primary} fails, {self.fallback} is right in {rescue.value:.0%} "
            f"of the cases; over all it is right in {whole.value:.0%}."
        )
        if rescue.high is not None and rescue.high < (whole.low or 0.0):
            said += " It fails on the same samples, so it helps in an outage but rescues little."
        if self.n_failed < FEW:
            said += f" Only {self.n_failed} samples failed, so this is thin."
        return said


def paired_quality(
    primary: Floats,
    fallback: Floats,
    *,
    names: tuple[str, str],
    scenario: str | None = None,
    clusters: Ints | None = None,
    n_trials: int | None = None,
) -> FallbackQuality:
    """Return retention and rescue from item means (nan: no value), paired by position."""
    both = ~np.isnan(primary) & ~np.isnan(fallback)
    p, f = primary[both], fallback[both]
    groups = None if clusters is None else clusters[both]
    trials = int(both.sum()) if n_trials is None else n_trials
    missing = int((~both).sum())
    nothing = _why_unpaired(primary, fallback)

    def mean(values: Floats) -> Estimate:
        return estimate_mean(
            values, n_trials=trials, n_missing=missing, binary=True, clusters=groups
        )

    return FallbackQuality(
        primary=names[0],
        fallback=names[1],
        scenario=scenario,
        pass_primary=mean(p),
        pass_fallback=mean(f),
        retention=not_measured(nothing, n_missing=missing)
        if nothing
        else _retention(p, f, groups, missing=missing),
        rescue=not_measured(nothing, n_missing=missing)
        if nothing
        else _rescue(p, f, groups, missing=missing),
        n_failed=int((p < 1).sum()),
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


def _retention(p: Floats, f: Floats, groups: Ints | None, *, missing: int) -> Estimate:
    if p.size < 2 or p.sum() == 0:  # noqa: PLR2004 - a spread needs two
        why = "fewer than two samples in common" if p.size < 2 else "the primary never passed"  # noqa: PLR2004 - the same
        return not_measured(why, n_missing=missing)
    repeated = groups if clusters_repeat(groups) else None
    return estimate_ratio(f, p, n_trials=p.size, n_missing=missing, clusters=repeated)


def _rescue(p: Floats, f: Floats, groups: Ints | None, *, missing: int) -> Estimate:
    failed = 1.0 - p
    hit = failed > 0
    n = int(hit.sum())
    if not n:
        both = f"on the {p.size:,} sample{'s' if p.size > 1 else ''} that both answered"
        return not_measured(f"the primary never failed {both}", n_missing=missing)
    if bool(np.isin(failed[hit], (1.0,)).all()):
        return estimate_mean(
            f[hit],
            n_trials=n,
            n_missing=missing,
            binary=True,
            clusters=None if groups is None else groups[hit],
        )
    repeated = groups[hit] if groups is not None and clusters_repeat(groups[hit]) else None
    interval = ratio_interval(
        failed[hit] * f[hit], failed[hit], clusters=repeated, limits=(0.0, 1.0)
    )
    return to_estimate(interval, n_samples=n, n_trials=n, n_missing=missing)


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
            )
        )
    return tuple(found)
