"""Which instances answered a candidate's calls, and whether they answer alike.

An instance is what the provider says of itself: the served model and its system
fingerprint. Trials are split by it; on samples that several instances answered, a
permutation test tells a difference between them from chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from befit.analysis.columns import Bools
from befit.analysis.frame import MISSING, Frame
from befit.analysis.split_result import InstanceCell
from befit.core.estimate import Estimate
from befit.stats.instances import instance_test
from befit.stats.means import estimate_mean

MOST = 12


def instance_cells(frame: Frame) -> tuple[InstanceCell, ...]:
    """Return the cells in which more than one instance answered."""
    return tuple(_cells(frame))


def _cells(frame: Frame) -> Iterator[InstanceCell]:
    for scenario, name in enumerate(frame.scenarios):
        for candidate, who in enumerate(frame.candidates):
            mask = frame.rows(candidate=candidate, scenario=scenario) & (frame.variant == 0)
            mask &= (frame.status != MISSING) & ~np.isnan(frame.passed) & (frame.instance >= 0)
            codes = np.unique(frame.instance[mask])
            if not 1 < len(codes) <= MOST:
                continue
            test = instance_test(
                frame.passed[mask],
                frame.sample[mask],
                frame.instance[mask],
                rng=np.random.default_rng(0),
            )
            yield InstanceCell(
                candidate=who,
                scenario=name,
                instances=tuple(
                    (frame.instances[code], _rate(frame, mask & (frame.instance == code)))
                    for code in codes
                ),
                spread=None if test is None else test.spread,
                p_value=None if test is None else test.p_value,
                n_shared=0 if test is None else test.n_trials,
            )


def _rate(frame: Frame, mask: Bools) -> Estimate:
    rows = np.flatnonzero(mask)
    _, place = frame.samples_of(rows)
    means = np.bincount(place, weights=frame.passed[rows]) / np.bincount(place)
    return estimate_mean(means, n_trials=len(rows), n_missing=0, binary=False)
