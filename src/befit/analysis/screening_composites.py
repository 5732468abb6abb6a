"""Composites and their doubts: who wins under which weights, and with which noise.

Benchmarks enter on their fixed anchors, never scaled by the models at hand. A
missing cell makes an interval; models that lack one are shown beside the
ranking, not in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.screening_noise import Cell, weighted
from befit.core.screening import (
    Composite,
    CompositeEntry,
    CompositeSettings,
    Flip,
    Segment,
    Sweep,
)
from befit.interop.benchmarks import BenchmarkTable
from befit.stats.arrays import Floats
from befit.stats.smaa import WeightSensitivity, smaa, smallest_flip

MOST_MODELS = 30
MOST_BENCHMARKS, FEWEST_BENCHMARKS = 24, 6
MOST_CELLS = 40_000
DRAWS = 10_000
TAIL = 0.025
TOP = 3
MIN_MODELS = 3
DEFAULT = "equal weights"

Cells = Mapping[str, Mapping[str, Cell]]


def depth(table: BenchmarkTable) -> int:
    """Return how many benchmarks are looked at in depth where nobody asks about them."""
    return min(MOST_BENCHMARKS, max(FEWEST_BENCHMARKS, MOST_CELLS // max(1, len(table.models))))


def composite_weights(
    table: BenchmarkTable, asked: Mapping[str, CompositeSettings]
) -> dict[str, dict[str, float]]:
    """Return the weights (sum 1) of every composite asked for, or of one by default.

    By default it is the mean of those benchmarks with anchors that give the
    largest block without holes (benchmarks x models); averages of other
    benchmarks stay outside. No composite where fewer than two benchmarks or
    three models are left.

    Raises:
        ValueError: with the reason, where weights name what cannot be weighted.
    """
    if not asked:
        names = _fullest_block(table)
        return {DEFAULT: {name: 1 / len(names) for name in names}} if names else {}
    return {name: _stated(table, name, about) for name, about in asked.items()}


def _usable(table: BenchmarkTable) -> list[str]:
    return [
        name
        for name, about in table.settings.items()
        if about.anchors is not None and not about.aggregate and table.results[name]
    ]


def _stated(table: BenchmarkTable, name: str, about: CompositeSettings) -> dict[str, float]:
    weights = about.weights or dict.fromkeys(_usable(table), 1.0)
    for key, weight in weights.items():
        if key not in table.results:
            raise ValueError(f"composite '{name}': no benchmark '{key}' in the table")
        if table.settings[key].anchors is None:
            raise ValueError(f"composite '{name}': '{key}' has no scale; state it to weigh it")
        if weight < 0:
            raise ValueError(f"composite '{name}': the weight of '{key}' is below 0")
    total = sum(weights.values())
    if not total > 0:
        raise ValueError(f"composite '{name}': all weights are 0")
    return {key: weight / total for key, weight in weights.items() if weight > 0}


def _fullest_block(table: BenchmarkTable) -> list[str]:
    """Return the benchmarks, most reported first, whose complete models make the largest block."""
    names = sorted(_usable(table), key=lambda name: -len(table.results[name]))[: depth(table)]
    best: tuple[int, int] = (0, 0)
    common = set(table.models)
    for count, name in enumerate(names, start=1):
        common = common & table.results[name].keys()
        if count > 1 and len(common) >= MIN_MODELS and count * len(common) > best[0]:
            best = (count * len(common), count)
    return names[: best[1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The complete models that take part in the draws."""

    models: tuple[str, ...]
    scores: Floats
    errors: Floats
    weights: Floats


def composite(
    table: BenchmarkTable,
    cells: Cells,
    weights: Mapping[str, float],
    *,
    name: str,
    stated: bool,
    rng: np.random.Generator,
) -> Composite:
    """Return one composite with interval, acceptability, flip and sweeps.

    Args:
        table: all results.
        cells: cells of the benchmarks.
        weights: benchmark -> weight, sum 1.
        name: of the composite.
        stated: whether a person stated the weights.
        rng: for the draws of weights and scores.
    """
    bounds = {model: _bounds(table, cells, weights, model) for model in table.models}
    present = {model: b for model, b in bounds.items() if b[2] < len(weights)}
    whole = sorted((m for m, b in present.items() if not b[2]), key=lambda m: -present[m][0])
    drawn = _drawn(whole, cells, weights)
    block = _block(table, drawn, cells, weights)
    found = None
    if len(drawn) > 1:
        found = smaa(block.scores, rng=rng, weights=block.weights, errors=block.errors, draws=DRAWS)
    partial = sorted((m for m, b in present.items() if b[2]), key=lambda m: -present[m][1])
    entries = [_entry(m, present[m], drawn, found, tuple(weights)) for m in (*whole, *partial)]
    flip = smallest_flip(block.scores, block.weights) if len(drawn) > 1 else None
    keys = tuple(weights)
    return Composite(
        name=name,
        weights=dict(weights),
        stated=stated,
        entries=tuple(entries),
        n_left_out=len(whole) - len(drawn),
        first=whole[0] if whole else None,
        tau_mean=None if found is None else found.tau_mean,
        tau_low=None if found is None else found.tau_low,
        flip=None
        if flip is None
        else Flip(
            benchmark=keys[flip.dimension],
            stated=weights[keys[flip.dimension]],
            weight=flip.weight,
            winner=drawn[flip.winner],
        ),
        sweeps=tuple(_sweep(block, d, keys[d]) for d in range(len(keys)))
        if len(drawn) > 1 and len(keys) > 1
        else (),
    )


