"""Which instances answered a candidate's calls, and whether they answer alike.

An instance is what the provider says of itself: the served model, its system
fingerprint, and the provider, region and session of the headers. Trials are split by
each of them; on samples that several instances answered, a permutation test tells a
difference between them from chance. Ways of splitting that part the same trials are
one way with several names; p-values are adjusted over the ways (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from befit.analysis.answerers import Instance
from befit.analysis.cells import rows_by_cell
from befit.analysis.columns import Ints
from befit.analysis.frame import MISSING, Frame
from befit.analysis.split_result import InstanceCell
from befit.core.estimate import Estimate
from befit.stats.instances import instance_test
from befit.stats.means import estimate_mean
from befit.stats.multiplicity import holm

MOST = 12
"""Instances of one kind; what has more (an id of its own for each call) is no instance."""


def instance_cells(frame: Frame) -> tuple[InstanceCell, ...]:
    """Return the cells in which more than one instance answered."""
    if len(frame.instances) < 2:  # noqa: PLR2004 - one instance is no split
        return ()
    found: list[InstanceCell] = []
    for place, rows in rows_by_cell(frame).items():
        found += _adjusted(list(_splits(frame, rows, *place)))
    return tuple(found)


def _splits(frame: Frame, rows: Ints, scenario: int, candidate: int) -> Iterator[InstanceCell]:
    """Yield a cell for each kind of instance of which a candidate met several."""
    kept = (frame.variant[rows] == 0) & (frame.status[rows] != MISSING)
    rows = rows[kept & ~np.isnan(frame.passed[rows]) & (frame.instance[rows] >= 0)]
    ways: dict[bytes, tuple[list[str], list[str], Ints]] = {}
    for field, kind in enumerate(Instance._fields):
        told = [instance[field] for instance in frame.instances]
        names = sorted({name for name in told if name is not None})
        code_of = {name: code for code, name in enumerate(names)}
        codes = np.array([-1 if name is None else code_of[name] for name in told], dtype=np.int64)
        way = codes[frame.instance[rows]]
        if not 1 < len(np.unique(way[way >= 0])) <= MOST:
            continue
        same = ways.setdefault(_partition(way), ([], names, way))
        same[0].append(kind.replace("_", " "))
    for kinds, names, way in ways.values():
        yield _cell(frame, (scenario, candidate), rows[way >= 0], " and ".join(kinds),
                    names, way[way >= 0])  # fmt: skip


def _partition(way: Ints) -> bytes:
    """Return which trials belong together, whatever the parts are called."""
    _, first, inverse = np.unique(way, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].tobytes()


def _cell(
    frame: Frame, place: tuple[int, int], rows: Ints, kind: str, names: list[str], way: Ints
) -> InstanceCell:
    test = instance_test(frame.passed[rows], frame.sample[rows], way, rng=np.random.default_rng(0))
    return InstanceCell(
        candidate=frame.candidates[place[1]],
        scenario=frame.scenarios[place[0]],
        kind=kind,
        instances=tuple((names[code], _rate(frame, rows[way == code])) for code in np.unique(way)),
        spread=None if test is None else test.spread,
        p_value=None if test is None else test.p_value,
        n_shared=0 if test is None else test.n_trials,
    )


def _adjusted(cells: list[InstanceCell]) -> list[InstanceCell]:
    tested = [cell for cell in cells if cell.p_value is not None]
    adjusted = dict(zip(map(id, tested), holm([c.p_value or 0.0 for c in tested]), strict=True))
    return [
        replace(cell, p_value=float(adjusted[id(cell)])) if id(cell) in adjusted else cell
        for cell in cells
    ]


def _rate(frame: Frame, rows: Ints) -> Estimate:
    """Return the mean over the samples an instance answered: these are no mix of the traffic."""
    codes, place = frame.samples_of(rows)
    means = np.bincount(place, weights=frame.passed[rows]) / np.bincount(place)
    found = estimate_mean(
        means,
        n_trials=len(rows),
        n_missing=0,
        binary=False,
        clusters=frame.clusters_of(codes),
    )
    if frame.weights_of(codes) is None:
        return found
    return replace(found, method=f"{found.method}, each sample alike")
