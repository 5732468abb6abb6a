"""What calls, tasks, successes and months cost: failed tries in it and apart, judges apart.

A task is one trial, whatever it took; a call is one answer of the model, of
which a conversation takes several. A month is the traffic that the project
states for a tier, shared out among its scenarios. Samples count by their weights and in their
clusters, as they do in the pass rate; only what was billed (`total_cost`, `retry_cost`) is a plain
sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import MISSING, Frame
from befit.core.estimate import Estimate, not_measured
from befit.core.policy import Policy
from befit.core.run import Manifest
from befit.stats.arrays import group_means
from befit.stats.means import estimate_amount, to_estimate
from befit.stats.ratio import (
    estimate_per_success,
    estimate_ratio,
    stratified_ratio_interval,
    stratum_of,
)

UNKNOWN = "price or usage unknown"
NOTHING = "no trials"
TWO = 2
"""One sample has no spread."""


def per_sample_sums(frame: Frame, mask: Bools, values: Floats) -> Floats:
    """Return the sum of `values` per sample over the rows of `mask`; nan where any is unknown."""
    codes, place = frame.samples_of(np.flatnonzero(mask))
    sums = np.bincount(place, weights=values[mask], minlength=len(codes))
    return np.asarray(sums, dtype=np.float64)


def untold_tries(frame: Frame, mask: Bools | Ints) -> int:
    """Return how many failed tries may have been billed at a cost that nobody told."""
    return int(np.nansum(frame.numbers["untold_tries"][mask]))


def at_least(cost: Estimate, untold: int) -> Estimate:
    """Return a cost that so many tries of unknown cost may add to: no upper limit is known."""
    mark = f"; at least, without {tries_of_unknown_cost(untold)}"
    if not untold or cost.value is None or cost.method.endswith(mark):
        return cost
    return replace(cost, high=None, method=f"{cost.method}{mark}")


def tries_of_unknown_cost(untold: int) -> str:
    """Return how many they are, in words."""
    return f"{untold:,} failed {'try' if untold == 1 else 'tries'} of unknown cost"


def cost_per_success(frame: Frame, mask: Bools) -> Estimate:
    """Return USD per passed task: what all answers cost, over the successes, by sample.

    A reused answer counts at what it cost when it was made: the figure is
    about the candidate, not about this run's bill. An answer that was not scored
    is neither a success nor none: it counts as missing, with its cost.
    """
    unscored = mask & (frame.status != MISSING) & np.isnan(frame.passed)
    ended, n_missing, why = _known(frame, mask & ~unscored)
    n_missing += int(unscored.sum())
    if why is not None:
        return not_measured("no scored answers" if unscored.any() and why == NOTHING else why,
                            n_missing=n_missing)  # fmt: skip
    if not (frame.passed[ended] >= 1).any():
        return not_measured("no success", n_missing=n_missing)
    passed = (np.nan_to_num(frame.passed) >= 1).astype(np.float64)
    samples, _ = frame.samples_of(np.flatnonzero(ended))
    return estimate_per_success(
        per_sample_sums(frame, ended, frame.numbers["cost"]),
        per_sample_sums(frame, ended, passed),
        per_sample_sums(frame, ended, np.ones_like(passed)),
        n_missing=n_missing,
        clusters=frame.clusters_of(samples),
        weights=frame.weights_of(samples),
    )


def cost_per_task(frame: Frame, mask: Bools) -> Estimate:
    """Return USD per trial, failed tries and all its calls included, over item means."""
    ended, n_missing, why = _known(frame, mask)
    if why is not None:
        return not_measured(why, n_missing=n_missing)
    costs = frame.numbers["cost"][ended]
    codes, place = frame.samples_of(np.flatnonzero(ended))
    means = group_means(costs, place, groups=len(codes))
    return estimate_amount(
        means,
        n_trials=len(costs),
        n_missing=n_missing,
        counted=True,
        weights=frame.weights_of(codes),
        clusters=frame.clusters_of(codes),
    )


def cost_per_call(frame: Frame, mask: Bools, per_task: Estimate) -> Estimate:
    """Return USD per answer of the model; that of a task where every task is one call."""
    ended, n_missing, why = _known(frame, mask)
    if why is not None:
        return not_measured(why, n_missing=n_missing)
    calls = frame.numbers["calls"]
    if np.isnan(calls[ended]).any():
        return not_measured("an earlier befit did not count calls", n_missing=n_missing)
    if (calls[ended] == 1).all():
        return per_task
    if not calls[ended].sum():
        return not_measured("no answers", n_missing=n_missing)
    return _over(frame, ended, calls, n_missing=n_missing)


def _known(frame: Frame, mask: Bools) -> tuple[Bools, int, str | None]:
    """Return the ended trials, how many are missing, and why their cost cannot be told."""
    ended = mask & (frame.status != MISSING)
    n_missing = int((mask & (frame.status == MISSING)).sum())
    if not ended.any():
        return ended, n_missing, NOTHING
    unknown = bool(np.isnan(frame.numbers["cost"][ended]).any())
    return ended, n_missing, UNKNOWN if unknown else None


def _over(frame: Frame, ended: Bools, counts: Floats, *, n_missing: int) -> Estimate:
    """Return what the ended trials cost over a count of theirs, by sample."""
    samples, _ = frame.samples_of(np.flatnonzero(ended))
    top = per_sample_sums(frame, ended, frame.numbers["cost"])
    bottom = per_sample_sums(frame, ended, counts)
    n_trials, clusters = int(ended.sum()), frame.clusters_of(samples)
    weights = frame.weights_of(samples)
    if weights is None:
        return estimate_ratio(
            top, bottom, n_trials=n_trials, n_missing=n_missing, clusters=clusters
        )
    tried = per_sample_sums(frame, ended, np.ones_like(counts))
    one = stratum_of(top, bottom, tried, weights=weights, clusters=clusters)
    interval = stratified_ratio_interval([one])
    return to_estimate(interval, n_samples=len(samples), n_trials=n_trials, n_missing=n_missing)


def total_cost(frame: Frame, fresh: Bools) -> float | None:
    """Return the USD known to be spent in this run; None where no call has a known cost.

    A sum of what was billed, so nothing is estimated. Failed calls count where
    their cost is known; calls of unknown cost are counted beside it.
    """
    cost = frame.numbers["cost"][fresh]
    known = cost[~np.isnan(cost)]
    return float(known.sum()) if len(known) or not len(cost) else None


def retry_cost(frame: Frame, fresh: Bools) -> float | None:
    """Return the part of it that failed tries have cost; None where no failed try told."""
    known = frame.numbers["retry_cost"][fresh]
    known = known[~np.isnan(known)]
    if len(known):
        return float(known.sum())
    return None if (frame.attempts[fresh] > 0).any() else 0.0


def traffic(manifest: Manifest, policy: Policy | None = None) -> dict[str, float]:
    """Return the tasks a month of each scenario, as the tiers state them; 0 where none does.

    A tier's volume is shared out by `policy.traffic`, equally where it says nothing; a
    scenario that it leaves out gets the mean of those it names.
    """
    policy = manifest.policy if policy is None else policy
    volumes = {tier.name: float(tier.volume_per_month) for tier in manifest.tiers}
    found: dict[str, float] = {}
    for tier in {entry.spec.tier for entry in manifest.scenarios}:
        names = [entry.spec.name for entry in manifest.scenarios if entry.spec.tier == tier]
        stated = [policy.traffic.get(name) for name in names]
        known = [share for share in stated if share is not None]
        rest = (sum(known) / len(known) if known else 1.0) or 1.0
        shares = [rest if share is None else share for share in stated]
        volume = volumes.get(tier or "", 0.0)
        for name, share in zip(names, shares, strict=True):
            found[name] = volume * share / sum(shares) if sum(shares) else 0.0
    return found


def cost_per_month(parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Return USD a month: tasks a month times cost per task, added up over scenarios.

    The limits add up as independent errors do, by the root of their squares.
    """
    used = [(volume, cost) for volume, cost in parts if volume > 0]
    if not used:
        return not_measured("no traffic stated")
    missing = next((cost for _, cost in used if cost.value is None), None)
    if missing is not None:
        return missing

    def width(side: str) -> float | None:
        ends = [(volume, cost, getattr(cost, side)) for volume, cost in used]
        if any(end is None and cost.n_samples < TWO for _, cost, end in ends):
            return None
        # Samples that all cost the same have no spread to add.
        known = [(volume * (end - (cost.value or 0.0))) for volume, cost, end in ends
                 if end is not None]  # fmt: skip
        return sqrt(sum(gap**2 for gap in known)) if known else None

    value = sum(volume * (cost.value or 0.0) for volume, cost in used)
    low, high = width("low"), width("high")
    return replace(
        used[0][1],
        value=value,
        low=None if low is None else max(0.0, value - low),
        high=None if high is None else value + high,
        n_samples=sum(cost.n_samples for _, cost in used),
        n_trials=sum(cost.n_trials for _, cost in used),
        n_missing=sum(cost.n_missing for _, cost in used),
        method=f"{sum(v for v, _ in used):,.0f} tasks a month x cost per task; {used[0][1].method}",
    )
