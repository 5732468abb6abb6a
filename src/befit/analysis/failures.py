"""Failures by the names the scenario gave them; what fits no name is "other".

A failed trial is counted once, under the first mode that fits, so that the
counts of a candidate add up to its failures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from befit.analysis.frame import Frame
from befit.analysis.items import Items, estimate_over_items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import FailureCount, Finding
from befit.core.estimate import Estimate
from befit.core.scenario import FailureMode, ScenarioSpec
from befit.scorers.patterns import SlowPatternError, compiled

OTHER = "other"
EXAMPLES = 5
GIVE_UP = 20
"""Trials on which a pattern may take too long before it is not tried any more."""


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


class Modes:
    """Finds the mode of a failed trial; a pattern that takes too long is given up and named."""

    def __init__(self) -> None:
        self._stopped: Counter[tuple[str, str]] = Counter()
        """(scenario, name of the mode) -> trials its pattern could not be tried on."""
        self._why: dict[tuple[str, str], str] = {}

    def of(self, failed: Failed, modes: Iterable[FailureMode]) -> str:
        """Return the name of the first mode that fits, or "other"."""
        for mode in modes:
            if mode.label is not None and mode.label in failed.labels:
                return mode.name
            if mode.pattern is not None and self._fits(failed, mode):
                return mode.name
        return OTHER

    def _fits(self, failed: Failed, mode: FailureMode) -> bool:
        key = (failed.scenario, mode.name)
        pattern = compiled(mode.pattern or "")
        if pattern is None:
            return False
        if self._stopped[key] < GIVE_UP:
            try:
                return pattern.search(failed.output or "") is not None
            except SlowPatternError as error:
                self._why[key] = str(error)
        self._stopped[key] += 1
        return False

    def findings(self) -> Iterator[Finding]:
        """Yield what could not be counted because of a pattern."""
        for (scenario, name), why in self._why.items():
            count = self._stopped[scenario, name]
            yield Finding(
                severity="missing",
                text=f"{scenario}: {count} failures could not be tried for the mode '{name}' and "
                f"count under another: {why}.",
                do="mend the pattern in failure_modes",
            )


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


def failure_counts(
    frame: Frame, failed: Iterable[Failed], *, modes: Modes | None = None
) -> tuple[FailureCount, ...]:
    """Return the failures per candidate, scenario and mode, most frequent first.

    `modes` is the finder to use; it knows afterwards which patterns took too long.
    """
    modes = modes or Modes()
    by_name = {spec.name: spec for spec in specs(frame)}
    tallies: dict[tuple[str, str, str], _Tally] = {}
    for one in failed:
        mode = modes.of(one, by_name[one.scenario].failure_modes)
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
