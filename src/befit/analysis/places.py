"""Where a row belongs: from the names in a score row to its row in the frame.

A slot's names become one integer (candidate, sample, variant, repeat), and a
sorted list of those finds any number of rows at once: one search in C instead
of a dictionary with a million keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from befit.analysis.columns import Codes, Ints, places
from befit.core.landed import Coded, ScoreRow

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""Some narrow rows of the store as columns, by the names of their fields."""

_REPEAT_BITS, _VARIANT_BITS, _SAMPLE_BITS = 12, 12, 24


def pack_places(candidate: Ints, sample: Ints, variant: Ints, repeat: Ints) -> Ints:
    """Return one integer per slot (14, 24, 12 and 12 bits)."""
    packed = (candidate << _SAMPLE_BITS) | sample
    packed = (packed << _VARIANT_BITS) | variant
    return np.asarray((packed << _REPEAT_BITS) | repeat, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """The codes of a run's names, and the rows of its slots sorted by place."""

    candidates: Codes
    scenarios: Codes
    variants: Codes
    samples: Mapping[int, Mapping[str, int]]
    """Scenario code -> sample id -> sample code."""
    ordered: Ints
    rows: Ints

    def locate(self, scores: Sequence[ScoreRow]) -> Ints:
        """Return the frame row of each score, -1 where it has none."""
        if not scores:
            return np.empty(0, dtype=np.int64)
        columns = zip(*scores, strict=True)
        return self.locate_columns(dict(zip(ScoreRow._fields, columns, strict=True)))

    def locate_columns(self, scores: Columns) -> Ints:
        """Return the frame row of each score, given as columns of `ScoreRow`."""
        if not len(self.ordered):
            return np.full(len(scores["name"]), -1, dtype=np.int64)
        samples = self._samples(scores["scenario"], scores["sample_id"])
        candidates = _codes(self.candidates, scores["candidate"])
        variants = _codes(self.variants, scores["variant"])
        known = (samples >= 0) & (candidates >= 0) & (variants >= 0)
        repeats = np.array(scores["repeat"], dtype=np.int64)
        packed = pack_places(candidates, samples, variants, repeats)
        at = np.minimum(np.searchsorted(self.ordered, packed), len(self.ordered) - 1)
        return np.where(known & (self.ordered[at] == packed), self.rows[at], -1)

    def _samples(self, scenarios: Sequence[str], ids: Sequence[str]) -> Ints:
        if isinstance(scenarios, Coded) and len(scenarios.names) == 1:
            return _codes(self.samples.get(self.scenarios.get(scenarios[0], -1), {}), ids)
        if scenarios.count(scenarios[0]) == len(scenarios):
            return _codes(self.samples.get(self.scenarios.get(scenarios[0], -1), {}), ids)
        homes = (self.samples.get(self.scenarios.get(name, -1), {}) for name in scenarios)
        pairs = zip(homes, ids, strict=True)
        return np.array([home.get(sample_id, -1) for home, sample_id in pairs], dtype=np.int64)


def _codes(known: Mapping[Any, int], names: Iterable[Any]) -> Ints:
    if isinstance(names, Coded):
        return _codes(known, names.names)[places(names)]
    return np.array([-1 if (code := known.get(name)) is None else code for name in names], "q")
