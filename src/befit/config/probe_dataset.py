"""Samples of a pack of probes: `samples: {probe: reasoning, n: 40, seed: 1}`."""

from __future__ import annotations

from collections.abc import Iterator

from befit.config.schema import ProbeSamples
from befit.core.sample import Sample
from befit.probes.pack import generate
from befit.probes.packs import pack


class ProbeDataset:
    """Makes its samples anew at each reading, always the same ones.

    Raises:
        UsageError: no such pack, no such knob, or a value out of its range.
    """

    def __init__(self, asked: ProbeSamples) -> None:
        self._asked = asked
        self._pack = pack(asked.probe)
        self._pack.settings(asked.knobs)
        self.name = f"probe {asked.probe}, seed {asked.seed}"

    def load(self) -> Iterator[Sample]:
        """Yield the samples."""
        asked = self._asked
        yield from generate(self._pack, seed=asked.seed, n=asked.n, knobs=asked.knobs)