def _bounds(
    table: BenchmarkTable, cells: Cells, weights: Mapping[str, float], model: str
) -> tuple[float, float, int]:
    """Return lowest and highest composite without noise (0 to 100), and missing cells."""
    low = high = 0.0
    missing = 0
    for name, weight in weights.items():
        cell, anchors = cells[name].get(model), table.settings[name].anchors
        if cell is None or anchors is None:
            missing += 1
            high += weight
            continue
        share = weight * (cell.value - anchors[0]) / (anchors[1] - anchors[0])
        low, high = low + share, high + share
    return 100 * low, 100 * high, missing


def _drawn(whole: Sequence[str], cells: Cells, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the models that take part: the highest, and the best on each benchmark."""
    kept = dict.fromkeys(whole[:MOST_MODELS])
    if len(whole) > MOST_MODELS:
        for name in weights:
            kept[max(whole, key=lambda model: cells[name][model].value)] = None
    return tuple(kept)


def _block(
    table: BenchmarkTable, models: Sequence[str], cells: Cells, weights: Mapping[str, float]
) -> _Block:
    scores = np.zeros((len(models), len(weights)))
    errors = np.zeros_like(scores)
    for d, name in enumerate(weights):
        anchors = table.settings[name].anchors or (0.0, 1.0)
        span = anchors[1] - anchors[0]
        for i, model in enumerate(models):
            cell = cells[name][model]
            scores[i, d] = (cell.value - anchors[0]) / span
            errors[i, d] = (cell.error or 0.0) / span
    return _Block(
        models=tuple(models),
        scores=scores,
        errors=errors,
        weights=np.array(list(weights.values())),
    )


def _entry(
    model: str,
    bounds: tuple[float, float, int],
    drawn: Sequence[str],
    found: WeightSensitivity | None,
    names: Sequence[str],
) -> CompositeEntry:
    low, high, missing = bounds
    if found is None or model not in drawn:
        return CompositeEntry(model=model, low=low, high=high, n_missing=missing)
    place = list(drawn).index(model)
    chances = found.acceptability[place]
    total = np.cumsum(chances)
    central = found.central_weights[place]
    return CompositeEntry(
        model=model,
        low=low,
        high=high,
        n_missing=missing,
        p_first=float(chances[0]),
        p_top3=float(chances[:TOP].sum()),
        ranks=(
            int(np.searchsorted(total, TAIL)) + 1,
            min(int(np.searchsorted(total, 1 - TAIL)) + 1, len(drawn)),
        ),
        central_weights={}
        if bool(np.isnan(central).any())
        else dict(zip(names, central.tolist(), strict=True)),
    )


def _sweep(block: _Block, dimension: int, name: str) -> Sweep:
    """Return who is first along one weight: an upper envelope of straight lines."""
    stated = float(block.weights[dimension])
    if stated >= 1:
        return Sweep(benchmark=name, stated=stated, segments=())
    own = block.scores[:, dimension]
    rest = (block.scores @ block.weights - stated * own) / (1 - stated)
    slope = own - rest
    edges, at = [0.0], 0.0
    winners: list[int] = []
    current = _first(rest, slope)
    while True:
        winners.append(current)
        crossing, after = _next(rest, slope, current, at)
        if crossing is None:
            break
        edges.append(crossing)
        at, current = crossing, after
    edges.append(1.0)
    return Sweep(
        benchmark=name,
        stated=stated,
        segments=tuple(
            Segment(low=edges[i], high=edges[i + 1], winner=block.models[winner])
            for i, winner in enumerate(winners)
        ),
    )


def _first(rest: Floats, slope: Floats) -> int:
    top = np.flatnonzero(rest == rest.max())
    return int(top[np.argmax(slope[top])])


def _next(rest: Floats, slope: Floats, current: int, at: float) -> tuple[float | None, int]:
    """Return where the present winner is overtaken next, and by whom."""
    faster = slope > slope[current]
    if not faster.any():
        return None, current
    crossing = np.full(len(rest), np.inf)
    crossing[faster] = (rest[current] - rest[faster]) / (slope[faster] - slope[current])
    crossing[crossing < at] = at
    nearest = float(crossing.min())
    if nearest >= 1:
        return None, current
    tied = np.flatnonzero(crossing == nearest)
    return nearest, int(tied[np.argmax(slope[tied])])


def composite_value(
    table: BenchmarkTable, cells: Cells, weights: Mapping[str, float], model: str
) -> float | None:
    """Return a complete model's composite (0 to 100), None where a cell is missing."""
    own = {name: cells[name].get(model) for name in weights}
    return weighted(own, weights, table.settings).estimate.value
