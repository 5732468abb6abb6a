"""Failures by the names the scenario gave them; what fits no name is "other".

A failed trial is counted once, under the first mode that fits, so that the
counts of a candidate add up to its failures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from befit.analysis.columns import Codes, Ints, chunks
from befit.analysis.frame import Frame
from befit.analysis.items import Items, estimate_over_items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import FailureCount, Finding
from befit.core.estimate import Estimate
from befit.core.landed import ScoreRow
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alike:
    """Trials of one scenario that did not pass and carry the same labels and output."""

    scenario: str
    rows: Ints
    """Their rows in the frame."""
    labels: frozenset[str]
    output: str | None = None


def needs_output(spec: ScenarioSpec) -> bool:
    """Tell whether a failure mode of the scenario looks at the text."""
    return any(mode.pattern is not None for mode in spec.failure_modes)


class Modes:
    """Finds the mode of a failed trial; a pattern that takes too long is given up and named."""

    def __init__(self) -> None:
        self._stopped: Counter[tuple[str, str]] = Counter()
        """(scenario, name of the mode) -> trials its pattern could not be tried on."""
        self._why: dict[tuple[str, str], str] = {}

    def of(self, failed: Failed | Alike, modes: Iterable[FailureMode]) -> str:
        """Return the name of the first mode that fits, or "other"."""
        for mode in modes:
            if mode.label is not None and mode.label in failed.labels:
                return mode.name
            if mode.pattern is not None and self._fits(failed, mode):
                return mode.name
        return OTHER

    def _fits(self, failed: Failed | Alike, mode: FailureMode) -> bool:
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


def failure_counts(
    frame: Frame, failed: Iterable[Failed | Alike], *, modes: Modes | None = None
) -> tuple[FailureCount, ...]:
    """Return the failures per candidate, scenario and mode, most frequent first.

    `modes` is the finder to use; it knows afterwards which patterns took too long.
    """
    names = Codes()
    rows, codes = _placed(frame, failed, names, modes or Modes())
    many = len(frame.candidates)
    cell = (frame.scenario[rows] * many + frame.candidate[rows]) * len(names.names) + codes
    # Rows of a mode stay in the frame's order, so that the first of them are its examples.
    order = np.lexsort((rows, cell))
    rows, cell = rows[order], cell[order]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    items: dict[int, Items] = {}
    counts: list[FailureCount] = []
    for own in np.split(rows, starts[1:]) if len(rows) else []:
        mode = int(cell[starts[len(counts)]]) % len(names.names)
        scenario, candidate = int(frame.scenario[own[0]]), int(frame.candidate[own[0]])
        if scenario not in items:
            items[scenario] = item_means(frame, (scenario,), "pass")
        places = [frame.place(row) for row in own[:EXAMPLES].tolist()]
        counts.append(
            FailureCount(
                candidate=frame.candidates[candidate],
                scenario=frame.scenarios[scenario],
                mode=names.names[mode],
                count=len(own),
                share=_share(frame, items[scenario], candidate, own),
                examples=tuple(place[2:] for place in places),
            )
        )
    return tuple(sorted(counts, key=lambda c: (-c.count, c.scenario, c.candidate, c.mode)))


def _placed(
    frame: Frame, failed: Iterable[Failed | Alike], names: Codes, modes: Modes
) -> tuple[Ints, Ints]:
    """Return the rows that did not pass, and the code of each one's mode."""
    by_name = {spec.name: spec for spec in specs(frame)}
    rows: list[Ints] = [np.empty(0, dtype=np.int64)]
    codes: list[Ints] = [np.empty(0, dtype=np.int64)]
    for part in chunks(failed):
        found = [names[modes.of(one, by_name[one.scenario].failure_modes)] for one in part]
        alone = [
            ScoreRow(one.candidate, one.scenario, one.sample_id, one.variant, one.repeat,
                     scorer="", name="", part=None, value=None, label=None)
            for one in part if isinstance(one, Failed)
        ]  # fmt: skip
        at = iter(frame.locator.locate(alone).tolist())
        for one, code in zip(part, found, strict=True):
            own = one.rows if isinstance(one, Alike) else np.array([next(at)], dtype=np.int64)
            rows.append(own)
            codes.append(np.full(len(own), code, dtype=np.int64))
    return np.concatenate(rows), np.concatenate(codes)


def _share(frame: Frame, items: Items, code: int, rows: Ints) -> Estimate:
    """Return the share of scored trials (of the canonical prompt) that failed in this way."""
    scored = items.n_trials[code]
    samples = frame.sample[rows[frame.variant[rows] == 0]]
    hits = np.bincount(samples, minlength=len(frame.samples))[items.samples].astype(np.float64)
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
