"""Signs that a model saw public items in training; levels of evidence, never a verdict.

The main sign is how much more a model loses on perturbed versions of the items
than the reference models do (difference in differences: perturbed items are
harder for all). Beside it: the loss on items newer than a cut date, again
against the references; guided completion is a flag only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import erfc, sqrt
from typing import Literal

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.core.screening import Evidence
from befit.stats.arrays import Floats
from befit.stats.contamination import gap_difference
from befit.stats.distributions import z_value
from befit.stats.multiplicity import holm
from befit.stats.paired import paired_difference

MIN_PAIRS = 20
WEAK, STRONG = 0.05, 0.01
LEVEL = 0.95
SAME_BASE = 10.0
"""Points on perturbed items within which references count as of the same strength."""

Level = Literal["none", "weak", "strong", "not_enough"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResults:
    """Results of models on public items and on perturbed versions of them.

    Rows of the arrays are models, columns items; NaN where missing. Several
    versions of one item are averaged before they come here.
    """

    models: tuple[str, ...]
    original: Floats
    perturbed: Floats
    dates: tuple[str, ...] = ()
    """ISO date of each item, "" where unknown; for the date split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """What to look at besides."""

    references: tuple[str, ...] = ()
    """Models the others are held against; all others where empty."""
    cut_dates: Mapping[str, str] = field(default_factory=dict)
    """Model -> ISO date of its training cut, where known."""
    flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Model -> further signs in words (guided completion)."""


def evidence(
    results: ItemResults, *, rng: np.random.Generator, suspicion: Suspicion | None = None
) -> tuple[Evidence, ...]:
    """Return the level of evidence for each model that is no stated reference.

    One-sided p-values are Holm-adjusted over the models looked at. `weak` is an
    adjusted p of at most 0.05 (or only a flag or the date split), `strong` one of
    at most 0.01, or two independent signs.

    Args:
        results: per item.
        rng: for tests that need draws.
        suspicion: references, cut dates, further flags.
    """
    about = suspicion or Suspicion()
    looked = [m for m in results.models if m not in about.references] or list(results.models)
    gaps = {model: _gap(results, model, rng) for model in looked}
    beyond = {model: _beyond(results, model, about, rng) for model in looked}
    tested = [m for m in looked if beyond[m][1] is not None]
    adjusted = dict(zip(tested, holm([beyond[m][1] or 0.0 for m in tested]).tolist(), strict=True))
    return tuple(
        _evidence(
            model,
            _Found(
                gap=gaps[model],
                beyond=beyond[model][0],
                p_value=adjusted.get(model),
                split=_date_split(results, model, about),
            ),
            flags=about.flags.get(model, ()),
            references=_references(results, model, about),
            cautions=_cautions(results, model, about),
        )
        for model in looked
    )


def _references(results: ItemResults, model: str, about: Suspicion) -> tuple[str, ...]:
    chosen = about.references or results.models
    return tuple(other for other in chosen if other != model and other in results.models)


def _cautions(results: ItemResults, model: str, about: Suspicion) -> tuple[str, ...]:
    """Return a caution where the references are of another strength than the model.

    Perturbed items cost a strong model less than one of middling strength, so the
    difference of differences is fair only among models of about the same base.
    """
    rows = [_row(results, other) for other in _references(results, model, about)]
    own = results.perturbed[_row(results, model)]
    known = [row for row in rows if not np.isnan(results.perturbed[row]).all()]
    if not known or np.isnan(own).all():
        return ()
    others = np.mean([np.nanmean(results.perturbed[row]) for row in known])
    apart = 100 * float(np.nanmean(own) - others)
    if abs(apart) <= SAME_BASE:
        return ()
    words = "above" if apart > 0 else "below"
    return (f"caution: {abs(apart):.0f} points {words} its references on perturbed items",)


def _row(results: ItemResults, model: str) -> int:
    return results.models.index(model)


def _gap(results: ItemResults, model: str, rng: np.random.Generator) -> Estimate:
    row = _row(results, model)
    original, perturbed = results.original[row], results.perturbed[row]
    single = bool(np.isin(original[~np.isnan(original)], (0.0, 1.0)).all())
    single = single and bool(np.isin(perturbed[~np.isnan(perturbed)], (0.0, 1.0)).all())
    found = paired_difference(original, perturbed, binary_single=single, rng=rng)
    return found.estimate


def _beyond(
    results: ItemResults, model: str, about: Suspicion, rng: np.random.Generator
) -> tuple[Estimate, float | None]:
    """Return the gap beyond that of the references with its one-sided p."""
    rows = [_row(results, other) for other in _references(results, model, about)]
    if not rows:
        return not_measured("no reference model"), None
    row = _row(results, model)
    # a reference that lacks an item must not take it from all
    mean = _mean(results.original[rows] - results.perturbed[rows])
    found = gap_difference(
        results.original[row], results.perturbed[row], [(mean, np.zeros_like(mean))], rng=rng
    )
    value, p = found.estimate.value, found.p_value
    if value is None or p is None or found.estimate.n_samples < MIN_PAIRS:
        return found.estimate, None
    return found.estimate, p / 2 if value > 0 else 1 - p / 2


def _mean(rows: Floats) -> Floats:
    """Return the mean of each column over the rows that have it; NaN where none has."""
    counts = (~np.isnan(rows)).sum(axis=0)
    mean = np.full(len(counts), np.nan)
    np.divide(np.nan_to_num(rows).sum(axis=0), counts, out=mean, where=counts > 0)
    return mean


def _date_split(results: ItemResults, model: str, about: Suspicion) -> Estimate:
    """Return the loss on items newer than the model's cut, beyond that of the references."""
    cut = about.cut_dates.get(model)
    if not cut or not any(results.dates):
        return not_measured("no cut date or no dated items")
    dated = np.array([bool(d) for d in results.dates])
    new = dated & np.array([d > cut for d in results.dates])
    old = dated & ~new
    rows = [_row(results, other) for other in _references(results, model, about)]
    own = results.original[_row(results, model)]
    others = _mean(results.original[rows]) if rows else np.zeros_like(own)
    ahead = own - others
    before, after = (ahead[part & ~np.isnan(ahead)] for part in (old, new))
    if min(before.size, after.size) < MIN_PAIRS:
        return not_measured(f"fewer than {MIN_PAIRS} items on a side of {cut}")
    value = float(before.mean() - after.mean())
    half = z_value(LEVEL) * sqrt(
        float(before.var(ddof=1)) / before.size + float(after.var(ddof=1)) / after.size
    )
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        n_samples=before.size + after.size,
        n_trials=before.size + after.size,
        n_missing=0,
        method=f"before minus after {cut}, beyond references",
        level=LEVEL,
    )


