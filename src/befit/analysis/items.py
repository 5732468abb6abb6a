"""From trials to items: the unit of analysis is the sample, never the call.

Repeats of one sample are averaged to an item mean before anything else is
done with them. Trials that are missing (infrastructure) leave no value; an
item of which every trial is missing is missing itself. A candidate's own
failure (a refusal, no answer) is an answer that scores 0 on whatever is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import CANDIDATE_FAILURE, MISSING, OK, Frame
from befit.core.estimate import Estimate, not_measured
from befit.stats.arrays import group_means
from befit.stats.means import estimate_mean, to_estimate
from befit.stats.ratio import ratio_interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """One metric over the samples of some scenarios: arrays of shape (candidates, samples)."""

    metric: str
    samples: Ints
    """Codes of the samples (columns), in the frame's order."""
    mean: Floats
    """Item means; nan where nothing was scored."""
    n_trials: Ints
    """Scored trials behind each item mean."""
    planned: Ints
    """Trials the plan has for each candidate (candidates,), but for those without occasion."""
    n_planned: int
    """Samples the plan has."""
    unasked: Ints
    """Samples of them that gave each candidate no occasion for the metric (candidates,)."""
    binary: bool
    """Whether every single score is 0 or 1."""
    clusters: Ints | None
    """Cluster of each sample; None where no cluster holds two."""
    weights: Floats | None
    """Weight of each sample; None where all weigh the same."""

    def n_missing(self, candidate: int) -> int:
        """Return the planned trials of a candidate without a score: lost, not run, unscored."""
        return max(0, int(self.planned[candidate]) - int(self.n_trials[candidate].sum()))

    def with_values(self, candidate: int) -> tuple[int, int]:
        """Return the samples for which the candidate has a value, and those planned for it."""
        there = int((~np.isnan(self.mean[candidate])).sum())
        return there, self.n_planned - int(self.unasked[candidate])

    def coverage(self, candidate: int) -> float:
        """Return the share of the planned samples for which the candidate has a value."""
        there, asked = self.with_values(candidate)
        return there / max(1, asked)

    @property
    def single(self) -> bool:
        """Whether each item is one trial that scores 0 or 1."""
        return self.binary and bool(np.all(self.n_trials <= 1))

    def estimate(self, candidate: int, *, level: float = 0.95) -> Estimate:
        """Return one candidate's mean over the items, weighted where the samples are."""
        return estimate_over_items(
            self.mean[candidate],
            n_trials=int(self.n_trials[candidate].sum()),
            n_missing=self.n_missing(candidate),
            binary=self.binary,
            clusters=self.clusters,
            weights=self.weights,
            level=level,
        )


def estimate_over_items(
    values: Floats,
    *,
    n_trials: int,
    n_missing: int,
    binary: bool,
    clusters: Ints | None,
    weights: Floats | None,
    level: float = 0.95,
) -> Estimate:
    """Return the mean of a score in [0, 1] over items, nan left out.

    Unequal weights make it a ratio of sums, with its interval by the
    delta-method variance; equal ones the plain mean.
    """
    if weights is None:
        return estimate_mean(
            values,
            n_trials=n_trials,
            n_missing=n_missing,
            binary=binary,
            clusters=clusters,
            level=level,
        )
    there = ~np.isnan(values)
    if not there.any():
        return not_measured("no scored samples", n_missing=n_missing)
    interval = ratio_interval(
        values[there] * weights[there],
        weights[there],
        clusters=None if clusters is None else clusters[there],
        limits=(0.0, 1.0),
        level=level,
    )
    estimate = to_estimate(
        interval, n_samples=int(there.sum()), n_trials=n_trials, n_missing=n_missing, level=level
    )
    return replace(estimate, method=f"weighted mean, {interval.method}")


def rate_of_trials(
    frame: Frame, mask: Bools, happened: Bools, *, level: float = 0.95, of_calls: bool = False
) -> Estimate:
    """Return the share of trials in which something happened, over item means.

    What befalls calls (a retry, a lost answer) is the endpoint's: of it every sample tells as
    much, whatever it weighs, and the method says so.
    """
    if not mask.any():
        return not_measured("no trials of this run")
    codes, place = frame.samples_of(np.flatnonzero(mask))
    weights = frame.weights_of(codes)
    found = estimate_over_items(
        group_means(happened[mask].astype(np.float64), place, groups=len(codes)),
        n_trials=int(mask.sum()),
        n_missing=0,
        binary=True,
        clusters=frame.clusters_of(codes),
        weights=None if of_calls else weights,
        level=level,
    )
    alike = of_calls and weights is not None
    return replace(found, method=f"{found.method}, each sample alike") if alike else found


def trial_values(frame: Frame, scenario: int, metric: str) -> Floats:
    """Return one value per row of the frame: the metric's score, nan where there is none."""
    if metric == "pass":
        return frame.passed
    values = np.full(len(frame.candidate), np.nan)
    column = frame.metrics.get((scenario, metric))
    if column is not None:
        values[column.row] = column.value
        failed = (frame.status == CANDIDATE_FAILURE) & (frame.scenario == scenario)
        values[failed & np.isnan(values)] = 0.0
    return values


