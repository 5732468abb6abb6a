"""Who can be told from whom on a benchmark: letters from corrected tests, never places.

Paired tests where two models have results on the same items; else a normal test
of the two values with their standard errors, which is weaker (shared items make
values rise and fall together) and is marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import erfc, sqrt
from typing import Literal

import numpy as np

from befit.analysis.screening_noise import LEVEL, Cell
from befit.core.screening import Neighbours, RankEntry, RankGroups
from befit.interop.benchmarks import Result
from befit.stats.distributions import z_value
from befit.stats.groups import compact_letters
from befit.stats.multiplicity import holm
from befit.stats.paired import paired_difference

MOST_MODELS = 40
"""Letters are given to so many models, the highest; more would fill pages with letters."""
MOST_NEIGHBOURS = 300
MIN_SHARED = 10
"""Items that two models must share to be compared in pairs."""
ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    p_value: float | None
    half: float | None
    """Half-width of the interval of the gap, in the table's unit."""
    paired: bool


def rank_groups(
    benchmark: str,
    cells: Mapping[str, Cell],
    results: Mapping[str, Result],
    *,
    span: float,
    rng: np.random.Generator,
) -> RankGroups:
    """Test all pairs of the highest models, correct by Holm, and give letters.

    Args:
        benchmark: its name.
        cells: model -> cell.
        results: model -> result, for results per item.
        span: best minus worst possible value (1 where there are no anchors).
        rng: for tests that need draws.
    """
    ordered = sorted(cells, key=lambda model: -cells[model].value)
    shown = ordered[:MOST_MODELS]
    gaps = {
        (a, b): _gap(cells[a], cells[b], results[a], results[b], span=span, rng=rng)
        for a, b in combinations(shown, 2)
    }
    tested = [(pair, gap.p_value) for pair, gap in gaps.items() if gap.p_value is not None]
    adjusted = holm([p for _, p in tested])
    place = {model: i for i, model in enumerate(shown)}
    significant = np.zeros((len(shown), len(shown)), dtype=bool)
    for ((a, b), _), p in zip(tested, adjusted.tolist(), strict=True):
        if p <= ALPHA:
            significant[place[a], place[b]] = significant[place[b], place[a]] = True
    letters = compact_letters(significant) if tested else ("",) * len(shown)
    n_paired = sum(gap.paired for gap in gaps.values())
    kind: Literal["all", "some", "none"] = "some" if n_paired else "none"
    return RankGroups(
        benchmark=benchmark,
        paired="all" if gaps and n_paired == len(gaps) else kind,
        entries=tuple(
            RankEntry(
                model=model,
                estimate=cells[model].estimate,
                letters=letter,
                noise=cells[model].noise,
            )
            for model, letter in zip(shown, letters, strict=True)
        ),
        neighbours=_neighbours(ordered[:MOST_NEIGHBOURS], cells, gaps),
        n_left_out=len(ordered) - len(shown),
    )


def _gap(
    a: Cell, b: Cell, left: Result, right: Result, *, span: float, rng: np.random.Generator
) -> _Gap:
    paired = _paired(left, right, span=span, rng=rng)
    if paired is not None:
        return paired
    if a.error is None or b.error is None:
        return _Gap(p_value=None, half=None, paired=False)
    error = sqrt(a.error**2 + b.error**2)
    if not error:
        return _Gap(p_value=None, half=None, paired=False)
    p = erfc(abs(a.value - b.value) / error / sqrt(2))
    return _Gap(p_value=p, half=z_value(LEVEL) * error, paired=False)


def _paired(left: Result, right: Result, *, span: float, rng: np.random.Generator) -> _Gap | None:
    if not left.by_item or not right.by_item:
        return None
    shared = [item for item in left.by_item if item in right.by_item]
    if len(shared) < MIN_SHARED:
        return None
    x = np.array([left.by_item[item] for item in shared]) / span
    y = np.array([right.by_item[item] for item in shared]) / span
    single = not left.runs and not right.runs and bool(np.isin([x, y], (0.0, 1.0)).all())
    found = paired_difference(x, y, binary_single=single, rng=rng)
    low, high = found.estimate.low, found.estimate.high
    half = None if low is None or high is None else span * (high - low) / 2
    return _Gap(p_value=found.p_value, half=half, paired=True)


def _neighbours(
    ordered: Sequence[str], cells: Mapping[str, Cell], gaps: Mapping[tuple[str, str], _Gap]
) -> tuple[Neighbours, ...]:
    found = []
    for a, b in pairwise(ordered):
        upper, lower = cells[a], cells[b]
        tested = gaps.get((a, b))
        half = tested.half if tested is not None else None
        if half is None and upper.error is not None and lower.error is not None:
            half = z_value(LEVEL) * sqrt(upper.error**2 + lower.error**2)
        runs = None
        if upper.run_error is not None and lower.run_error is not None:
            runs = z_value(LEVEL) * sqrt(upper.run_error**2 + lower.run_error**2)
        gap = upper.value - lower.value
        found.append(
            Neighbours(
                upper=a,
                lower=b,
                gap=gap,
                noise=half,
                run_noise=runs,
                within_noise=None if half is None else gap <= half,
            )
        )
    return tuple(found)
