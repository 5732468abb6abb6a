"""The Screening section: the verdicts of public benchmarks, and the picture of the weights.

The same section stands in a run's report (as it was when the run began) and,
alone, in the page that `befit screen --out` writes.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from befit.charts.figure import Chart, figure
from befit.charts.shares import Bar, ShareBars
from befit.charts.weights import Stretch, WeightBar, WeightBars
from befit.core.estimate import Estimate
from befit.core.screening import (
    BenchmarkInfo,
    Composite,
    CompositeEntry,
    RankGroups,
    Screening,
    Verdict,
)
from befit.core.written import between
from befit.report import screening_words as say

MOST_BARS = 10
MOST_ROWS = 20
SMALLEST = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCell:
    """One verdict as it is printed."""

    verdict: Verdict
    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffColumn:
    """One cut-off: what it is on, its line, where the values come from."""

    name: str
    level: str
    line: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """One model over all cut-offs."""

    model: str
    outcome: str
    text: str
    cells: tuple[VerdictCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeView:
    """One composite with its pictures."""

    composite: Composite
    text: str
    pictures: tuple[Markup, ...]
    entries: tuple[CompositeEntry, ...]
    n_more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """The rank groups of one benchmark."""

    group: RankGroups
    info: BenchmarkInfo | None
    values: tuple[tuple[str, str, str], ...]
    """(model, value with interval, letters)."""
    gaps: tuple[tuple[str, str], ...]
    """(pair of neighbours, gap against noise)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningView:
    """All that the template prints."""

    screening: Screening
    headline: tuple[str, ...]
    cut_offs: tuple[CutOffColumn, ...]
    verdicts: tuple[VerdictRow, ...]
    excluded: tuple[tuple[str, str], ...]
    composites: tuple[CompositeView, ...]
    groups: tuple[GroupView, ...]
    benchmarks: tuple[tuple[BenchmarkInfo, str], ...]
    disagreements: tuple[tuple[str, str, str], ...]
    evidence: tuple[tuple[str, str, str, str, str, str], ...]


def view(screening: Screening | None) -> ScreeningView | None:
    """Return the section's content; None where nothing was screened."""
    if screening is None:
        return None
    anchors = say.anchors_of(screening)
    infos = {info.name: info for info in screening.benchmarks}
    return ScreeningView(
        screening=screening,
        headline=say.headline(screening),
        cut_offs=_columns(screening.verdicts),
        verdicts=_rows(screening, anchors),
        excluded=tuple(
            (one.model, "; ".join(one.reasons))
            for one in screening.models
            if one.outcome == "excluded"
        ),
        composites=tuple(_composite(one) for one in screening.composites),
        groups=tuple(
            _group(group, infos.get(group.benchmark))
            for group in screening.groups
            if any(entry.letters for entry in group.entries)
        ),
        benchmarks=tuple((info, say.saturation_text(info)) for info in screening.benchmarks),
        disagreements=tuple(
            (
                f"{one.a} / {one.b}",
                say.disagreement_text(one),
                "; ".join(f"{up} / {down}" for up, down in one.examples[:3]),
            )
            for one in screening.disagreements
        ),
        evidence=tuple(
            (
                one.model,
                say.LEVELS[one.level],
                _points(one.gap),
                _points(one.beyond_references),
                _points(one.date_split),
                "; ".join(one.signs),
            )
            for one in screening.contamination
        ),
    )


def _columns(verdicts: tuple[Verdict, ...]) -> tuple[CutOffColumn, ...]:
    found: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        found.setdefault((verdict.on, verdict.level), []).append(verdict)
    columns = []
    for (name, level), own in found.items():
        origins = dict.fromkeys(", ".join(part for part in (v.source, v.date) if part) for v in own)
        known = [origin for origin in origins if origin]
        columns.append(
            CutOffColumn(
                name=name,
                level=level,
                line=say.line_text(own[0]),
                origin=say.names(known, 2) or "source and date not stated",
            )
        )
    return tuple(columns)


