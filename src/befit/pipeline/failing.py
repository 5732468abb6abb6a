"""The trials of a run that did not pass, with what their scores and their texts say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from befit.analysis.columns import Ints, chunks
from befit.analysis.failures import OTHER, Alike, Failed, Modes, needs_output
from befit.analysis.frame import Frame
from befit.core.landed import Fact
from befit.core.scenario import ScenarioSpec
from befit.core.trial import Trial
from befit.storage.workspace import Workspace

READ_AT_ONCE = 500
"""Whole trials in memory at a time."""


def failed_trials(workspace: Workspace, frame: Frame) -> Iterator[Alike]:
    """Yield the scored trials that did not pass, scenario by scenario, those alike together.

    Scores are read only where a failure mode names a label, texts only where
    one names a pattern; memory does not grow with the texts.
    """
    rows = np.flatnonzero(frame.passed < 1)
    for code in np.unique(frame.scenario[rows]).tolist():
        own = rows[frame.scenario[rows] == code]
        spec = frame.manifest.scenarios[code].spec
        labelled = _labels(workspace, frame, code)
        if needs_output(spec):
            yield from _one_by_one(workspace, frame, own, labelled)
            continue
        alike: dict[frozenset[str], list[int]] = {}
        for row, labels in labelled.items():
            if frame.passed[row] < 1:
                alike.setdefault(labels, []).append(row)
        bare = np.setdiff1d(own, list(labelled), assume_unique=True) if labelled else own
        if len(bare):
            yield Alike(scenario=spec.name, rows=bare, labels=frozenset())
        for labels, at in alike.items():
            yield Alike(scenario=spec.name, rows=np.array(sorted(at), "q"), labels=labels)


def named_failure(workspace: Workspace, run_id: str, fact: Fact, spec: ScenarioSpec) -> str:
    """Return what one trial failed of: its failure mode, else the label that tells most of it."""
    scores = workspace.score_details(
        run_id, fact.candidate, fact.scenario, fact.sample_id, fact.variant, fact.repeat
    )
    wrong = [one for one in scores if one.label and (one.value is None or one.value < 1)]
    trial = workspace.trial(fact.key_id) if needs_output(spec) else None
    failed = Failed(
        candidate=fact.candidate,
        scenario=fact.scenario,
        sample_id=fact.sample_id,
        variant=fact.variant,
        repeat=fact.repeat,
        labels=frozenset(one.label for one in wrong if one.label),
        output=None if trial is None else trial.output,
    )
    mode = Modes().of(failed, spec.failure_modes)
    if mode != OTHER:
        return mode
    own = [one.label for one in wrong if one.part is None and one.label]
    return fact.failure or next(iter(own), OTHER)


def _one_by_one(
    workspace: Workspace, frame: Frame, rows: Ints, labelled: dict[int, frozenset[str]]
) -> Iterator[Alike]:
    for part in chunks(rows.tolist(), READ_AT_ONCE):
        texts = read_outputs(workspace, frame, part)
        for row in part:
            yield Alike(
                scenario=frame.scenarios[frame.scenario[row]],
                rows=np.array([row], dtype=np.int64),
                labels=labelled.get(row, frozenset()),
                output=texts.get(row),
            )


def _labels(workspace: Workspace, frame: Frame, scenario: int) -> dict[int, frozenset[str]]:
    """Return the labels that failure modes ask for, by row; a score that passed says nothing."""
    spec = frame.manifest.scenarios[scenario].spec
    wanted = {mode.label for mode in spec.failure_modes if mode.label is not None}
    if not wanted:
        return {}
    sets: dict[frozenset[str], frozenset[str]] = {}
    found: dict[int, frozenset[str]] = {}
    for chunk in chunks(workspace.labelled(frame.manifest.id, spec.name, sorted(wanted))):
        for row, score in zip(frame.locator.locate(chunk).tolist(), chunk, strict=True):
            if row >= 0 and score.label is not None:
                labels = found.get(row, frozenset()) | {score.label}
                # Few different sets, many trials: each set is kept once.
                found[row] = sets.setdefault(labels, labels)
    return found


def read_outputs(workspace: Workspace, frame: Frame, rows: Iterable[int]) -> dict[int, str]:
    """Return the untouched outputs of some rows; "" where there is none any more."""
    found: dict[int, str] = {}
    for part in chunks(rows, READ_AT_ONCE):
        trials = trials_of(workspace, frame, part)
        found.update((row, "" if trial is None else trial.output) for row, trial in trials.items())
    return found


def trials_of(workspace: Workspace, frame: Frame, rows: Sequence[int]) -> dict[int, Trial | None]:
    """Return the whole trials of some rows; None where one is missing, forgotten or not there."""
    run_id = frame.manifest.id
    keys = workspace.trial_ids(run_id, [frame.place(row) for row in rows])
    trials = workspace.trials(list(dict.fromkeys(key for key in keys if key is not None)))
    return {row: trials.get(key or "") for row, key in zip(rows, keys, strict=True)}
