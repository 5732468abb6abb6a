"""How results move with the wording of the prompt, in sentences and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from befit.analysis.results import Analysis
from befit.analysis.wording_result import OrderUnderWording, WordingCell
from befit.charts.dots import Dot, IntervalDots
from befit.charts.figure import figure
from befit.charts.spread import Spread, Spreads
from befit.report.numbers import interval, p_text, share

AS_IT_IS = "as it is"
COSTLY = "! costly to maintain"
SURE = 0.05
"""The p-value from which on a spread is more than noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingView:
    """One scenario: who is costly to maintain, whether the order holds, and the pictures."""

    scenario: str
    findings: tuple[str, ...]
    picture: Markup
    closer: tuple[Markup, ...]
    """A picture for each candidate, with the interval of each wording; one axis for all."""
    cells: tuple[WordingCell, ...]


def name_of(variant: str) -> str:
    """Return what a variant is called; the prompt itself has no name."""
    return variant or AS_IT_IS


def views(analysis: Analysis) -> tuple[WordingView, ...]:
    """Return the scenarios that were asked in several wordings, the widest spread first in each."""
    orders = {order.scenario: order for order in analysis.wordings.orders}
    return tuple(_view(analysis, cells, orders) for cells in widest_first(analysis))


def widest_first(analysis: Analysis) -> list[list[WordingCell]]:
    """Return the cells of each scenario, the widest spread first."""
    grouped: dict[str, list[WordingCell]] = {}
    for cell in analysis.wordings.cells:
        grouped.setdefault(cell.scenario, []).append(cell)
    return [
        sorted(cells, key=lambda cell: -(cell.spread.value or 0.0)) for cells in grouped.values()
    ]


def _view(
    analysis: Analysis, cells: Sequence[WordingCell], orders: Mapping[str, OrderUnderWording]
) -> WordingView:
    scenario = cells[0].scenario
    told = scenario_says(cells)
    if scenario in orders:
        told = (*told, order_says(orders[scenario], candidates=len(cells)))
    chart = Spreads(
        title=f"{scenario}: pass rate by wording; the mark is the prompt as it is",
        finding=" ".join(told),
        spreads=tuple(
            Spread(
                name=cell.candidate,
                index=analysis.candidates.index(cell.candidate),
                results=tuple((name_of(name), estimate) for name, estimate in cell.per_prompt),
                flag=COSTLY if cell.costly else "",
            )
            for cell in cells
        ),
    )
    lows = [e.low for cell in cells for _, e in cell.per_prompt if e.low is not None]
    return WordingView(
        scenario=scenario,
        findings=told,
        picture=figure(chart),
        closer=tuple(figure(_chart(analysis, cell, min(lows, default=0.0))) for cell in cells),
        cells=tuple(cells),
    )


def _chart(analysis: Analysis, cell: WordingCell, floor: float) -> IntervalDots:
    index = analysis.candidates.index(cell.candidate)
    return IntervalDots(
        title=f"{cell.candidate} on {cell.scenario}: pass rate by wording",
        finding=says(cell),
        row_title="Wording",
        dots=tuple(
            Dot(name=name_of(name), index=index, estimate=estimate)
            for name, estimate in cell.per_prompt
        ),
        floor=floor,
    )


def scenario_says(cells: Sequence[WordingCell]) -> tuple[str, ...]:
    """Return who is costly to maintain, and in one sentence what is known of the others."""
    told = [says(cell) for cell in cells if cell.costly]
    rest = [cell for cell in cells if not cell.costly]
    if len(rest) == 1:
        return (*told, says(rest[0]))
    if rest:
        who = "all others" if told else "nobody is costly to maintain: all"
        most = max(rest, key=lambda cell: cell.spread.value or 0.0)
        told.append(
            f"{most.scenario}: {who} move with the wording by at most {_moved(most)}"
            f" ({most.candidate})."
        )
    return tuple(told)


def _moved(cell: WordingCell) -> str:
    return f"{share(cell.spread.value, cell.spread)} [{interval(cell.spread)}] points"


def says(cell: WordingCell) -> str:
    """Return what the spread of one cell says."""
    told = f"{cell.candidate} on {cell.scenario}: the wording moves the pass rate by"
    told = f"{told} {_moved(cell)} (worst: {name_of(cell.worst_name)})"
    if cell.spread_by_noise is None:
        return f"{told}; how much of it is noise is not known, for some trials are missing."
    told = f"{told}, where noise alone would give {100 * cell.spread_by_noise:.0f}"
    if cell.costly:
        return f"{told}. Costly to maintain: every change of a word has to be tested."
    if cell.spread_p is not None and cell.spread_p >= SURE:
        return f"{told}: no more than chance (p = {p_text(cell.spread_p)})."
    return f"{told}."


def order_says(order: OrderUnderWording, *, candidates: int = 2) -> str:
    """Return whether the order of the candidates survives; of two, the leader is the order."""
    told = (
        f"{order.scenario}: the same candidate leads under {order.same_leader} of"
        f" {order.n_variants} other wordings"
    )
    if order.least_tau is None or candidates <= 2:  # noqa: PLR2004 - as said above
        return f"{told}."
    tau = f"Kendall's tau {order.least_tau:.2f}"
    return f"{told}; the order of all is moved most to {tau} (1: as it was, -1: reversed)."