def _rows(
    screening: Screening, anchors: dict[str, tuple[float, float] | None]
) -> tuple[VerdictRow, ...]:
    own: dict[str, list[Verdict]] = {}
    for verdict in screening.verdicts:
        own.setdefault(verdict.model, []).append(verdict)
    return tuple(
        VerdictRow(
            model=one.model,
            outcome=one.outcome,
            text=say.OUTCOMES[one.outcome],
            cells=tuple(
                VerdictCell(
                    verdict=v,
                    value=say.native(v.estimate, say.scale_of(v, anchors)),
                    text=say.verdict_text(v),
                )
                for v in own[one.model]
            ),
        )
        for one in screening.models
        if one.model in own
    )


def _points(estimate: Estimate) -> str:
    if estimate.value is None:
        return "not measured"
    low, high = (
        None if x is None else f"{100 * x:+.0f}".replace("-", "−")
        for x in (estimate.low, estimate.high)
    )
    return f"{100 * estimate.value:+.0f} [{between(low, high)}]".replace("-", "−")


def _group(group: RankGroups, info: BenchmarkInfo | None) -> GroupView:
    anchors = None if info is None else info.anchors
    return GroupView(
        group=group,
        info=info,
        values=tuple((e.model, say.native(e.estimate, anchors), e.letters) for e in group.entries),
        gaps=tuple(
            (f"{one.upper} / {one.lower}", say.neighbour_text(one, info))
            for one in group.neighbours[:MOST_ROWS]
        ),
    )


def _composite(one: Composite) -> CompositeView:
    made: list[Chart] = []
    order = {entry.model: index for index, entry in enumerate(one.entries)}
    drawn = [entry for entry in one.entries if entry.p_first is not None]
    if drawn:
        made.append(_acceptability(one, drawn, order))
    if one.sweeps:
        made.append(_weights(one, order))
    return CompositeView(
        composite=one,
        text=say.composite_text(one),
        pictures=tuple(map(figure, made)),
        entries=one.entries[:MOST_ROWS],
        n_more=max(0, len(one.entries) - MOST_ROWS),
    )


def _share(value: float, draws: int = 10_000) -> Estimate:
    """Return a share of the draws; its Monte Carlo error is below a point."""
    return Estimate(
        value=value,
        low=value,
        high=value,
        n_samples=draws,
        n_trials=draws,
        n_missing=0,
        method="share of drawn weights and scores",
    )


def _acceptability(one: Composite, drawn: list[CompositeEntry], order: dict[str, int]) -> ShareBars:
    """Return the chance of the first places of the models that may have one."""
    able = [e for e in drawn if (e.p_top3 or 0.0) >= SMALLEST][:MOST_BARS] or drawn[:1]
    return ShareBars(
        title=f"{one.name}: places over all weights and the scores' noise",
        finding=say.composite_text(one),
        parts=("first", "second or third", "lower"),
        bars=tuple(
            Bar(
                name=entry.model,
                index=order[entry.model],
                shares=(
                    _share(entry.p_first or 0.0),
                    _share(max(0.0, (entry.p_top3 or 0.0) - (entry.p_first or 0.0))),
                    _share(max(0.0, 1 - (entry.p_top3 or 0.0))),
                ),
                note=f"first in {say.chance(entry.p_first or 0.0)}",
            )
            for entry in able
        ),
    )


def _weights(one: Composite, order: dict[str, int]) -> WeightBars:
    return WeightBars(
        title=f"{one.name}: who is first as one weight goes from 0 to 100 %",
        finding="The mark is the weight as stated; the other weights keep their proportions.",
        bars=tuple(
            WeightBar(
                name=sweep.benchmark,
                stated=sweep.stated,
                stretches=tuple(
                    Stretch(low=s.low, high=s.high, name=s.winner, index=order[s.winner])
                    for s in sweep.segments
                ),
            )
            for sweep in one.sweeps
        ),
    )
