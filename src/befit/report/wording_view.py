"""How results move with the wording of the prompt, in sentences and pictures."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from befit.analysis.results import Analysis
from befit.analysis.wording_result import OrderUnderWording, WordingCell
from befit.charts.dots import Dot, IntervalDots
from befit.charts.figure import figure

AS_IT_IS = "as it is"
MOST_PICTURES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingView:
    """One candidate on one scenario."""

    cell: WordingCell
    says: str
    picture: Markup | None


def name_of(variant: str) -> str:
    """Return what a variant is called; the prompt itself has no name."""
    return variant or AS_IT_IS


def views(analysis: Analysis) -> tuple[WordingView, ...]:
    """Return the cells, the widest spread first; the first few with a picture."""
    cells = sorted(analysis.wordings.cells, key=lambda cell: -(cell.spread.value or 0.0))
    return tuple(
        WordingView(
            cell=cell,
            says=says(cell),
            picture=figure(_chart(analysis, cell)) if place < MOST_PICTURES else None,
        )
        for place, cell in enumerate(cells)
    )


def _chart(analysis: Analysis, cell: WordingCell) -> IntervalDots:
    index = analysis.candidates.index(cell.candidate)
    return IntervalDots(
        title=f"{cell.candidate} on {cell.scenario}: pass rate by wording",
        finding=says(cell),
        row_title="Wording",
        dots=tuple(
            Dot(name=name_of(name), index=index, estimate=estimate)
            for name, estimate in cell.per_prompt
        ),
    )


def says(cell: WordingCell) -> str:
    """Return what the spread of one cell says."""
    spread = 100 * (cell.spread.value or 0.0)
    told = f"{cell.candidate} on {cell.scenario}: the wording moves the pass rate by"
    told = f"{told} {spread:.0f} points (worst: {name_of(cell.worst_name)})"
    if cell.spread_by_noise is None:
        return f"{told}; how much of it is noise is not known, for some trials are missing."
    told = f"{told}, where noise alone would give {100 * cell.spread_by_noise:.0f}"
    if cell.costly:
        return f"{told}. Costly to maintain: every change of a word has to be tested."
    return f"{told}."


def order_says(order: OrderUnderWording) -> str:
    """Return whether the order of the candidates survives."""
    return (
        f"{order.scenario}: the same candidate leads under {order.same_leader} of"
        f" {order.n_variants} other wordings."
    )
