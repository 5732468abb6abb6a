"""Freshness: how old a set is, which samples tell candidates apart, and what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

import numpy as np
import numpy.typing as npt

from befit.core.sample import Sample

_LEAST_CANDIDATES = 2
OLD = 180
"""Days after which a saturated sample is proposed for retirement."""
KEEP = 50
"""A set never shrinks below this by a proposal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the runs say of one sample."""

    sample_id: str
    candidates: int
    """Candidates with a score on it."""
    saturated: bool
    """Every candidate always passes."""
    hopeless: bool
    """No candidate ever passes."""
    spread: float
    """Standard deviation of the candidates' pass rates; 0 tells none apart."""
    discrimination: float | None
    """Correlation with the rest of the set over candidates; None for fewer than three."""


def standing_of(ids: Sequence[str], means: npt.NDArray[np.float64]) -> list[Standing]:
    """Return what pass rates (candidates, samples), nan where unscored, say of each sample."""
    found = []
    for column, sample_id in enumerate(ids):
        values = means[:, column]
        scored = ~np.isnan(values)
        held = values[scored]
        enough = len(held) >= _LEAST_CANDIDATES
        rest = np.delete(means[scored], column, axis=1)
        found.append(
            Standing(
                sample_id=sample_id,
                candidates=len(held),
                saturated=enough and bool((held >= 1).all()),
                hopeless=enough and bool((held <= 0).all()),
                spread=float(held.std()) if enough else 0.0,
                discrimination=_correlation(held, rest),
            )
        )
    return found


def _correlation(held: npt.NDArray[np.float64], rest: npt.NDArray[np.float64]) -> float | None:
    if len(held) <= _LEAST_CANDIDATES or rest.shape[1] == 0:
        return None
    usable = ~np.isnan(rest).all(axis=1)
    if usable.sum() <= _LEAST_CANDIDATES:
        return None
    others = np.nanmean(rest[usable], axis=1)
    own = held[usable]
    if own.std() == 0 or others.std() == 0:
        return None
    return float(np.corrcoef(own, others)[0, 1])


def age_in_days(sample: Sample, *, today: date) -> int | None:
    """Return how old what a sample shows is: since it was captured, else since it was added."""
    captured = sample.provenance.captured_on if sample.provenance is not None else None
    since = captured or sample.added_on
    return None if since is None else (today - since).days


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """Ages of a set's live samples in days."""

    known: int
    median: float | None
    oldest: int | None


def ages_of(samples: Sequence[Sample], *, today: date) -> Ages:
    """Return the ages of the samples that say since when they are."""
    held = [age for one in samples if (age := age_in_days(one, today=today)) is not None]
    return Ages(
        known=len(held),
        median=float(median(held)) if held else None,
        oldest=max(held) if held else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A sample that is proposed for retirement, and why."""

    sample_id: str
    why: str


def to_retire(
    samples: Sequence[Sample],
    standings: Mapping[str, Standing],
    *,
    leaks: Sequence[str],
    duplicates: Sequence[str],
    today: date,
) -> list[Retirement]:
    """Return what may go, the surest reasons first; never the last sample of a tag.

    Leaked and duplicate samples go at once; saturated ones when they are old and
    the set stays large enough.
    """
    found = [Retirement(sample_id=one, why="the answer is given away") for one in leaks]
    found += [Retirement(sample_id=one, why="repeats another sample") for one in duplicates]
    seen = {one.sample_id for one in found}
    left = [one for one in samples if one.id not in seen]
    tags: dict[str, int] = {}
    for one in left:
        for tag in one.tags:
            tags[tag] = tags.get(tag, 0) + 1
    room = len(left) - KEEP
    order = sorted(left, key=lambda one: -(age_in_days(one, today=today) or 0))
    for one in order:
        state, age = standings.get(one.id), age_in_days(one, today=today)
        if room <= 0 or state is None or not state.saturated or (age or 0) < OLD:
            continue
        if any(tags[tag] == 1 for tag in one.tags):
            continue
        for tag in one.tags:
            tags[tag] -= 1
        room -= 1
        why = f"every one of {state.candidates} candidates passes it, {age} days old"
        found.append(Retirement(sample_id=one.id, why=why))
    return found
