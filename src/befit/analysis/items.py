"""From trials to items: the unit of analysis is the sample, never the call.

Repeats of one sample are averaged to an item mean before anything else is
done with them. Trials that are missing (infrastructure) leave no value; an
item of which every trial is missing is missing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.frame import MISSING, Bools, Floats, Frame, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """One metric over the samples of some scenarios: arrays of shape (candidates, samples)."""

    metric: str
    samples: Ints
    """Codes of the samples (columns), in the frame's order."""
    mean: Floats
    """Item means; nan where nothing was scored."""
    n_trials: Ints
    """Scored trials behind each item mean."""
    n_missing: Ints
    """Trials lost to infrastructure."""
    n_unscored: Ints
    """Trials that ended but could not be scored."""
    binary: bool
    """Whether every single score is 0 or 1."""

    def clusters(self, frame: Frame) -> Ints | None:
        """Return a cluster code per sample, or None where no sample names a cluster."""
        names = [frame.samples[code].cluster for code in self.samples]
        if not any(names):
            return None
        codes: dict[str, int] = {}
        return np.array(
            [codes.setdefault(name or f"\0{i}", len(codes)) for i, name in enumerate(names)],
            dtype=np.int64,
        )


def trial_values(frame: Frame, scenario: int, metric: str) -> Floats:
    """Return one value per row of the frame: the metric's score, nan where there is none."""
    if metric == "pass":
        return frame.passed
    values = np.full(len(frame.candidate), np.nan)
    column = frame.metrics.get((scenario, metric))
    if column is not None:
        values[column.row] = column.value
    return values


def item_means(
    frame: Frame, scenarios: Sequence[int], metric: str, *, keep: Bools | None = None
) -> Items:
    """Return the item means of `metric` over the samples of `scenarios`.

    Only the canonical prompt counts; its variants are the business of sensitivity.

    Args:
        frame: the run.
        scenarios: scenario codes whose samples are the columns.
        metric: a score name, or `pass`.
        keep: mask over samples (by code) to restrict to, for instance one kind.
    """
    codes = [
        code
        for code, info in enumerate(frame.samples)
        if info.scenario in scenarios and (keep is None or keep[code])
    ]
    samples = np.array(codes, dtype=np.int64)
    place = np.full(len(frame.samples), -1, dtype=np.int64)
    place[samples] = np.arange(len(samples))
    shape = (len(frame.candidates), len(samples))
    total, scored = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    missing, unscored = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    binary = True
    for scenario in scenarios:
        rows = np.flatnonzero(
            (frame.scenario == scenario) & (frame.variant == 0) & (place[frame.sample] >= 0)
        )
        values = trial_values(frame, scenario, metric)[rows]
        at = (frame.candidate[rows], place[frame.sample[rows]])
        lost = frame.status[rows] == MISSING
        has = ~np.isnan(values)
        np.add.at(total, at, np.where(has, values, 0.0))
        np.add.at(scored, at, has.astype(np.int64))
        np.add.at(missing, at, lost.astype(np.int64))
        np.add.at(unscored, at, (~has & ~lost).astype(np.int64))
        binary = binary and bool(np.all(np.isin(values[has], (0.0, 1.0))))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(scored > 0, total / np.maximum(scored, 1), np.nan)
    return Items(
        metric=metric,
        samples=samples,
        mean=mean,
        n_trials=scored,
        n_missing=missing,
        n_unscored=unscored,
        binary=binary,
    )
