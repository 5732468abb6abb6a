"""What the sections of the page hold, shaped for the templates: lookups, groups, order.

Nothing is computed here that the analysis does not already say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from befit.analysis.engineering_detail import EngineeringDetail
from befit.analysis.results import (
    Analysis,
    ChainCurve,
    EngineeringCell,
    FailureCount,
    FieldCell,
    MatrixRow,
    StabilityCell,
    TurnCurve,
    UsabilityCell,
)
from befit.charts.figure import Chart, figure
from befit.charts.heat import Heat, heat_of
from befit.core.estimate import Estimate
from befit.core.run import Manifest
from befit.core.written import many
from befit.decide.unsettled import listed
from befit.engine.limits import calls_in_flight
from befit.report import html_charts as charts
from befit.report.document import Document
from befit.report.numbers import tie_of_all
from befit.report.people import by_people
from befit.review.result import Result

_Cell = TypeVar(
    "_Cell",
    StabilityCell,
    UsabilityCell,
    EngineeringCell,
    EngineeringDetail,
    FieldCell,
    FailureCount,
    TurnCurve,
    ChainCurve,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One row of the rank groups: who leads it, from whom it can be told, and the pictures."""

    row: MatrixRow
    leader: str | None
    as_high: tuple[str, ...]
    """The others with the leader's value."""
    tie: Estimate | None
    """The value that all share; then nobody leads."""
    tied: tuple[str, ...]
    worse: tuple[str, ...]
    finding: str
    pictures: tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRows:
    """Rows of a heat table with the steps they share."""

    rows: tuple[MatrixRow, ...]
    heat: Heat


def picture(chart: Chart | None) -> tuple[Markup, ...]:
    """Return a chart as markup, or nothing; the chart has escaped what it shows."""
    return () if chart is None else (figure(chart),)


def rank_rows(analysis: Analysis) -> tuple[RankRow, ...]:
    """Return the rank groups, critical rows first."""
    rows = sorted(analysis.dimension_rows, key=lambda row: not row.critical)
    found = []
    for row in rows:
        leader = charts.best(row)
        pictures = (
            *picture(charts.rank_dots(analysis, row) if leader else None),
            *picture(charts.rank_forest(row) if leader else None),
        )
        found.append(
            RankRow(
                row=row,
                leader=leader,
                as_high=charts.as_high_as(row, leader) if leader else (),
                tie=tie_of_all([cell.estimate for cell in row.cells]),
                tied=charts.tied_with(row, leader) if leader else (),
                worse=charts.worse_than(row, leader) if leader else (),
                finding=charts.row_finding(row),
                pictures=pictures,
            )
        )
    return tuple(found)


def rank_sentence(rows: Iterable[RankRow], people: Sequence[Result] = ()) -> str:
    """Return what the rank groups say in one sentence; where people alone judge, what they say."""
    rows = tuple(rows)
    compared = [row for row in rows if row.row.differences and row.leader]
    if not compared:
        told = [text for row in rows if (text := by_people(row.row, people))]
        if told:
            return f"No score ranks the candidates. {' '.join(told)}"
        return "No two candidates have been compared, so there are no rank groups."
    if any(row.tie for row in compared):
        return _with_ties(compared)
    clear = sum(not row.tied for row in compared)
    noun = "row" if len(compared) == 1 else "rows"
    if clear == len(compared):
        return f"In {_all(clear)} {noun} the leader is better than every other candidate."
    if not clear:
        return (
            f"In {_all(len(compared))} {noun} the leader cannot be told from at least one other "
            "candidate."
        )
    return (
        f"In {clear} of {len(compared)} rows the leader is better than every other candidate; in "
        "the rest it cannot be told from at least one other."
    )


def _with_ties(compared: Sequence[RankRow]) -> str:
    """Say in how many rows all have the same value, and what the others say."""
    alike = sum(row.tie is not None for row in compared)
    clear = sum(row.tie is None and not row.tied for row in compared)
    rest = len(compared) - alike - clear
    noun = "row" if len(compared) == 1 else "rows"
    if alike == len(compared):
        return f"In {_all(alike)} {noun} all candidates have the same value: nobody leads."
    told = [f"In {alike} of {len(compared)} {noun} all candidates have the same value"]
    told += [f"in {clear} the leader is better than every other"] if clear else []
    told += [f"in {rest} the leader cannot be told from at least one other"] if rest else []
    return f"{'; '.join(told)}."


def _all(count: int) -> str:
    return "the only" if count == 1 else f"all {count}"


def heat_rows(rows: Iterable[MatrixRow]) -> HeatRows:
    """Return rows with the one scale that they share."""
    kept = tuple(rows)
    return HeatRows(rows=kept, heat=heat_of(c.estimate.value for row in kept for c in row.cells))


