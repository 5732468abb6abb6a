"""What a success costs: USD of all scored answers over those of them that passed.

One definition for a scenario and for a tier of several: there the costs and the successes of each
are those of its share in the tier's tasks, and only then one is divided by the other. A mean of
the scenarios' own costs per success would be another number, and none at all where one
scenario has no success.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Floats, Ints
from befit.analysis.engineering_cost import UNKNOWN
from befit.analysis.items import Items
from befit.core.estimate import Estimate, not_measured
from befit.stats.means import clusters_repeat, to_estimate
from befit.stats.ratio import estimate_per_success, stratified_per_success_interval, stratum_of

NONE = "no success"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Successes:
    """What the scored answers of one candidate cost, and how many passed, by sample."""

    spent: Floats
    """USD of the scored trials of each sample; nan where unknown."""
    passed: Floats
    tried: Floats
    clusters: Ints | None
    weights: Floats | None
    n_missing: int

    @property
    def why_not(self) -> str | None:
        """Why their cost cannot be told; None where it can."""
        return UNKNOWN if np.isnan(self.spent).any() or not len(self.spent) else None

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """Return USD per passed task of the scenario."""
        why = self.why_not or (None if self.passed.any() else NONE)
        if why is not None:
            return not_measured(why, n_missing=self.n_missing)
        return estimate_per_success(
            self.spent,
            self.passed,
            self.tried,
            n_missing=self.n_missing,
            clusters=self.clusters,
            weights=self.weights,
            level=level,
        )


def successes_of(items: Items, costs: Floats, candidate: int) -> Successes:
    """Return what there is of a candidate; `costs`: mean of the scored trials of each sample."""
    means, n = items.mean[candidate], items.n_trials[candidate]
    there = ~np.isnan(means)
    clusters = None if items.clusters is None else items.clusters[there]
    return Successes(
        spent=costs[there] * n[there],
        passed=means[there] * n[there],
        tried=n[there].astype(np.float64),
        clusters=clusters if clusters_repeat(clusters) else None,
        weights=None if items.weights is None else items.weights[there],
        n_missing=items.n_missing(candidate),
    )


def over_scenarios(
    found: Sequence[Successes], shares: Sequence[float], *, level: float = 0.95
) -> Estimate:
    """Return USD per passed task of a tier, of whose tasks each scenario has its share."""
    if len(found) == 1:
        return found[0].estimate(level=level)
    n_missing = sum(one.n_missing for one in found)
    why = next((one.why_not for one in found if one.why_not is not None), None)
    if why is None and not any(one.passed.any() for one in found):
        why = NONE
    if why is not None:
        return not_measured(why, n_missing=n_missing)
    strata = [
        stratum_of(
            one.spent,
            one.passed,
            one.tried,
            share=share,
            weights=one.weights,
            clusters=one.clusters,
        )
        for one, share in zip(found, shares, strict=True)
    ]
    return to_estimate(
        stratified_per_success_interval(strata, level=level),
        n_samples=sum(len(one.spent) for one in found),
        n_trials=int(sum(one.tried.sum() for one in found)),
        n_missing=n_missing,
        level=level,
    )
