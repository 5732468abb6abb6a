"""Stability over repeats, beside accuracy: does it answer the same, and is the same right.

The headline is the pairwise agreement of canonical answers; pass^3 stands
beside it since agreement alone can be bought by being consistently wrong, and
so does accuracy x agreement, whose weakness that is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.frame import MISSING, Frame, Ints
from befit.analysis.items import Items, item_means
from befit.analysis.matrix import cell_estimate, specs
from befit.analysis.results import StabilityCell
from befit.core.estimate import Estimate, not_measured
from befit.stats.agreement import estimate_agreement
from befit.stats.means import estimate_mean
from befit.stats.passk import estimate_pass_hat_k

K = 3
CRITICAL_REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """The repeats of one candidate on one scenario, by sample."""

    labels: Ints
    """(samples, repeats): code of the canonical answer, 0 for any failed answer, -1 missing."""
    right: Ints
    """Passed trials per sample."""
    scored: Ints
    """Scored trials per sample."""
    n_missing: int


def repeats_of(frame: Frame, candidate: int, scenario: int) -> Repeats:
    """Collect the repeats of one candidate on one scenario (canonical prompt only)."""
    mask = frame.rows(candidate=candidate, scenario=scenario) & (frame.variant == 0)
    rows = np.flatnonzero(mask)
    samples, place = np.unique(frame.sample[rows], return_inverse=True)
    width = int(frame.repeat[rows].max()) + 1 if len(rows) else 0
    labels = np.full((len(samples), width), -1, dtype=np.int64)
    there = frame.status[rows] != MISSING
    # A refusal, an empty and an unparsable answer are one kind of answer: a failed one.
    codes = np.maximum(frame.answer[rows] + 1, 0)
    labels[place[there], frame.repeat[rows][there]] = codes[there]
    passed = frame.passed[rows]
    scored = ~np.isnan(passed)
    size = len(samples)
    return Repeats(
        labels=labels,
        right=np.bincount(place[scored], weights=passed[scored] >= 1, minlength=size).astype(
            np.int64
        ),
        scored=np.bincount(place[scored], minlength=size).astype(np.int64),
        n_missing=int((~there).sum()),
    )


def why_not_measured(frame: Frame, candidate: int, scenario: int) -> str | None:
    """Return why stability cannot be measured here, or None where it can."""
    spec = specs(frame)[scenario]
    repeats = spec.repeats_of(frame.manifest.candidates[candidate].candidate)
    if frame.manifest.settings.seed == "fixed":
        return "seed: fixed makes all repeats the same call"
    if repeats < 2:  # noqa: PLR2004 - one answer agrees with nothing
        return "1 repeat"
    if spec.critical and repeats < CRITICAL_REPEATS:
        return f"critical scenario with fewer than {CRITICAL_REPEATS} repeats"
    return None


def stability_cells(frame: Frame) -> tuple[StabilityCell, ...]:
    """Return one cell per candidate and scenario, measured or not."""
    return tuple(
        _cell(frame, candidate, scenario)
        for scenario in range(len(frame.scenarios))
        for candidate in range(len(frame.candidates))
    )


def _cell(frame: Frame, candidate: int, scenario: int) -> StabilityCell:
    items = item_means(frame, (scenario,), "pass")
    accuracy = cell_estimate(items, candidate, frame=frame)
    why = why_not_measured(frame, candidate, scenario)
    repeats = repeats_of(frame, candidate, scenario)
    many = repeats.scored > 1
    if why is None and not many.any():
        why = "no sample with two answers"
    if why is not None:
        nothing = not_measured(why, n_missing=repeats.n_missing)
        return _shape(frame, candidate, scenario, accuracy=accuracy, values=(nothing,) * 6)
    right, scored = repeats.right, repeats.scored
    missing = repeats.n_missing

    def share(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Estimate:
        return estimate_mean(
            chosen[many].astype(np.float64),
            n_trials=int(scored[many].sum()),
            n_missing=missing,
            binary=True,
        )

    agreement = estimate_agreement(repeats.labels, n_missing=missing)
    values = (
        agreement,
        estimate_pass_hat_k(right, scored, k=K, n_missing=missing),
        _composite(accuracy, agreement),
        share(right == scored),
        share((right > 0) & (right < scored)),
        share(right == 0),
    )
    flips = _flip_flops(frame, items, candidate)
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
    return Estimate(
        value=(a or 0) * (b or 0),
        low=(a_low or 0) * (b_low or 0),
        high=(a_high or 0) * (b_high or 0),
        n_samples=agreement.n_samples,
        n_trials=agreement.n_trials,
        n_missing=accuracy.n_missing,
        method="accuracy x agreement, product of the bounds",
    )


def _flip_flops(frame: Frame, items: Items, candidate: int) -> tuple[str, ...]:
    """Return the samples that were right in some repeats and wrong in others."""
    means = items.mean[candidate]
    mixed = (means > 0) & (means < 1) & (items.n_trials[candidate] > 1)
    return tuple(frame.samples[code].id for code in items.samples[mixed])
