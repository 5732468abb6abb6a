"""Stability over repeats, beside accuracy: does it answer the same, and is the same right.

The headline is the pairwise agreement of canonical answers; pass^3 stands
beside it since agreement alone can be bought by being consistently wrong, and
so does accuracy x agreement, whose weakness that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from befit.analysis.cells import scenario_cells
from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import CANDIDATE_FAILURE, MISSING, Frame
from befit.analysis.items import Items, estimate_over_items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import StabilityCell
from befit.core.estimate import Estimate, not_measured
from befit.stats.agreement import pairwise_agreement
from befit.stats.passk import pass_hat_k

K = 3
CRITICAL_REPEATS = 3
FLIPS = 200
"""Flip-flop samples that are named; the share `mixed` counts them all."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repeats:
    """The repeats of one candidate on one scenario, by sample."""

    samples: Ints
    """Codes of the samples."""
    labels: Ints
    """(samples, repeats): code of the canonical answer, 0 for any failed answer, -1 missing."""
    right: Ints
    """Passed trials per sample."""
    scored: Ints
    """Scored trials per sample."""


def repeats_of(frame: Frame, candidate: int, scenario: int) -> Repeats:
    """Collect the repeats of one candidate on one scenario (canonical prompt only)."""
    mask = frame.rows(candidate=candidate, scenario=scenario) & (frame.variant == 0)
    rows = np.flatnonzero(mask)
    samples, place = frame.samples_of(rows)
    width = int(frame.repeat[rows].max()) + 1 if len(rows) else 0
    labels = np.full((len(samples), width), -1, dtype=np.int64)
    there = frame.status[rows] != MISSING
    # A refusal, an empty and an unreadable answer are one kind of answer: a failed one.
    failed = (frame.status[rows] == CANDIDATE_FAILURE) | (frame.answer[rows] < 0)
    codes = np.where(failed, 0, frame.answer[rows] + 1)
    labels[place[there], frame.repeat[rows][there]] = codes[there]
    passed = frame.passed[rows]
    scored = ~np.isnan(passed) & there
    size = len(samples)
    right = np.bincount(place[scored], weights=passed[scored] >= 1, minlength=size)
    return Repeats(
        samples=samples,
        labels=labels,
        right=right.astype(np.int64),
        scored=np.bincount(place[scored], minlength=size).astype(np.int64),
    )


def planned_repeats(frame: Frame, candidate: int, scenario: int) -> int:
    """Return how often a candidate is asked each sample of a scenario."""
    return specs(frame)[scenario].repeats_of(frame.manifest.candidates[candidate].candidate)


def why_no_repeats(frame: Frame, candidate: int, scenario: int) -> str | None:
    """Return why there are no repeats that could differ, or None where there are."""
    if frame.manifest.settings.seed == "fixed":
        return "seed: fixed makes all repeats the same call"
    if planned_repeats(frame, candidate, scenario) < 2:  # noqa: PLR2004 - one agrees with nothing
        return "1 repeat"
    return None


def why_not_measured(frame: Frame, candidate: int, scenario: int) -> str | None:
    """Return why stability cannot be measured here, or None where it can."""
    why = why_no_repeats(frame, candidate, scenario)
    if why is not None:
        return why
    repeats = planned_repeats(frame, candidate, scenario)
    if specs(frame)[scenario].critical and repeats < CRITICAL_REPEATS:
        return f"critical scenario with fewer than {CRITICAL_REPEATS} repeats"
    return None


def stability_cells(frame: Frame) -> tuple[StabilityCell, ...]:
    """Return one cell per candidate and scenario, measured or not."""
    items = [item_means(frame, (scenario,), "pass") for scenario in range(len(frame.scenarios))]
    return tuple(
        _cell(cell.frame, items[cell.scenario], cell.candidate, cell.scenario)
        for cell in scenario_cells(frame)
        if cell.scenario is not None
    )


