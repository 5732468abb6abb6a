"""Cut-offs: cleared, excluded, or cannot tell, and never more than that.

The interval decides. A model is excluded where all of it lies below the line
(cut-off minus margin), cleared where all of it lies above; else nobody can
tell, and the number of items that would settle it is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil

from befit.analysis.screening_noise import LEVEL, Cell, weighted
from befit.core.estimate import Estimate, not_measured
from befit.core.screening import (
    CutOff,
    Level,
    ModelOutcome,
    Outcome,
    ScreeningSettings,
    Verdict,
)
from befit.interop.benchmarks import BenchmarkTable
from befit.stats.gates import against_floor
from befit.stats.power import samples_for_gate

HAIR = 0.5
"""By a hair: the line is nearer to the interval than half of its half-width."""
MOST_ITEMS = 10_000_000
_OUTCOMES: dict[str, Outcome] = {
    "pass": "cleared",
    "fail": "excluded",
    "insufficient_evidence": "cannot_tell",
}

Cells = Mapping[str, Mapping[str, Cell]]
"""Benchmark -> model -> cell."""


def outcome_of(estimate: Estimate, cut_off: CutOff) -> Outcome:
    """Judge an interval against the line of a cut-off."""
    return _OUTCOMES[against_floor(estimate, floor=cut_off.line)]


def by_a_hair(estimate: Estimate, cut_off: CutOff) -> bool:
    """Tell whether a verdict would turn with a little more noise."""
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return False
    distance = low - cut_off.line if low >= cut_off.line else cut_off.line - high
    return distance < HAIR * (high - low) / 2


def items_needed(
    estimate: Estimate, cut_off: CutOff, *, anchors: tuple[float, float]
) -> int | None:
    """Items in all that would settle an open verdict with power 0.8; None where nobody can say."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None or not estimate.n_samples:
        return None
    span = anchors[1] - anchors[0]
    line, mean = (cut_off.line - anchors[0]) / span, (value - anchors[0]) / span
    if not 0 < line < 1 or not 0 <= mean <= 1:
        return None
    n = samples_for_gate(mean, floor=line, level=(1 + LEVEL) / 2)
    if n is None:
        return None
    # where the stated noise differs from the binomial, so does the number of items
    widest = 2 * 1.96 * (max(mean * (1 - mean), 1e-4) / estimate.n_samples) ** 0.5
    ratio = ((high - low) / span / widest) ** 2
    found = ceil(n * max(ratio, 0.01))
    return found if found <= MOST_ITEMS else None


def _verdict(
    model: str,
    on: str,
    level: Level,
    cell: Cell | None,
    *,
    cut_off: CutOff,
    anchors: tuple[float, float] | None,
    origin: tuple[str, str],
) -> Verdict:
    estimate = not_measured("not reported") if cell is None else cell.estimate
    outcome = outcome_of(estimate, cut_off)
    needed = None
    if outcome == "cannot_tell" and anchors is not None:
        needed = items_needed(estimate, cut_off, anchors=anchors)
    return Verdict(
        model=model,
        on=on,
        level=level,
        estimate=estimate,
        cut_off=cut_off,
        outcome=outcome,
        by_a_hair=outcome != "cannot_tell" and by_a_hair(estimate, cut_off),
        items_needed=needed,
        noise="not reported" if cell is None else cell.noise,
        source=origin[0],
        date=origin[1],
    )


def judge(
    table: BenchmarkTable,
    cells: Cells,
    settings: ScreeningSettings,
    composites: Mapping[str, Mapping[str, float]],
) -> tuple[Verdict, ...]:
    """Return the verdict of each model on each cut-off, in the order of the models.

    Args:
        table: all results.
        cells: the cells of the benchmarks.
        settings: cut-offs of benchmarks, skills and composites.
        composites: name -> weights (sum 1) of every composite.
    """
    found = [
        *_on_benchmarks(table, cells, settings),
        *_on_skills(table, cells, settings),
        *_on_composites(table, cells, settings, composites),
    ]
    places = {model: i for i, model in enumerate(table.models)}
    return tuple(sorted(found, key=lambda verdict: places[verdict.model]))