def item_means(
    frame: Frame, scenarios: Sequence[int], metric: str, *, keep: Bools | None = None
) -> Items:
    """Return the item means of `metric` over the samples of `scenarios`.

    Only the canonical prompt counts; its variants are the business of sensitivity.
    Over several scenarios every sample counts once, by its own weight.

    Args:
        frame: the run.
        scenarios: scenario codes whose samples are the columns.
        metric: a score name, or `pass`.
        keep: mask over samples (by code) to restrict to, for instance one kind. Samples
            of which the metric was never asked are left out in any case.
    """
    foreign = _foreign(frame, scenarios, metric)
    chosen = np.isin(frame.home, scenarios) & ~foreign
    if keep is not None:
        chosen &= keep
    samples = np.flatnonzero(chosen)
    place = np.full(len(frame.samples), -1, dtype=np.int64)
    place[samples] = np.arange(len(samples))
    shape = (len(frame.candidates), len(samples))
    size = shape[0] * shape[1]
    total, scored = np.zeros(size), np.zeros(size, dtype=np.int64)
    spared = np.zeros(size, dtype=np.int64)
    binary = True
    canonical = frame.variant == 0
    for scenario in scenarios:
        inside = np.flatnonzero(canonical & (frame.scenario == scenario))
        rows = inside[place[frame.sample[inside]] >= 0]
        values = trial_values(frame, scenario, metric)[rows]
        free = rows[_without_occasion(frame, scenario, metric)[rows]]
        spared += np.bincount(
            frame.candidate[free] * shape[1] + place[frame.sample[free]], minlength=size
        )
        has = ~np.isnan(values) & (frame.status[rows] != MISSING)
        rows, values = rows[has], values[has]
        at = frame.candidate[rows] * shape[1] + place[frame.sample[rows]]
        total += np.bincount(at, weights=values, minlength=size)
        scored += np.bincount(at, minlength=size)
        binary = binary and bool(np.all((values == 0.0) | (values == 1.0)))
    with np.errstate(invalid="ignore"):
        mean = np.where(scored > 0, total / np.maximum(scored, 1), np.nan).reshape(shape)
    counts = _counts(frame, scenarios, samples=None if keep is None else samples, foreign=foreign)
    n_trials, no_occasion = scored.reshape(shape), spared.reshape(shape)
    return Items(
        metric=metric,
        samples=samples,
        mean=mean,
        n_trials=n_trials,
        planned=_planned(frame, scenarios, counts) - no_occasion.sum(axis=1),
        n_planned=sum(counts),
        unasked=((n_trials == 0) & (no_occasion > 0)).sum(axis=1),
        binary=binary,
        clusters=frame.clusters_of(samples),
        weights=frame.weights_of(samples),
    )


def _foreign(frame: Frame, scenarios: Sequence[int], metric: str) -> Bools:
    """Return the samples that were scored, but not by this metric: it is no matter of theirs.

    Samples may bear checks of their own, so a scenario can hold several kinds; what is
    asked of one kind alone is neither missing nor 0 on the others.
    """
    foreign = np.zeros(len(frame.samples), dtype=np.bool_)
    for scenario in () if metric == "pass" else scenarios:
        column = frame.metrics.get((scenario, metric))
        if column is None:
            continue
        home = frame.home == scenario
        given = np.zeros(len(frame.samples), dtype=np.bool_)
        given[frame.sample[column.row]] = True
        if given[home].all():
            continue
        told = frame.status == OK
        failed = frame.status == CANDIDATE_FAILURE
        if failed[column.row].any():
            # A score that failures have too (a scorer's first) would stand on theirs as well.
            told |= failed
        told &= (frame.scenario == scenario) & ~np.isnan(frame.passed)
        judged = np.zeros(len(frame.samples), dtype=np.bool_)
        judged[frame.sample[told]] = True
        foreign |= home & judged & ~given
    return foreign


def _counts(
    frame: Frame, scenarios: Sequence[int], *, samples: Ints | None, foreign: Bools
) -> list[int]:
    """Return the samples planned of each scenario; of a part of it those that landed."""
    home, known = frame.home, frame.manifest.scenarios
    if samples is not None:
        return [int((home[samples] == code).sum()) for code in scenarios]
    return [known[code].n_samples - int(foreign[home == code].sum()) for code in scenarios]


def _without_occasion(frame: Frame, scenario: int, metric: str) -> Bools:
    """Return the trials that were judged, but in which what the metric asks did not occur.

    Whether a mistake is mended can be asked of those only who made it: a rate over
    what happened is a matter of the trial, not of the sample alone.
    """
    column = frame.metrics.get((scenario, metric))
    if metric == "pass" or column is None:
        return np.zeros(len(frame.candidate), dtype=np.bool_)
    judged: Bools = (frame.scenario == scenario) & (frame.status == OK) & ~np.isnan(frame.passed)
    judged[column.row] = False
    return judged


def _planned(frame: Frame, scenarios: Sequence[int], counts: Sequence[int]) -> Ints:
    """Return the trials each candidate was to make on so many samples of each scenario."""
    own = [frame.manifest.scenarios[code] for code in scenarios]
    planned = [
        sum(n * entry.spec.repeats_of(c.candidate) for n, entry in zip(counts, own, strict=True))
        for c in frame.manifest.candidates
    ]
    return np.array(planned, dtype=np.int64)