def by_scenario(cells: Iterable[_Cell]) -> dict[str, tuple[_Cell, ...]]:
    """Return cells grouped by scenario, in their order; cells over all scenarios under ""."""
    found: dict[str, list[_Cell]] = {}
    for cell in cells:
        found.setdefault(cell.scenario or "", []).append(cell)
    return {name: tuple(group) for name, group in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityView:
    """One scenario's stability."""

    scenario: str
    equality: str
    finding: str
    pictures: tuple[Markup, ...]
    cells: tuple[StabilityCell, ...]


def stability_views(document: Document) -> Iterator[StabilityView]:
    """Yield stability, one scenario at a time."""
    for name, cells in by_scenario(document.analysis.stability).items():
        chart = charts.stability_bars(document.analysis, cells)
        measured = any(cell.agreement.value is not None for cell in cells)
        yield StabilityView(
            scenario=name,
            equality=document.equality.get(name, ""),
            finding=chart.finding,
            pictures=picture(chart) if measured else (),
            cells=cells,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionView:
    """One scenario's extraction: all fields together, and field by field."""

    scenario: str
    pictures: tuple[Markup, ...]
    totals: tuple[FieldCell, ...]
    fields: tuple[tuple[str, tuple[FieldCell, ...]], ...]
    """Field name -> one cell per candidate."""


def extraction_views(analysis: Analysis) -> Iterator[ExtractionView]:
    """Yield extraction, one scenario at a time."""
    for name, cells in by_scenario(analysis.fields).items():
        names = dict.fromkeys(c.field for c in cells if c.field is not None)
        yield ExtractionView(
            scenario=name,
            pictures=picture(charts.absent_bars(analysis, cells)),
            totals=tuple(c for c in cells if c.field is None),
            fields=tuple((f, tuple(c for c in cells if c.field == f)) for f in names),
        )


def engineering_pictures(analysis: Analysis) -> tuple[Markup, ...]:
    """Return the strips of latency, first token and length over all scenarios."""
    cells = [cell for cell in analysis.engineering if cell.scenario is None]
    ends = {"p50": "latency_p50", "p95": "latency_p95", "p99": "latency_p99"}
    first = {"p50": "first_token_p50", "p95": "first_token_p95"}
    length = {"p50": "output_tokens_p50", "p95": "output_tokens_p95"}
    made = (
        charts.strips(analysis, cells, title="End-to-end latency", quantiles=ends, unit="seconds"),
        charts.strips(
            analysis, cells, title="Time to first token", quantiles=first, unit="seconds"
        ),
        charts.strips(analysis, cells, title="Output tokens", quantiles=length, unit="tokens"),
    )
    return tuple(markup for chart in made for markup in picture(chart))


LEAST_FOR_P99 = 368
"""Answers from which on order statistics give the 99th percentile an upper limit (95 %)."""


def in_flight(manifest: Manifest) -> str:
    """Return the calls in flight a run began with: "20 calls", or "1 call (a) and 20 calls (b)"."""
    groups: dict[int, list[str]] = {}
    for name, calls in calls_in_flight(manifest).items():
        groups.setdefault(calls, []).append(name)
    told = {calls: f"{calls:,} call{'' if calls == 1 else 's'}" for calls in sorted(groups)}
    if len(told) == 1:
        return next(iter(told.values()))
    named = [f"{text} ({', '.join(groups[calls])})" for calls, text in told.items()]
    return listed(named) or f"{many(manifest.settings.concurrency, 'call')}"


def few_for_p99(analysis: Analysis) -> bool:
    """Tell whether some candidate has a 99th percentile that its answers cannot bound."""
    return any(
        cell.latency_p99.value is not None and cell.latency_p99.high is None
        for cell in analysis.engineering
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView:
    """One scenario's capability against cost."""

    row: MatrixRow
    finding: str
    pictures: tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChart:
    """The scatter of one scenario's row."""

    row: MatrixRow
    chart: Chart


def cost_charts(analysis: Analysis) -> Iterator[CostChart]:
    """Yield the scatters that can be drawn, critical scenarios first."""
    groups = by_scenario(analysis.engineering)
    for row in sorted(analysis.scenario_rows, key=lambda row: not row.critical):
        cells = groups.get(row.scenarios[0]) or groups.get("", ())
        chart = charts.cost_scatter(analysis, row, cells)
        if chart is not None:
            yield CostChart(row=row, chart=chart)


def cost_views(analysis: Analysis) -> tuple[CostView, ...]:
    """Return the scatters as markup."""
    return tuple(
        CostView(row=one.row, finding=one.chart.finding, pictures=picture(one.chart))
        for one in cost_charts(analysis)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeRow:
    """One failure mode on one scenario, side by side over the candidates."""

    mode: str
    total: int
    by_candidate: dict[str, FailureCount]


def _critical_first(analysis: Analysis, names: Iterable[str]) -> list[str]:
    """Return names of scenarios in the order of the run, critical ones first."""
    rows = sorted(analysis.scenario_rows, key=lambda row: not row.critical)
    order = {row.scenarios[0]: place for place, row in enumerate(rows)}
    return sorted(names, key=lambda name: order.get(name, len(order)))


def failure_tables(analysis: Analysis) -> dict[str, tuple[ModeRow, ...]]:
    """Return the failures of each scenario by mode, the most frequent mode first."""
    tables: dict[str, tuple[ModeRow, ...]] = {}
    groups = by_scenario(analysis.failures)
    for name in _critical_first(analysis, groups):
        counts = groups[name]
        modes: dict[str, dict[str, FailureCount]] = {}
        for count in counts:
            modes.setdefault(count.mode, {})[count.candidate] = count
        rows = [
            ModeRow(mode=mode, total=sum(c.count for c in own.values()), by_candidate=own)
            for mode, own in modes.items()
        ]
        tables[name] = tuple(sorted(rows, key=lambda row: -row.total))
    return tables
