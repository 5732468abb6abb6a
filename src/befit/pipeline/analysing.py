"""The stage that reads a stored run and returns its analysis."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.analyse import analyse
from befit.analysis.failures import Failed, needs_output
from befit.analysis.frame import MISSING, Frame, build_frame
from befit.analysis.results import Analysis
from befit.core.landed import ScoreRow
from befit.core.run import Manifest
from befit.pipeline.equality import Sameness, sameness
from befit.storage.workspace import Workspace

FIELDS = ("field", "field_present", "field_value", "field_format")


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """A run's manifest, its columns and its analysis."""

    manifest: Manifest
    frame: Frame
    analysis: Analysis


def load_frame(workspace: Workspace, run_id: str) -> Frame:
    """Return the columns of a stored run, with answers compared as each scenario says."""
    manifest = workspace.manifest(run_id)
    frame = build_frame(
        manifest, workspace.facts(run_id), workspace.scores(run_id, whole_only=True)
    )
    return _with_equality(frame, workspace)


def analyse_run(workspace: Workspace, run_id: str) -> Analysed:
    """Analyse a stored run; no model is called.

    Raises:
        StoreError: no such run.
    """
    frame = load_frame(workspace, run_id)
    parts = workspace.scores(run_id, names=FIELDS)
    analysis = analyse(frame, parts=parts, failed=list(failed_trials(workspace, frame)))
    return Analysed(manifest=frame.manifest, frame=frame, analysis=analysis)


def failed_trials(workspace: Workspace, frame: Frame) -> Iterator[Failed]:
    """Yield the trials that were scored and did not pass, with the labels of their scores."""
    wanted = np.flatnonzero(frame.passed < 1)
    places = {_place(frame, int(row)): int(row) for row in wanted}
    if not places:
        return
    labels: dict[int, set[str]] = {row: set() for row in places.values()}
    for score in workspace.scores(frame.manifest.id):
        row = places.get(_score_place(score))
        if row is None or score.label is None:
            continue
        if score.value is None or score.value < 1:
            labels[row].add(score.label)
    reading = {s.spec.name for s in frame.manifest.scenarios if needs_output(s.spec)}
    for place, row in places.items():
        candidate, scenario, sample_id, variant, repeat = place
        output = None
        if scenario in reading:
            output = _output(workspace, frame, place)
        yield Failed(
            candidate=candidate,
            scenario=scenario,
            sample_id=sample_id,
            variant=variant,
            repeat=repeat,
            labels=frozenset(labels[row]),
            output=output,
        )


Place = tuple[str, str, str, str, int]


def _place(frame: Frame, row: int) -> Place:
    return (
        frame.candidates[frame.candidate[row]],
        frame.scenarios[frame.scenario[row]],
        frame.samples[frame.sample[row]].id,
        frame.variants[frame.variant[row]],
        int(frame.repeat[row]),
    )


def _score_place(score: ScoreRow) -> Place:
    return (score.candidate, score.scenario, score.sample_id, score.variant, score.repeat)


def _output(workspace: Workspace, frame: Frame, place: Place) -> str:
    candidate, scenario, sample_id, variant, repeat = place
    for fact in workspace.slots(frame.manifest.id, scenario, sample_id):
        if (fact.candidate, fact.variant, fact.repeat) == (candidate, variant, repeat):
            trial = workspace.trial(fact.key_id)
            return trial.output if trial else ""
    return ""


def _with_equality(frame: Frame, workspace: Workspace) -> Frame:
    """Replace the answer codes of scenarios that compare whole outputs."""
    answers: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None
    for code, scenario in enumerate(frame.manifest.scenarios):
        equality = scenario.spec.equality
        if equality.method == "answer":
            continue
        same = sameness(equality)
        answers = frame.answer.copy() if answers is None else answers
        rows = np.flatnonzero((frame.scenario == code) & (frame.status != MISSING))
        outputs = _outputs(workspace, frame, rows.tolist())
        keys = [(int(frame.candidate[row]), int(frame.sample[row])) for row in rows]
        answers[rows] = _codes(keys, outputs, same)
    return frame if answers is None else replace(frame, answer=answers)


def _codes(
    keys: list[tuple[int, int]], outputs: list[str], same: Sameness
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Give the outputs of each candidate and sample cluster codes by the scenario's equality."""
    codes = np.full(len(keys), -1, dtype=np.int64)
    order = sorted(range(len(keys)), key=lambda i: keys[i])
    for _, group in itertools.groupby(order, key=lambda i: keys[i]):
        members: list[tuple[str, int]] = []
        for i in group:
            if not outputs[i].strip():
                continue
            found = next((code for text, code in members if same(text, outputs[i])), None)
            codes[i] = len(members) if found is None else found
            if found is None:
                members.append((outputs[i], len(members)))
    return codes


def _outputs(workspace: Workspace, frame: Frame, rows: Iterable[int]) -> list[str]:
    keys = {_place(frame, row): index for index, row in enumerate(rows)}
    found = [""] * len(keys)
    for fact in workspace.facts(frame.manifest.id):
        index = keys.get((fact.candidate, fact.scenario, fact.sample_id, fact.variant, fact.repeat))
        if index is not None:
            trial = workspace.trial(fact.key_id)
            found[index] = trial.output if trial else ""
    return found
