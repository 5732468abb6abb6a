"""A pack of probes written as an ordinary sample file, and the scenario that goes with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from befit.core.sample import Sample
from befit.core.scenario import Scenario
from befit.datasets.files import FileDataset
from befit.datasets.write import write_samples
from befit.errors import DataError
from befit.probes.faults import failure_modes, success_of
from befit.probes.pack import Pack, generate
from befit.probes.packs import pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What was written."""

    pack: str
    path: Path
    n_samples: int
    n_items: int
    """Items: samples of one item share a cluster."""
    scenario: str
    """The scenario for `befit.yaml`, as text."""


def generate_file(
    name: str,
    out: Path,
    *,
    seed: int,
    n: int,
    knobs: Mapping[str, str],
    wrap: Path | Scenario | None = None,
) -> Generated:
    """Write the samples of a pack.

    Args:
        name: the pack.
        out: a `.jsonl` file.
        seed: the same seed gives the same samples.
        n: items; all samples of `wrap` where it is given.
        knobs: knob -> value, or several values with commas between, which take turns.
        wrap: a sample file or a scenario of the user's, whose samples are wrapped.

    Raises:
        UsageError: an unknown pack or knob, a value out of range.
        DataError: the file cannot be written.
        ProjectError: `wrap` cannot be read.
    """
    chosen = pack(name)
    wrapped = _wrapped(wrap)
    samples = list(generate(chosen, seed=seed, n=n, knobs=knobs, wrap=wrapped))
    count = write_samples(out, samples)
    return Generated(
        pack=name,
        path=out,
        n_samples=count,
        n_items=len({sample.cluster or sample.id for sample in samples}),
        scenario=scenario_of(chosen, str(out), scorers={c.name for s in samples for c in s.checks}),
    )


def _wrapped(wrap: Path | Scenario | None) -> tuple[Sample, ...]:
    if wrap is None:
        return ()
    dataset = FileDataset(wrap) if isinstance(wrap, Path) else wrap.samples
    samples = tuple(dataset.load())
    if not samples:
        raise DataError("there are no samples to wrap", where=wrap.name)
    return samples


def scenario_of(chosen: Pack, samples: str, *, scorers: Collection[str]) -> str:
    """Return the scenario of a pack; its samples bear their own checks, tools and worlds."""
    steps = "  caps: {steps: 30}\n" if chosen.name == "chains" else ""
    modes = "".join(
        f"    - {{name: {mode.name}, label: {mode.label}}}\n"
        for mode in failure_modes(chosen.name, among=scorers)
    )
    return (
        f"- name: {chosen.name}\n"
        f"  dimension: {chosen.dimension}\n"
        f"  success: {_quoted(success_of(chosen))}\n"
        f"{steps}"
        f"  samples: {_quoted(samples)}\n"
        f"  failure_modes:\n{modes}"
    )


def _quoted(text: str) -> str:
    """Return a text as YAML reads it, whatever is in it."""
    return orjson.dumps(text).decode()
