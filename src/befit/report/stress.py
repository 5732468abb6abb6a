"""What the curves say, in lines: the terminal and Markdown have no pictures.

The page draws how results hold as tasks grow harder, conversations longer, prompts
are worded anew and settings, instances or days change; here each of these says what
it has found, one line a finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, zip_longest

from befit.analysis.results import Analysis
from befit.report import dose_view, split_view, steps_view, wording_view
from befit.report.falling import in_parts
from befit.report.html_sections import by_scenario

TITLE = "Under stress: difficulty, turns, steps, wording, settings, runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stress:
    """The lines that are shown, and how many more there are."""

    lines: tuple[str, ...]
    more: int


def stress(analysis: Analysis, *, most: int) -> Stress:
    """Return at most so many findings; each sort has its first before any has its second."""
    sorts = [list(sort) for sort in _sorts(analysis)]
    taken = [line for line in chain.from_iterable(zip_longest(*sorts)) if line is not None]
    kept = set(taken[:most])
    lines = tuple(line for sort in sorts for line in sort if line in kept)
    return Stress(lines=lines, more=len(taken) - len(lines))


def _sorts(analysis: Analysis) -> Iterable[Iterable[str]]:
    """Yield the findings by sort, in the order of the page's sections."""
    turns, chains = by_scenario(analysis.turns), by_scenario(analysis.chains)
    yield dose_view.pair_findings(analysis)
    yield (
        f"{curve.scenario} by {dose_view.named(curve.knob)}: {said}"
        for curve in analysis.doses.curves
        if (said := dose_view.curve_says(curve))
    )
    yield dose_view.picture_findings(analysis)
    yield (
        f"{name}, turn by turn: {said}"
        for name, curves in turns.items()
        for said in map(steps_view.turn_says, curves)
        if said
    )
    yield (
        f"{name}, chains: {steps_view.chains_say(part)}"
        for name, curves in chains.items()
        for part in in_parts(curves)
    )
    yield (
        said
        for cells in wording_view.widest_first(analysis)
        for said in wording_view.scenario_says(cells)
    )
    yield map(split_view.sweep_says, analysis.sweeps)
    yield (split_view.instance_says(cell) for cell in analysis.instances if cell.differ)
    yield (
        split_view.time_says(curve)
        for curve in split_view.times(analysis)
        if not split_view.is_same(curve)
    )
