"""Curves over difficulty: what happens as texts grow longer, talk gets in between, tasks are cut.

Samples say by their tags how hard they are (`tokens:2000`, `turns:8`, `form:sharded`).
A tag with numbers gives a curve of the pass rate; two of them together a grid
(length by depth). Where items of one cluster were asked in several ways, the ways
are compared as pairs, which is what tells a loss from harder items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.dose_result import DoseCurve, DoseGrid, DosePair, Doses
from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import Items, item_means
from befit.analysis.pictures import picture_cells
from befit.stats.degradation import Aptitude, aptitude, degradation

Tags = Mapping[tuple[str, str], Sequence[str]]
"""(scenario, sample id) -> the sample's tags."""
MOST_LEVELS = 24
MOST_NAMES = 12
_STYLES = ("retrieval", "reasoning")
_STYLE = "style"
_FIRST = ("full", "retrieval", "en", "list", "plain")
"""Ways of asking that others are compared with, where they are there."""
_GRIDS = (("tokens", "depth"),)
_APART = frozenset({"probe", "perturbed", "variant", "rule"})
"""Tags that say where a sample comes from, and no difficulty."""
_ABSENT = "absent"
"""The tag of samples that ask for what is not there."""
_LEAST_PAIRS = 2

Levels = dict[str, Bools]
"""Level -> mask over samples, by their code."""


def doses(frame: Frame, tags: Tags) -> Doses:
    """Return all curves, grids and pairs of a run."""
    curves: list[DoseCurve] = []
    grids: list[DoseGrid] = []
    pairs: list[DosePair] = []
    for code in range(len(frame.scenarios)):
        knobs = _knobs(frame, code, tags)
        kinds = _kinds(frame, code, tags)
        for knob, levels in knobs.items():
            if _is_numeric(levels):
                for about, kind in kinds.items():
                    curves += _curves(frame, code, knob, _within(levels, kind), about=about)
            pairs += _pairs(frame, code, knob, levels)
        there = next(iter(kinds.values()))
        for rows, columns in _GRIDS:
            both = (_within(knobs.get(rows, {}), there), _within(knobs.get(columns, {}), there))
            if all(both):
                grids += _grids(frame, code, (rows, columns), both)
    return Doses(
        curves=tuple(curves),
        grids=tuple(grids),
        pairs=tuple(pairs),
        pictures=tuple(picture_cells(frame, tags)),
    )


def _knobs(frame: Frame, code: int, tags: Tags) -> dict[str, Levels]:
    """Return the knobs of a scenario that have several levels, in the order they come."""
    name = frame.scenarios[code]
    found: dict[str, dict[str, list[int]]] = {}
    for place, info in enumerate(frame.samples):
        if info.scenario != code:
            continue
        own = tags.get((name, info.id), ())
        if info.language is not None and f"language:{info.language}" not in own:
            own = (*own, f"language:{info.language}")
        for tag in own:
            knob, mark, level = tag.partition(":")
            if tag in _STYLES:
                knob, mark, level = _STYLE, ":", tag
            if mark and level and knob not in _APART:
                found.setdefault(knob, {}).setdefault(level, []).append(place)
    knobs: dict[str, Levels] = {}
    for knob, places in found.items():
        most = MOST_LEVELS if _is_numeric(places) else MOST_NAMES
        if not _LEAST_PAIRS <= len(places) <= most:
            continue
        knobs[knob] = {}
        for level in sorted(places, key=_order):
            mask = np.zeros(len(frame.samples), dtype=np.bool_)
            mask[places[level]] = True
            knobs[knob][level] = mask
    return knobs


def _kinds(frame: Frame, code: int, tags: Tags) -> dict[str, Bools]:
    """Return the samples that ask for what is there, and for what is not: no curve mixes them."""
    name = frame.scenarios[code]
    home = frame.home == code
    marked = [_ABSENT in tags.get((name, info.id), ()) for info in frame.samples]
    absent = np.array(marked, dtype=np.bool_) & home
    there = home & ~absent
    if not absent.any() or not there.any():
        return {"": home}
    return {"there": there, "not there": absent}


def _within(levels: Levels, kind: Bools) -> Levels:
    """Return the levels of one kind of samples; none where they are not several."""
    own = {level: mask & kind for level, mask in levels.items() if (mask & kind).any()}
    return own if len(own) >= _LEAST_PAIRS else {}


