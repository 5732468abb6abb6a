"""Where a row belongs: from the names in a score row to its row in the frame.

A slot's names become one integer (candidate, sample, variant, repeat), and a
sorted list of those finds any number of rows at once: one search in C instead
of a dictionary with a million keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Codes, Ints
from befit.core.landed import ScoreRow

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
    samples: dict[tuple[int, str], int]
    """(scenario code, sample id) -> sample code."""
    ordered: Ints
    rows: Ints

    def locate(self, scores: Sequence[ScoreRow]) -> Ints:
        """Return the frame row of each score, -1 where it has none."""
        if not scores or not len(self.ordered):
            return np.full(len(scores), -1, dtype=np.int64)
        candidate, scenario, sample_id, variant, repeat, *_ = zip(*scores, strict=True)
        keys = zip((self.scenarios.get(name, -1) for name in scenario), sample_id, strict=True)
        samples = np.array([self.samples.get(key, -1) for key in keys], dtype=np.int64)
        candidates = np.array([self.candidates.get(name, -1) for name in candidate], dtype=np.int64)
        variants = np.array([self.variants.get(name, -1) for name in variant], dtype=np.int64)
        known = (samples >= 0) & (candidates >= 0) & (variants >= 0)
        places = pack_places(candidates, samples, variants, np.asarray(repeat, dtype=np.int64))
        at = np.minimum(np.searchsorted(self.ordered, places), len(self.ordered) - 1)
        return np.where(known & (self.ordered[at] == places), self.rows[at], -1)
