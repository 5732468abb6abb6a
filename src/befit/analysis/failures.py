"""Failures by the names the scenario gave them; what fits no name is "other".

A failed trial is counted once, under the first mode that fits, so that the
counts of a candidate add up to its failures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from befit.analysis.frame import Frame
from befit.analysis.items import Items, estimate_over_items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import FailureCount
from befit.core.estimate import Estimate
from befit.core.scenario import FailureMode, ScenarioSpec

OTHER = "other"
EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """One trial that did not pass: its place, the labels its scores carry, its output."""

    candidate: str
    scenario: str
    sample_id: str
    variant: str
    repeat: int
    labels: frozenset[str]
    output: str | None
    """None where no rule of the scenario looks at the text."""


def needs_output(spec: ScenarioSpec) -> bool:
    """Tell whether a failure mode of the scenario looks at the text."""
    return any(mode.pattern is not None for mode in spec.failure_modes)


def mode_of(failed: Failed, modes: Iterable[FailureMode]) -> str:
    """Return the name of the first mode that fits, or "other"."""
    for mode in modes:
        if mode.label is not None and mode.label in failed.labels:
            return mode.name
        if mode.pattern is not None and re.search(mode.pattern, failed.output or ""):
            return mode.name
    return OTHER


@dataclass(slots=True)
class _Tally:
    count: int = 0
    per_sample: dict[str, int] = field(default_factory=dict)
    examples: list[tuple[str, str, int]] = field(default_factory=list)

    def add(self, failed: Failed) -> None:
        self.count += 1
        if not failed.variant:
            self.per_sample[failed.sample_id] = self.per_sample.get(failed.sample_id, 0) + 1
        if len(self.examples) < EXAMPLES:
            self.examples.append((failed.sample_id, failed.variant, failed.repeat))


def failure_counts(frame: Frame, failed: Iterable[Failed]) -> tuple[FailureCount, ...]:
    """Return the failures per candidate, scenario and mode, most frequent first."""
    by_name = {spec.name: spec for spec in specs(frame)}
    tallies: dict[tuple[str, str, str], _Tally] = {}
    for one in failed:
        mode = mode_of(one, by_name[one.scenario].failure_modes)
        tallies.setdefault((one.candidate, one.scenario, mode), _Tally()).add(one)
    items = {
        name: item_means(frame, (frame.scenarios.index(name),), "pass")
        for name in {scenario for _, scenario, _ in tallies}
    }
    places = {
        name: {frame.samples[code].id: at for at, code in enumerate(own.samples.tolist())}
        for name, own in items.items()
    }
    counts = [
        FailureCount(
            candidate=candidate,
            scenario=scenario,
            mode=mode,
            count=tally.count,
            share=_share(
                items[scenario],
                frame.candidates.index(candidate),
                tally=tally,
                places=places[scenario],
            ),
            examples=tuple(tally.examples),
        )
        for (candidate, scenario, mode), tally in tallies.items()
    ]
    return tuple(sorted(counts, key=lambda c: (-c.count, c.scenario, c.candidate, c.mode)))


def _share(items: Items, code: int, *, tally: _Tally, places: dict[str, int]) -> Estimate:
    """Return the share of scored trials (of the canonical prompt) that failed in this way."""
    scored = items.n_trials[code]
    hits = np.zeros(len(items.samples))
    for sample_id, count in tally.per_sample.items():
        hits[places[sample_id]] = count
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(scored > 0, hits / np.maximum(scored, 1), np.nan)
    return estimate_over_items(
        shares,
        n_trials=int(scored.sum()),
        n_missing=items.n_missing(code),
        binary=True,
        clusters=items.clusters,
        weights=items.weights,
    )
