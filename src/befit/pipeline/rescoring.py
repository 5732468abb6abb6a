"""The stage that scores a stored run again: changed scorers and targets, no call to a model.

Afterwards the run says of itself what it is judged by now, so that every page quotes the
target behind its verdicts; what it was judged by before is kept (`Manifest.amendments`,
`Workspace.earlier_samples`). What was asked of the candidates never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import islice

from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Prompt
from befit.core.fingerprint import fingerprint
from befit.core.landed import Fact, Landed
from befit.core.run import Amendment, Manifest, ManifestScenario
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.core.secret_text import MASK
from befit.core.trial import Slot, Trial
from befit.datasets.files import ListDataset
from befit.datasets.files_inspect import inspect
from befit.engine.judging import Bench
from befit.engine.masking import Masking
from befit.engine.scoring import Scoring
from befit.pipeline.judging import bench_of
from befit.pipeline.manifest import UNTIL_DECIDED, plan_fingerprint
from befit.storage.rescoring import Rescored
from befit.storage.workspace import Workspace

BATCH = 200


@dataclass(slots=True)
class Counts:
    """What a rescoring did."""

    scored: int = 0
    changed: int = 0
    """Trials whose verdict (pass or not) is another now."""
    samples_changed: int = 0
    """Samples which are judged by another target, other checks or tags now."""
    scenarios_changed: int = 0
    """Scenarios with other scorers, criteria or samples now."""
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
        now = {
            name: judged_by(specs[name], by_name[name].spec) if name in by_name else specs[name]
            for name in specs
        }
        counts.notes += [
            f"{name}: what is asked has changed since; the stored answers are to the old question"
            for name in specs
            if name in by_name and _asked(by_name[name].spec) != _asked(specs[name])
        ]
        scorings = {
            name: Scoring.of(spec, bench=_bench(spec, manifest, workspace))
            for name, spec in now.items()
        }
        samples = {name: _samples(project, workspace, run_id, name) for name in specs}
        counts.notes += [f"{name}: {own.kept}" for name, own in samples.items() if own.kept]
        new = {name: own.changed for name, own in samples.items() if own.changed}
        masking = Masking.of(project.candidates)
        new = {name: tuple(map(masking.record, own)) for name, own in new.items()}
        after = tuple(
            _restated(entry, now[entry.spec.name], samples[entry.spec.name], project)
            for entry in manifest.scenarios
        )
        counts.samples_changed = sum(map(len, new.values()))
        counts.scenarios_changed = sum(
            _other(one, now) for one, now in zip(manifest.scenarios, after, strict=True)
        )
        batches = _batches(
            workspace,
            run_id,
            samples={name: own.by_id for name, own in samples.items()},
            scorings=scorings,
            counts=counts,
        )
        workspace.replace_scores(
            run_id,
            batches,
            changed=new,
            restate=partial(_amended, manifest, after, {name: len(new[name]) for name in new}),
        )
        counts.notes += [one for scoring in scorings.values() for one in scoring.warnings]
    return counts


def score_unscored(project: Project, workspace: Workspace, run_id: str) -> int:
    """Score the answers of a run that were stored and never scored; return their number.

    Those that are scored stand, whatever the rest says: each batch is kept as it is made.

    Raises:
        StoreError: no such run.
    """
    manifest = workspace.manifest(run_id)
    count = 0
    with importable(project.folder), workspace.hold(manifest.plan_fingerprint):
        scorings = {
            s.spec.name: Scoring.of(s.spec, bench=_bench(s.spec, manifest, workspace))
            for s in manifest.scenarios
        }
        waiting = (
            fact
            for fact in workspace.facts(run_id)
            if fact.passed is None
            and fact.status != "missing"
            and not workspace.score_details(run_id, *_place(fact))
        )
        while batch := list(islice(waiting, BATCH)):
            trials = workspace.trials([fact.key_id for fact in batch])
            for fact in batch:
                trial = trials.get(fact.key_id)
                sample = workspace.sample(run_id, fact.scenario, fact.sample_id)
                if trial is None or sample is None:
                    continue
                scores = scorings[fact.scenario].score(sample, trial)
                landed = Landed(slot=_slot(fact, trial), trial=trial, scores=scores)
                workspace.add_scores(run_id, [landed])
                count += 1
    return count


def _place(fact: Fact) -> tuple[str, str, str, str, int]:
    return fact.candidate, fact.scenario, fact.sample_id, fact.variant, fact.repeat


def _slot(fact: Fact, trial: Trial) -> Slot:
    return Slot(
        candidate=fact.candidate,
        scenario=fact.scenario,
        sample_id=fact.sample_id,
        variant=fact.variant,
        repeat=fact.repeat,
        key=trial.key,
    )


_JUDGED = (
    "dimension",
    "scorers",
    "success",
    "failure_modes",
    "accept",
    "critical",
    "equality",
    "every_turn",
    "judges",
    "judge_itself",
)
"""Fields of a scenario that say how answers are judged; the others say what was asked."""


def judged_by(asked: ScenarioSpec, now: ScenarioSpec) -> ScenarioSpec:
    """Return the scenario that was asked as in `asked` and is judged as `now` says."""
    taken = {name: getattr(now, name) for name in _JUDGED}
    if asked.stop_at_failed_turn:
        # There the checks of a turn decided what was asked next.
        del taken["every_turn"]
    return asked.model_copy(update=taken)


def _asked(spec: ScenarioSpec) -> str:
    return spec.execution_fingerprint(Prompt(shots=len(spec.examples)))


def _restated(
    entry: ManifestScenario, spec: ScenarioSpec, own: _Samples, project: Project
) -> ManifestScenario:
    """Return what the manifest says of a scenario from now on."""
    mark = entry.set_version
    if own.changed:
        mark = inspect(ListDataset(tuple(own.by_id.values()))).set_version
        summary = project.summaries.get(spec.name)
        # A run that was cut short stores only the samples it came to.
        if len(own.by_id) < entry.n_samples and summary and summary.n == entry.n_samples:
            mark = summary.set_version
    return entry.model_copy(update={"spec": spec, "set_version": mark})


def _other(before: ManifestScenario, now: ManifestScenario) -> bool:
    """Tell whether a scenario is judged in another way now, by what the store holds of it.

    A judge's key, which is in no store, makes no other judge.
    """
    return before.model_dump(mode="json") != now.model_dump(mode="json")


def _amended(
    manifest: Manifest, after: tuple[ManifestScenario, ...], samples: dict[str, int], scoring: int
) -> Manifest:
    """Return the manifest with `after` as what counts and what stood before as an amendment."""
    past = tuple(
        one for one, now in zip(manifest.scenarios, after, strict=True) if _other(one, now)
    )
    if not past:
        return manifest
    amendment = Amendment(
        at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        befit_version=version("befit"),
        scoring=scoring,
        scenarios=past,
        samples_changed=samples,
    )
    return manifest.model_copy(
        update={
            "scenarios": after,
            "amendments": (*manifest.amendments, amendment),
            "plan_fingerprint": _replanned(manifest, after),
        }
    )


def _replanned(manifest: Manifest, after: tuple[ManifestScenario, ...]) -> str:
    """Return the hash by which the command of the project as it is now finds the run."""
    old, new = (
        plan_fingerprint(manifest.candidates, scenarios, manifest.settings)
        for scenarios in (manifest.scenarios, after)
    )
    if manifest.plan_fingerprint == old:
        return new
    if manifest.plan_fingerprint == fingerprint([old, UNTIL_DECIDED]):
        return fingerprint([new, UNTIL_DECIDED])
    return manifest.plan_fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    """A scenario's samples as they are judged now, and those of them that have changed."""

    by_id: dict[str, Sample]
    changed: tuple[Sample, ...]
    kept: str = ""
    """What the file says otherwise and the run keeps, in words; "" where there is nothing."""


