"""The stage that scores a stored run again: changed scorers and targets, no call to a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from befit.config.load import importable
from befit.config.project import Project
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Slot
from befit.engine.scoring import Scoring
from befit.pipeline.judging import bench_of
from befit.storage.rescoring import Rescored
from befit.storage.workspace import Workspace

BATCH = 200


@dataclass(slots=True)
class Counts:
    """What a rescoring did."""

    scored: int = 0
    changed: int = 0
    """Trials whose verdict (pass or not) is another now."""
    notes: list[str] = field(default_factory=list)


def rescore_run(project: Project, workspace: Workspace, run_id: str) -> Counts:
    """Score the trials of a run with the project's scorers, targets and checks as they are now.

    A sample that is no longer in the project keeps being judged as it stood in
    the run; a changed one is judged by its new target if the candidates were
    shown the same input.

    Raises:
        StoreError: no such run.
    """
    manifest = workspace.manifest(run_id)
    counts = Counts()
    with importable(project.folder), workspace.hold(manifest.plan_fingerprint):
        by_name = {scenario.name: scenario for scenario in project.scenarios}
        specs = {s.spec.name: s.spec for s in manifest.scenarios}
        gone = [name for name in specs if name not in by_name]
        counts.notes += [f"{name}: no longer in the project, scored as in the run" for name in gone]
        now = {name: by_name[name].spec if name in by_name else specs[name] for name in specs}
        scorings = {
            name: Scoring.of(spec, bench=bench_of(spec, manifest.settings, workspace))
            for name, spec in now.items()
        }
        samples = {name: _samples(project, workspace, run_id, name) for name in specs}
        batches = _batches(workspace, run_id, samples=samples, scorings=scorings, counts=counts)
        workspace.replace_scores(run_id, batches)
    return counts


def _samples(
    project: Project, workspace: Workspace, run_id: str, scenario: str
) -> dict[str, Sample]:
    """Return a scenario's samples by id: the project's where the input is still the same."""
    stored = {sample.id: sample for sample in workspace.samples(run_id, scenario)}
    for found in project.scenarios:
        if found.name != scenario:
            continue
        for sample in found.samples.load():
            old = stored.get(sample.id)
            if old is not None and old.input_fingerprint == sample.input_fingerprint:
                stored[sample.id] = sample
    return stored


def _batches(
    workspace: Workspace,
    run_id: str,
    *,
    samples: dict[str, dict[str, Sample]],
    scorings: dict[str, Scoring],
    counts: Counts,
) -> Iterator[Sequence[Rescored]]:
    facts = workspace.facts(run_id)
    while batch := list(islice(facts, BATCH)):
        trials = workspace.trials([fact.key_id for fact in batch])
        rescored: list[Rescored] = []
        for fact in batch:
            trial, sample = trials.get(fact.key_id), samples[fact.scenario].get(fact.sample_id)
            if trial is None or sample is None:
                continue
            scores = scorings[fact.scenario].score(sample, trial)
            counts.scored += 1
            counts.changed += int(_verdict(scores) != fact.passed)
            slot = Slot(
                candidate=fact.candidate,
                scenario=fact.scenario,
                sample_id=fact.sample_id,
                variant=fact.variant,
                repeat=fact.repeat,
                key=trial.key,
            )
            rescored.append(Rescored(slot=slot, scores=scores))
        yield rescored


def _verdict(scores: Sequence[Score]) -> float | None:
    return next((s.value for s in scores if s.scorer == "befit" and s.name == "pass"), None)
