"""Curves over the turns of conversations and the steps of chains, as pictures."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from befit.analysis.results import Analysis, ChainCurve, TurnCurve
from befit.charts.curve import Course, Curve, Spot
from befit.charts.figure import figure
from befit.report.falling import NO_FALL, fall_words, in_parts
from befit.report.numbers import percent

MANY_TURNS = 12
"""More turns than this, and their table is to be opened."""
_LEAST = 2
"""Turns, or steps, from which on there is a course to draw."""


def turn_picture(analysis: Analysis, curves: Sequence[TurnCurve]) -> tuple[Markup, ...]:
    """Return how answers of one scenario hold turn by turn; nothing where there is one turn."""
    if max(len(curve.turns) for curve in curves) < _LEAST:
        return ()
    return tuple(figure(_turns(analysis, part)) for part in in_parts(curves))


def _turns(analysis: Analysis, curves: Sequence[TurnCurve]) -> Curve:
    return Curve(
        title=f"{curves[0].scenario}: answers that hold at each turn",
        finding=" ".join(turns_say(curves)),
        courses=tuple(
            Course(
                name=curve.candidate,
                index=analysis.candidates.index(curve.candidate),
                spots=tuple(Spot(x=float(turn), y=held) for turn, held in curve.turns),
            )
            for curve in curves
        ),
        x_title="Turn",
        y_title="Answers that hold",
        y_unit="percent",
        dodge=True,
    )


def turns_say(curves: Sequence[TurnCurve]) -> tuple[str, ...]:
    """Return what the turns of one scenario say, a sentence a fall; that there is none, else."""
    return tuple(filter(None, map(turn_says, curves))) or (NO_FALL,)


def turn_says(curve: TurnCurve) -> str:
    """Say at which turn a candidate is first below its first turn, the intervals apart."""
    return fall_words(curve.candidate, ((f"turn {turn}", held) for turn, held in curve.turns))


def chain_picture(analysis: Analysis, curves: Sequence[ChainCurve]) -> tuple[Markup, ...]:
    """Return the chains of one scenario that are whole after each step (Kaplan-Meier)."""
    longest = max(curve.longest for curve in curves)
    if longest < _LEAST:
        return ()
    return tuple(figure(_chains(analysis, part)) for part in in_parts(curves))


def _chains(analysis: Analysis, curves: Sequence[ChainCurve]) -> Curve:
    return Curve(
        title=f"{curves[0].scenario}: chains still whole after each step",
        finding=chains_say(curves),
        courses=tuple(
            Course(
                name=curve.candidate,
                index=analysis.candidates.index(curve.candidate),
                spots=tuple(_steps(curve)),
            )
            for curve in curves
        ),
        x_title="Step",
        y_title="Chains still whole",
        y_unit="percent",
        dodge=True,
    )


def chains_say(curves: Sequence[ChainCurve]) -> str:
    """Return how many chains of each candidate are whole at the end, in a sentence."""
    ends = [
        (curve, percent(curve.points[-1].alive if curve.points else curve.unbroken))
        for curve in curves
    ]
    told = "; ".join(f"{curve.candidate} {alive}" for curve, alive in ends)
    if len({curve.longest for curve in curves}) == 1:
        return f"Whole after step {curves[0].longest}: {told}."
    told = "; ".join(f"{c.candidate} {alive} after step {c.longest}" for c, alive in ends)
    return f"Whole: {told}."


def _steps(curve: ChainCurve) -> list[Spot]:
    """Return the survival after every step: between the steps at which chains broke it stays."""
    at, whole = {point.step: point.alive for point in curve.points}, curve.unbroken
    spots = [Spot(x=0.0, y=whole)]
    for step in range(1, curve.longest + 1):
        whole = at.get(step, whole)
        spots.append(Spot(x=float(step), y=whole))
    return spots
