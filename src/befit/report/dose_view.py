"""Curves over difficulty and pairs of ways of asking, in sentences and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from befit.analysis.dose_result import DoseCurve, DoseGrid, DosePair, PictureCell
from befit.analysis.results import Analysis
from befit.charts.curve import Course, Curve, Spot
from befit.charts.figure import figure
from befit.charts.heat import Heat, heat_of
from befit.core.written import many
from befit.report.falling import NO_FALL, fall_words, in_parts
from befit.report.numbers import percent, points

LOG_FROM = 8
"""Levels that span more than this factor stand on a logarithmic axis."""
MANY = 6
"""More tables than this, and they are to be opened."""
_ASKS = {"": "", "there": ", asked for what is there", "not there": ", asked for what is not there"}
_SHARES = {"": "Pass rate", "there": "Found whole", "not there": "Said that it is not there"}
_WORDS = {
    "tokens": "Length of the text, tokens aimed at",
    "turns": "Turns before the question",
    "depth": "Place of the fact, 0 start to 1 end",
    "steps": "Steps",
    "pieces": "Pieces the task is told in",
    "documents": "Documents",
    "noise": "Share of letters misread",
    "constraints": "Constraints at once",
    "rows": "Rows",
    "tools": "Tools offered",
    "size": "Height of the text in pixels",
    "irrelevant": "Irrelevant clauses",
    "people": "People",
    "absent": "Fields absent",
}
_PLACES = {
    "tokens": "{:,.10g} tokens",
    "turns": "{:g} turns",
    "depth": "depth {:g}",
    "steps": "{:g} steps",
    "pieces": "{:g} pieces",
    "documents": "{:g} documents",
    "constraints": "{:g} constraints",
    "rows": "{:g} rows",
    "tools": "{:g} tools",
    "size": "{:g} pixels",
    "irrelevant": "{:g} irrelevant clauses",
    "people": "{:g} people",
    "absent": "{:g} absent fields",
}
"""How a level of a knob is said; of another knob it is the knob and the level."""
_WAYS = {
    ("form", "full"): "the task in one text",
    ("form", "concat"): "its pieces in one message",
    ("form", "sharded"): "its pieces told over turns",
    ("style", "reasoning"): "reasoning-style questions",
    ("style", "retrieval"): "retrieval-style questions",
}
"""Ways of asking that have no number, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveView:
    """One knob of one scenario: a finding, the picture, and its curves."""

    scenario: str
    knob: str
    about: str
    """Which of its samples, where it asks for what is there and for what is not; else ""."""
    findings: tuple[str, ...]
    pictures: tuple[Markup, ...]
    curves: tuple[DoseCurve, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridView:
    """One grid with the steps of its shades."""

    grid: DoseGrid
    heat: Heat
    rows: str
    columns: str


def words(knob: str) -> str:
    """Return what a knob is called."""
    return _WORDS.get(knob, knob.replace("_", " ").capitalize())


def named(knob: str) -> str:
    """Return what a knob is called within a sentence."""
    known = _WORDS.get(knob)
    return knob.replace("_", " ") if known is None else known.partition(",")[0].lower()


def level_words(knob: str, level: str | float) -> str:
    """Return a level of a knob in words: 8,000 tokens, depth 0.5, form sharded."""
    if (knob, level) in _WAYS:
        return _WAYS[knob, str(level)]
    try:
        told = _PLACES[knob].format(float(level))
        return told.removesuffix("s") if float(level) == 1 else told
    except (KeyError, ValueError):
        return (
            f"{knob.replace('_', ' ')} {level:g}" if isinstance(level, float) else f"{knob} {level}"
        )


def curve_views(analysis: Analysis) -> tuple[CurveView, ...]:
    """Return one picture for each scenario and knob."""
    grouped: dict[tuple[str, str, str], list[DoseCurve]] = {}
    for curve in analysis.doses.curves:
        grouped.setdefault((curve.scenario, curve.knob, curve.about), []).append(curve)
    return tuple(_view(analysis, *key, curves) for key, curves in grouped.items())


def _view(
    analysis: Analysis, scenario: str, knob: str, about: str, curves: Sequence[DoseCurve]
) -> CurveView:
    return CurveView(
        scenario=scenario,
        knob=knob,
        about=_ASKS[about],
        findings=curves_say(curves),
        pictures=tuple(
            figure(_chart(analysis, (scenario, knob, about), part)) for part in in_parts(curves)
        ),
        curves=tuple(curves),
    )


def _chart(analysis: Analysis, key: tuple[str, str, str], curves: Sequence[DoseCurve]) -> Curve:
    scenario, knob, about = key
    return Curve(
        title=f"{scenario}: pass rate by {named(knob)}{_ASKS[about]}",
        finding=" ".join(curves_say(curves)),
        courses=tuple(
            Course(
                name=curve.candidate,
                index=analysis.candidates.index(curve.candidate),
                spots=tuple(Spot(x=level, y=estimate) for level, estimate in curve.points),
            )
            for curve in curves
        ),
        x_title=words(knob),
        y_title=_SHARES[about],
        y_unit="percent",
        x_log=wide(level for level, _ in curves[0].points),
        dodge=True,
    )


def wide(levels: Iterable[float]) -> bool:
    """Tell whether levels span so much that they stand on a logarithmic axis; 0 has none."""
    known = list(levels)
    return min(known) > 0 and max(known) > LOG_FROM * min(known)


def curves_say(curves: Sequence[DoseCurve]) -> tuple[str, ...]:
    """Return the falls of one knob's curves, a sentence each; that there is none, else."""
    return tuple(filter(None, map(curve_says, curves))) or (NO_FALL,)


def curve_says(curve: DoseCurve) -> str:
    """Say where a candidate stands below its first level, the intervals apart."""
    places = ((level_words(curve.knob, level), estimate) for level, estimate in curve.points)
    return fall_words(curve.candidate, places)


def grid_views(analysis: Analysis) -> tuple[GridView, ...]:
    """Return the grids with their shades, which are the same for all of them."""
    known = [e.value for grid in analysis.doses.grids for row in grid.cells for e in row]
    heat = heat_of([value for value in known if value is not None] or [0.0, 1.0])
    return tuple(
        GridView(
            grid=grid,
            heat=heat,
            rows=words(grid.rows_knob),
            columns=words(grid.columns_knob),
        )
        for grid in analysis.doses.grids
    )


def pair_says(pair: DosePair) -> str:
    """Return what one pair says, where its interval does not hold zero."""
    gap = pair.difference
    if gap.value is None or gap.low is None or gap.high is None or gap.low <= 0 <= gap.high:
        return ""
    word = "fewer" if gap.value < 0 else "more"
    one, other = level_words(pair.knob, pair.other), level_words(pair.knob, pair.base)
    told = f"{pair.candidate} on {pair.scenario}: {word} pass with {one} than with {other}"
    return f"{told}, {points(gap)} points."


def aptitude_says(pair: DosePair) -> str:
    """Return P, A90 and U of both ways, in points; they are descriptions without an interval."""
    if pair.aptitude is None:
        return ""
    names = (("P", "mean"), ("A90", "aptitude"), ("U", "unreliability"))
    told = [
        f"{short} {100 * getattr(pair.aptitude[1], name):.0f}"
        f" against {100 * getattr(pair.aptitude[0], name):.0f}"
        for short, name in names
    ]
    return f"{', '.join(told)} ({many(pair.aptitude[1].n_runs, 'run')})"


def pair_findings(analysis: Analysis) -> tuple[str, ...]:
    """Return what the pairs say, the largest first; one of each candidate, scenario and knob."""
    told = [pair for pair in analysis.doses.pairs if pair_says(pair)]
    told.sort(key=lambda pair: -abs(pair.difference.value or 0.0))
    first: dict[tuple[str, str, str], DosePair] = {}
    for pair in told:
        first.setdefault((pair.candidate, pair.scenario, pair.knob), pair)
    return tuple(map(pair_says, first.values()))


def picture_findings(analysis: Analysis) -> tuple[str, ...]:
    """Return what each candidate sees of pictures and what it does not, by reasoning questions."""
    cells: dict[tuple[str, str], list[PictureCell]] = {}
    for cell in analysis.doses.pictures:
        if cell.reasoning.value is not None:
            cells.setdefault((cell.candidate, cell.scenario), []).append(cell)
    return tuple(_seen(*key, own) for key, own in cells.items())


def _seen(candidate: str, scenario: str, cells: Sequence[PictureCell]) -> str:
    order = sorted(cells, key=lambda cell: -(cell.reasoning.value or 0.0))
    told = f"{candidate} on {scenario}"
    parts = [f"{cell.content} {percent(cell.reasoning)}" for cell in order]
    below = [
        cell.content
        for cell in order[1:]
        if cell.reasoning.high is not None and cell.reasoning.high < (order[0].reasoning.low or 0.0)
    ]
    if below:
        told = f"{told} reads {order[0].content} and fails at {' and '.join(below)}"
    hidden = [
        cell.content
        for cell in order
        if cell.gap.high is not None and cell.gap.high < 0 and cell.retrieval.value is not None
    ]
    told = f"{told} (right where the picture has to be understood: {', '.join(parts)})"
    if hidden:
        told = f"{told}; captions alone would hide it for {' and '.join(hidden)}"
    return f"{told}."