class Chance(Protocol):
    """A chance over k of the runs of each item, as in `stats.passk`."""

    def __call__(self, correct: Ints, runs: Ints, /, *, k: int) -> Floats:
        """Return one value per item, nan where it has fewer than k runs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverSamples:
    """Turns one value per sample into an estimate, with the design of the samples."""

    repeats: Repeats
    n_missing: int
    clusters: Ints | None
    weights: Floats | None

    @classmethod
    def of(cls, frame: Frame, repeats: Repeats, items: Items, candidate: int) -> OverSamples:
        """Take clusters and weights from the frame, where the items have any."""
        codes = repeats.samples
        return cls(
            repeats=repeats,
            n_missing=items.n_missing(candidate),
            clusters=None if items.clusters is None else frame.cluster[codes],
            weights=None if items.weights is None else frame.weight[codes],
        )

    def chance(self, of_item: Chance, *, k: int, level: float = 0.95) -> Estimate:
        """Return `pass_hat_k` or `pass_at_k` over the samples: wherever it stands, this interval.

        An item with k runs is 0 or 1; with more its chance lies between, and is a score.
        """
        scored = self.repeats.scored
        values = of_item(self.repeats.right, scored, k=k)
        used = ~np.isnan(values)
        if not used.any():
            return not_measured(f"no sample with {k} scored repeats", n_missing=self.n_missing)
        return self.estimate(values, binary=bool((scored[used] == k).all()), level=level)

    def agreement(self, *, level: float = 0.95) -> Estimate:
        """Return the pairwise agreement; it counts answers, whether they were scored or not."""
        answers = np.count_nonzero(self.repeats.labels >= 0, axis=1)
        planned = self.n_missing + int(self.repeats.scored.sum())
        found = self.estimate(pairwise_agreement(self.repeats.labels), binary=False, level=level)
        return replace(
            found,
            n_trials=int(answers[answers > 1].sum()),
            n_missing=max(0, planned - int(answers.sum())),
        )

    def estimate(self, values: Floats, *, binary: bool, level: float = 0.95) -> Estimate:
        """Return the mean of `values` (nan: does not count) over the samples."""
        used = ~np.isnan(values)
        return estimate_over_items(
            values,
            n_trials=int(self.repeats.scored[used].sum()),
            n_missing=self.n_missing,
            binary=binary,
            clusters=self.clusters,
            weights=self.weights,
            level=level,
        )


def _cell(frame: Frame, items: Items, candidate: int, scenario: int) -> StabilityCell:
    accuracy = items.estimate(candidate)
    why = why_not_measured(frame, candidate, scenario)
    repeats = repeats_of(frame, candidate, scenario)
    many = repeats.scored > 1
    if why is None and not (np.count_nonzero(repeats.labels >= 0, axis=1) > 1).any():
        why = "no sample with two answers"
    if why is not None:
        nothing = not_measured(why, n_missing=items.n_missing(candidate))
        return _shape(frame, candidate, scenario, accuracy=accuracy, values=(nothing,) * 6)
    right, scored = repeats.right, repeats.scored
    over = OverSamples.of(frame, repeats, items, candidate)

    def share(chosen: Bools) -> Estimate:
        return over.estimate(np.where(many, chosen.astype(np.float64), np.nan), binary=True)

    agreement = over.agreement()
    values = (
        agreement,
        over.chance(pass_hat_k, k=K),
        _composite(accuracy, agreement),
        share(right == scored),
        share((right > 0) & (right < scored)),
        share(right == 0),
    )
    mixed = repeats.samples[many & (right > 0) & (right < scored)]
    flips = tuple(frame.samples[code].id for code in mixed[:FLIPS])
    return _shape(frame, candidate, scenario, accuracy=accuracy, values=values, flips=flips)


def _shape(
    frame: Frame,
    candidate: int,
    scenario: int,
    *,
    accuracy: Estimate,
    values: tuple[Estimate, ...],
    flips: tuple[str, ...] = (),
) -> StabilityCell:
    agreement, pass_all, composite, always, mixed, never = values
    return StabilityCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        equality=specs(frame)[scenario].equality.method,
        agreement=agreement,
        pass_all=pass_all,
        accuracy=accuracy,
        composite=composite,
        always_right=always,
        mixed=mixed,
        always_wrong=never,
        flip_flops=flips,
    )


def _composite(accuracy: Estimate, agreement: Estimate) -> Estimate:
    """Accuracy x agreement; the interval is the product of the bounds, which is conservative."""
    factors = (accuracy, agreement)
    bounds = [(e.value, e.low, e.high) for e in factors]
    if any(number is None for bound in bounds for number in bound):
        return not_measured("a factor is not measured", n_missing=accuracy.n_missing)
    (a, a_low, a_high), (b, b_low, b_high) = bounds
    scarcer = min(factors, key=lambda e: e.n_trials)  # trials and missing of the same count
    return Estimate(
        value=(a or 0) * (b or 0),
        low=(a_low or 0) * (b_low or 0),
        high=(a_high or 0) * (b_high or 0),
        n_samples=scarcer.n_samples,
        n_trials=scarcer.n_trials,
        n_missing=scarcer.n_missing,
        method="accuracy x agreement, product of the bounds",
    )
