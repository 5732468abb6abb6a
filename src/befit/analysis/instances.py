"""Which instances answered a candidate's calls, and whether they answer alike.

An instance is what the provider says of itself: the served model and its system
fingerprint. Trials are split by it; on samples that several instances answered, a
permutation test tells a difference between them from chance.
"""

from __future__ import annotations

import numpy as np

from befit.analysis.cells import rows_by_cell
from befit.analysis.columns import Ints
from befit.analysis.frame import MISSING, Frame
from befit.analysis.split_result import InstanceCell
from befit.core.estimate import Estimate
from befit.stats.instances import instance_test
from befit.stats.means import estimate_mean

MOST = 12


def instance_cells(frame: Frame) -> tuple[InstanceCell, ...]:
    """Return the cells in which more than one instance answered."""
    if len(frame.instances) < 2:  # noqa: PLR2004 - one instance is no split
        return ()
    cells = (_split(frame, rows, *place) for place, rows in rows_by_cell(frame).items())
    return tuple(cell for cell in cells if cell is not None)


def _split(frame: Frame, rows: Ints, scenario: int, candidate: int) -> InstanceCell | None:
    kept = (frame.variant[rows] == 0) & (frame.status[rows] != MISSING)
    rows = rows[kept & ~np.isnan(frame.passed[rows]) & (frame.instance[rows] >= 0)]
    instance = frame.instance[rows]
    codes = np.unique(instance)
    if not 1 < len(codes) <= MOST:
        return None
    test = instance_test(
        frame.passed[rows], frame.sample[rows], instance, rng=np.random.default_rng(0)
    )
    return InstanceCell(
        candidate=frame.candidates[candidate],
        scenario=frame.scenarios[scenario],
        instances=tuple(
            (frame.instances[code], _rate(frame, rows[instance == code])) for code in codes
        ),
        spread=None if test is None else test.spread,
        p_value=None if test is None else test.p_value,
        n_shared=0 if test is None else test.n_trials,
    )


def _rate(frame: Frame, rows: Ints) -> Estimate:
    _, place = frame.samples_of(rows)
    means = np.bincount(place, weights=frame.passed[rows]) / np.bincount(place)
    return estimate_mean(means, n_trials=len(rows), n_missing=0, binary=False)
