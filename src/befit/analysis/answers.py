"""The answers of a cell that this run measured: masked once, and each column ranked once.

A reused answer keeps the latency it had, which is no measurement of today. Whoever
wants several quantiles of a column, or the same column twice, pays for it once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.frame import MISSING, Frame
from befit.core.estimate import Estimate, not_measured
from befit.stats.quantiles import Ranked

ALL_REUSED = "all answers were reused from an earlier run"
UNSEEN = "not visible in the answers"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """The known values of a column, ranked."""

    ranked: Ranked
    clusters: Ints
    """Cluster of the sample of each value."""
    weights: Floats | None
    """Weight of the sample of each value; None where all weigh the same."""
    n_samples: int


class Answers:
    """The measured answers among some rows of a frame, and quantiles of their columns."""

    def __init__(self, frame: Frame, *, rows: Bools | None = None) -> None:
        lost = frame.status == MISSING
        there = ~lost if rows is None else rows & ~lost
        self.frame = frame
        self.n_missing = int(lost.sum() if rows is None else (rows & lost).sum())
        self.fresh: Bools = there & ~frame.reused
        self.all_reused = bool(there.any()) and not self.fresh.any()
        self._columns: dict[str, Column | None] = {}

    def values(self, name: str) -> Floats:
        """Return a column of the frame, or `due`: seconds from when a call was due."""
        numbers = self.frame.numbers
        return numbers["latency"] + numbers["waited"] if name == "due" else numbers[name]

    def quantile(self, name: str, q: float, *, level: float = 0.95) -> Estimate:
        """Return a quantile of a column over the measured answers; samples weigh and cluster."""
        column = self.column(name)
        if column is None:
            return not_measured(self._why(), n_missing=self.n_missing)
        return column.ranked.estimate(
            q, n_samples=column.n_samples, n_missing=self.n_missing, level=level
        )

    def _why(self) -> str:
        if self.all_reused:
            return ALL_REUSED
        return UNSEEN if self.fresh.any() else "no answers"

    def column(self, name: str) -> Column | None:
        """Return a column's known values; None where there are none."""
        if name == "due" and not self.frame.numbers["waited"].any():
            return self.column("latency")
        if name not in self._columns:
            self._columns[name] = self.ranked(self.values(name))
        return self._columns[name]

    def ranked(self, values: Floats) -> Column | None:
        """Rank a column (one value per row of the frame); None where no value is known."""
        kept = self.fresh & ~np.isnan(values)
        samples = self.frame.sample[kept]
        if not samples.size:
            return None
        clusters, weights = self.frame.cluster[samples], self.frame.weights_of(samples)
        return Column(
            ranked=Ranked(values[kept], clusters=clusters, weights=weights),
            clusters=clusters,
            weights=weights,
            n_samples=int(np.count_nonzero(np.bincount(samples))),
        )