def _split_p(split: Estimate) -> float | None:
    """Return the one-sided p behind the date split's interval."""
    if split.value is None or split.high is None or split.low is None:
        return None
    error = (split.high - split.low) / (2 * z_value(LEVEL))
    return 0.5 * erfc(split.value / error / sqrt(2)) if error else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What was measured for one model."""

    gap: Estimate
    beyond: Estimate
    p_value: float | None
    split: Estimate


def _evidence(
    model: str,
    found: _Found,
    *,
    flags: Sequence[str],
    references: tuple[str, ...],
    cautions: tuple[str, ...],
) -> Evidence:
    p_value = found.p_value
    signs: list[str] = []
    if p_value is not None and p_value <= WEAK:
        signs.append("loses more on perturbed items than the references do")
    split_p = _split_p(found.split)
    if split_p is not None and split_p <= WEAK:
        signs.append("loses more on items newer than its cut than the references do")
    level: Level = "none"
    if p_value is None and split_p is None and not flags:
        level = "not_enough"
    elif len(signs) > 1 or (p_value is not None and p_value <= STRONG):
        level = "strong"
    elif signs or flags:
        level = "weak"
    return Evidence(
        model=model,
        level=level,
        gap=found.gap,
        beyond_references=found.beyond,
        p_value=p_value,
        date_split=found.split,
        references=references,
        signs=(*signs, *(f"flag: {flag}" for flag in flags), *cautions),
    )