def _on_benchmarks(
    table: BenchmarkTable, cells: Cells, settings: ScreeningSettings
) -> Iterator[Verdict]:
    for name, about in table.settings.items():
        if about.cut_off is None:
            continue
        cut_off = CutOff(at=about.cut_off, margin=about.margin)
        for model in table.models:
            result = table.results[name].get(model)
            source = (result.source if result else "") or about.source or settings.source or ""
            date = (result.date if result else "") or about.date or settings.date or ""
            yield _verdict(
                model,
                name,
                "benchmark",
                cells[name].get(model),
                cut_off=cut_off,
                anchors=about.anchors,
                origin=(source, date),
            )


def skill_weights(table: BenchmarkTable, skill: str) -> dict[str, float]:
    """Return equal weights of the benchmarks of a skill that have anchors and are no averages."""
    names = [
        name
        for name, about in table.settings.items()
        if about.skill == skill and about.anchors is not None and not about.aggregate
    ]
    return {name: 1 / len(names) for name in names}


def _on_skills(
    table: BenchmarkTable, cells: Cells, settings: ScreeningSettings
) -> Iterator[Verdict]:
    for skill, about in settings.skills.items():
        if about.cut_off is None:
            continue
        weights = skill_weights(table, skill)
        cut_off = CutOff(at=about.cut_off, margin=about.margin)
        yield from _weighted(table, cells, settings, ("skill", skill), weights, cut_off)


def _on_composites(
    table: BenchmarkTable,
    cells: Cells,
    settings: ScreeningSettings,
    composites: Mapping[str, Mapping[str, float]],
) -> Iterator[Verdict]:
    for name, about in settings.composites.items():
        if about.cut_off is None:
            continue
        cut_off = CutOff(at=about.cut_off, margin=about.margin)
        yield from _weighted(table, cells, settings, ("composite", name), composites[name], cut_off)


def _weighted(
    table: BenchmarkTable,
    cells: Cells,
    settings: ScreeningSettings,
    place: tuple[Level, str],
    weights: Mapping[str, float],
    cut_off: CutOff,
) -> Iterator[Verdict]:
    level, name = place
    origin = (settings.source or f"{len(weights)} benchmarks", settings.date or "")
    for model in table.models:
        own = {key: cells[key].get(model) for key in weights}
        cell = weighted(own, weights, table.settings)
        yield _verdict(model, name, level, cell, cut_off=cut_off, anchors=None, origin=origin)


def model_outcomes(
    models: Sequence[str], verdicts: Iterable[Verdict], *, one_composite_excludes: bool
) -> tuple[ModelOutcome, ...]:
    """Put all verdicts of a model together.

    Any benchmark or skill may exclude. Composites exclude only where at least two
    of them do (or one, if that was asked for): a composite's line hangs on its weights.
    """
    grouped: dict[str, list[Verdict]] = {model: [] for model in models}
    for verdict in verdicts:
        grouped[verdict.model].append(verdict)
    return tuple(_together(model, own, one_composite_excludes) for model, own in grouped.items())


def _together(model: str, own: Sequence[Verdict], one_composite_excludes: bool) -> ModelOutcome:  # noqa: FBT001 - private
    out = [v for v in own if v.outcome == "excluded" and v.level != "composite"]
    composites = [v for v in own if v.outcome == "excluded" and v.level == "composite"]
    if composites and (one_composite_excludes or len(composites) > 1):
        out += composites
    unsure = [v for v in own if v.outcome == "cannot_tell"]
    reasons = [
        f"below {v.cut_off.line:g} on {v.on}" + (", by a hair" if v.by_a_hair else "") for v in out
    ]
    if out:
        return ModelOutcome(model=model, outcome="excluded", reasons=tuple(reasons))
    reasons += [
        f"below {v.cut_off.line:g} on the composite {v.on} only, which excludes nobody alone"
        for v in composites
    ]
    reasons += [
        f"not reported on {v.on}" if v.estimate.low is None and v.estimate.value is None
        else f"cannot tell on {v.on}"
        for v in unsure
    ]  # fmt: skip
    outcome: Outcome = "cannot_tell" if unsure or composites or not own else "cleared"
    return ModelOutcome(model=model, outcome=outcome, reasons=tuple(reasons))