def _bench(spec: ScenarioSpec, manifest: Manifest, workspace: Workspace) -> Bench | None:
    candidates = [entry.candidate for entry in manifest.candidates]
    return bench_of(spec, manifest.settings, workspace, candidates=candidates)


def _samples(project: Project, workspace: Workspace, run_id: str, scenario: str) -> _Samples:
    """Return a scenario's samples: the project's where the input is still the same."""
    stored = {sample.id: sample for sample in workspace.samples(run_id, scenario)}
    changed: list[Sample] = []
    read, edited, unasked = 0, 0, 0
    for found in project.scenarios:
        if found.name != scenario:
            continue
        for sample in found.samples.load():
            old = stored.get(sample.id)
            read += 1
            unasked += old is None
            if old is None or old == sample:
                continue
            if old.input_fingerprint != sample.input_fingerprint:
                edited += MASK not in old.model_dump_json()
                continue
            if MASK in old.model_dump_json():
                continue  # a key stands in the file, and must not come in by this door
            stored[sample.id] = sample
            changed.append(sample)
    gone = len(stored) - (read - unasked) if read else 0
    kept = _kept(edited=edited, gone=gone)
    return _Samples(by_id=stored, changed=tuple(changed), kept=kept)


def _kept(*, edited: int, gone: int) -> str:
    """Return how many samples are scored as they stood in the run, and why; "" for none."""
    told = [f"{edited:,} {'asks' if edited == 1 else 'ask'} something else"] if edited else []
    told += [f"{gone:,} {'is' if gone == 1 else 'are'} gone from the file"] if gone else []
    count = edited + gone
    samples = "1 sample is" if count == 1 else f"{count:,} samples are"
    return f"{samples} scored as in the run: since then {' and '.join(told)}" if told else ""


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
            rescored.append(Rescored(slot=_slot(fact, trial), scores=scores))
        yield rescored


def _verdict(scores: Sequence[Score]) -> float | None:
    return next((s.value for s in scores if s.scorer == "befit" and s.name == "pass"), None)
