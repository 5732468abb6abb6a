"""The trials of a run that did not pass, with what their scores and their texts say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from befit.analysis.columns import chunks
from befit.analysis.failures import Failed, needs_output
from befit.analysis.frame import Frame
from befit.storage.workspace import Workspace

READ_AT_ONCE = 500
"""Whole trials in memory at a time."""


def failed_trials(workspace: Workspace, frame: Frame) -> Iterator[Failed]:
    """Yield the scored trials that did not pass, in the frame's order.

    Scores are read only where a failure mode names a label, texts only where
    one names a pattern; memory does not grow with the texts.
    """
    rows = np.flatnonzero(frame.passed < 1)
    marks = {
        code: _labels(workspace, frame, code)
        for code in np.unique(frame.scenario[rows]).tolist()
        if any(m.label is not None for m in frame.manifest.scenarios[code].spec.failure_modes)
    }
    for part in chunks(rows.tolist(), READ_AT_ONCE):
        reading = [
            row for row in part if needs_output(frame.manifest.scenarios[frame.scenario[row]].spec)
        ]
        texts = read_outputs(workspace, frame, reading)
        for row in part:
            candidate, scenario, sample_id, variant, repeat = frame.place(row)
            yield Failed(
                candidate=candidate,
                scenario=scenario,
                sample_id=sample_id,
                variant=variant,
                repeat=repeat,
                labels=marks.get(int(frame.scenario[row]), {}).get(row, frozenset()),
                output=texts.get(row),
            )


def _labels(workspace: Workspace, frame: Frame, scenario: int) -> dict[int, frozenset[str]]:
    """Return the labels that failure modes ask for, by row; a score that passed says nothing."""
    entry = frame.manifest.scenarios[scenario]
    wanted = {mode.label for mode in entry.spec.failure_modes if mode.label is not None}
    sets: dict[frozenset[str], frozenset[str]] = {}
    found: dict[int, frozenset[str]] = {}
    for chunk in chunks(workspace.scores(frame.manifest.id, scenario=entry.spec.name)):
        told = [s for s in chunk if s.label in wanted and (s.value is None or s.value < 1)]
        for row, score in zip(frame.locator.locate(told).tolist(), told, strict=True):
            if row >= 0 and score.label is not None:
                labels = found.get(row, frozenset()) | {score.label}
                # Few different sets, many trials: each set is kept once.
                found[row] = sets.setdefault(labels, labels)
    return found


def read_outputs(workspace: Workspace, frame: Frame, rows: Iterable[int]) -> dict[int, str]:
    """Return the untouched outputs of some rows; "" where there is none any more."""
    found: dict[int, str] = {}
    for part in chunks(rows, READ_AT_ONCE):
        keys = {row: frame.keys[row] for row in part}
        trials = workspace.trials(list(dict.fromkeys(keys.values())))
        found.update(
            (row, trials[key].output if key in trials else "") for row, key in keys.items()
        )
    return found