def _order(level: str) -> tuple[float, int, str]:
    number = _number(level)
    if number is not None:
        return number, 0, ""
    return 0.0, _FIRST.index(level) if level in _FIRST else len(_FIRST), level


def _number(level: str) -> float | None:
    try:
        number = float(level)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _is_numeric(levels: Mapping[str, object]) -> bool:
    return all(_number(level) is not None for level in levels)


def _curves(
    frame: Frame, code: int, knob: str, levels: Levels, *, about: str
) -> Iterator[DoseCurve]:
    if not levels:
        return
    items = {level: item_means(frame, (code,), "pass", keep=mask) for level, mask in levels.items()}
    for place, candidate in enumerate(frame.candidates):
        yield DoseCurve(
            candidate=candidate,
            scenario=frame.scenarios[code],
            knob=knob,
            points=tuple((float(level), one.estimate(place)) for level, one in items.items()),
            about=about,
        )


def _grids(
    frame: Frame, code: int, names: tuple[str, str], levels: tuple[Levels, Levels]
) -> Iterator[DoseGrid]:
    items: list[list[Items]] = [
        [item_means(frame, (code,), "pass", keep=row & column) for column in levels[1].values()]
        for row in levels[0].values()
    ]
    for place, candidate in enumerate(frame.candidates):
        yield DoseGrid(
            candidate=candidate,
            scenario=frame.scenarios[code],
            rows_knob=names[0],
            columns_knob=names[1],
            rows=tuple(float(level) for level in levels[0]),
            columns=tuple(float(level) for level in levels[1]),
            cells=tuple(tuple(cell.estimate(place) for cell in row) for row in items),
        )


def _pairs(frame: Frame, code: int, knob: str, levels: Levels) -> Iterator[DosePair]:
    """Yield each way of asking against the first, over the clusters that were asked both ways."""
    items = item_means(frame, (code,), "pass")
    clusters = frame.cluster[items.samples]
    base, *others = levels
    for place, candidate in enumerate(frame.candidates):
        values, trials = items.mean[place], items.n_trials[place]
        first = _by_cluster(values, clusters, levels[base][items.samples])
        for other in others:
            mask = levels[other][items.samples]
            second = _by_cluster(values, clusters, mask)
            shared = sorted(first.keys() & second.keys())
            if len(shared) < _LEAST_PAIRS:
                continue
            used = np.isin(clusters, shared) & (mask | levels[base][items.samples])
            found = degradation(
                [second[one] for one in shared],
                [first[one] for one in shared],
                n_trials=int(trials[used].sum()),
            )
            yield DosePair(
                candidate=candidate,
                scenario=frame.scenarios[code],
                knob=knob,
                base=base,
                other=other,
                at_base=found.whole,
                at_other=found.other,
                difference=found.difference,
                kept=found.kept,
                aptitude=_aptitudes(frame, (code, place), (levels[base], levels[other]), shared),
            )


def _aptitudes(
    frame: Frame, cell: tuple[int, int], masks: tuple[Bools, Bools], shared: Sequence[int]
) -> tuple[Aptitude, Aptitude] | None:
    """Return P, A90 and U of both ways over the same items; None below ten repeats."""
    found: list[Aptitude] = []
    rows = frame.rows(candidate=cell[1], scenario=cell[0]) & (frame.variant == 0)
    rows &= (frame.status != MISSING) & ~np.isnan(frame.passed)
    rows &= np.isin(frame.cluster[frame.sample], shared)
    for mask in masks:
        chosen = np.flatnonzero(rows & mask[frame.sample])
        if not len(chosen):
            return None
        _, item = np.unique(frame.cluster[frame.sample[chosen]], return_inverse=True)
        table = np.full((int(item.max()) + 1, int(frame.repeat[chosen].max()) + 1), np.nan)
        table[item, frame.repeat[chosen]] = frame.passed[chosen]
        one = aptitude(table)
        if one.aptitude is None:
            return None
        found.append(one)
    return found[0], found[1]


def _by_cluster(values: Floats, clusters: Ints, mask: Bools) -> dict[int, float]:
    """Return the mean of each cluster over the samples in `mask` that have a value."""
    found: dict[int, list[float]] = {}
    for value, cluster, inside in zip(values, clusters, mask, strict=True):
        if inside and not np.isnan(value):
            found.setdefault(int(cluster), []).append(float(value))
    return {cluster: sum(own) / len(own) for cluster, own in found.items()}
