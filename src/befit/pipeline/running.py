"""The stage that spends: from a project to stored, scored trials.

The same call resumes: an unfinished run of the same plan goes on, a finished
one is returned as it is, and trials with a key that any run has already paid
for are reused, not asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.run import Manifest, ManifestCandidate, RunSettings
from befit.engine.bill import NO_BILL, Bill
from befit.engine.executor import Runtime, check_prices, execute
from befit.engine.job import Job, user_name
from befit.engine.looping import run_to_end
from befit.engine.masking import Masking
from befit.engine.opening import open_targets
from befit.engine.outcome import RunOutcome
from befit.engine.progress import Callback
from befit.engine.scoring import Scoring
from befit.engine.stop import StopSignal
from befit.pipeline.billing import bill_of, judges_bill
from befit.pipeline.judging import Judging, bench_of, check_judges, judge_run
from befit.pipeline.manifest import changed_prices, make_manifest, priced
from befit.pipeline.readiness import check_ready, judges_of, naming_recordings
from befit.pipeline.rescoring import rescore_run, score_unscored
from befit.storage.workspace import Workspace

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A run that was executed, resumed, or found complete (then `outcome` is None)."""

    manifest: Manifest
    outcome: RunOutcome | None
    resumed: bool
    judging: Judging | None = None
    """The run of the judges, where the project has any."""
    bill: Bill | None = None
    """What the run and its judges have cost together, where these were asked anything."""
    changed_prices: tuple[str, ...] = ()
    """Candidates whose price in the project is another than the run, begun before, bills."""


def run_project(
    project: Project,
    workspace: Workspace,
    *,
    settings: RunSettings | None = None,
    progress: Callback | None = None,
    stop: StopSignal | None = None,
) -> Ran:
    """Execute a project's plan, or resume it; then ask its judges, if it has any.

    Args:
        project: the checked project.
        workspace: where trials are kept.
        settings: replaces the project's run settings.
        progress: called about twice a second.
        stop: asks the run to stop.

    Raises:
        StoreError: another process is running this very plan (it is named).
        BefitError: as the engine does; everything paid for is stored by then.
    """
    settings = without_keys(settings or project.settings, project)
    check_judges(project)
    ran = _run(project, workspace, settings=settings, progress=progress, stop=stop)
    if not _stopped(ran.outcome) and workspace.unscored(ran.manifest.id):
        # An earlier sitting has left before a scorer of the user's own was done.
        score_unscored(project, workspace, ran.manifest.id)
    if not any(s.spec.judges for s in project.scenarios) or _stopped(ran.outcome):
        return ran
    run_id = ran.manifest.id
    judging = judge_run(
        project,
        workspace,
        run_id,
        settings=settings,
        progress=progress,
        stop=stop,
    )
    if judging is not None and _open_verdicts(project, workspace, run_id):
        rescore_run(project, workspace, run_id)
    if judging is None or judging.outcome is None:
        return replace(ran, judging=judging)
    bill = bill_of(workspace, run_id) + judges_bill(workspace, run_id)
    return replace(ran, judging=judging, bill=bill)


def _open_verdicts(project: Project, workspace: Workspace, run_id: str) -> bool:
    """Tell whether a verdict is wanting that the judges may have given since.

    A rival's answer may land later than the one that is judged against it; the rival itself
    stays without a verdict for good.
    """
    rivals = {
        (s.name, scorer.options.get("against"))
        for s in project.scenarios
        for scorer in s.spec.scorers
        if scorer.name == "judge"
    }
    return any(
        row.label == "not_judged"
        or (row.label == "no_rival" and (row.scenario, row.candidate) not in rivals)
        for row in workspace.scores(run_id, names=["judge"], whole_only=True)
    )


def _stopped(outcome: RunOutcome | None) -> bool:
    return outcome is not None and outcome.status in {"interrupted", "capped"}


def _run(
    project: Project,
    workspace: Workspace,
    *,
    settings: RunSettings,
    progress: Callback | None,
    stop: StopSignal | None,
) -> Ran:
    now = datetime.now(tz=UTC)
    made = make_manifest(project, run_id=workspace.new_run_id(), now=now, settings=settings)
    made = Masking.of(all_candidates(project)).record(made)
    with importable(project.folder), workspace.hold(made.plan_fingerprint):
        done = complete_run(workspace, made.plan_fingerprint)
        if done is not None:
            changed = tuple(changed_prices(project.candidates, done, now=now))
            return Ran(manifest=done, outcome=None, resumed=True, changed_prices=changed)
        earlier = workspace.find_resumable(made.plan_fingerprint)
        manifest = earlier or made
        # Scorers are built before the run exists: a bad one must not leave an empty run behind.
        scorings = {
            s.name: Scoring.of(
                s.spec, bench=bench_of(s.spec, settings, workspace, candidates=project.candidates)
            )
            for s in project.scenarios
        }
        if earlier is None:
            manifest = _screened(manifest, project)
        job = Job(
            run_id=manifest.id,
            candidates=with_keys(manifest, project),
            scenarios=project.scenarios,
            settings=settings,
            n_slots=count_slots(project),
            before=NO_BILL if earlier is None else bill_of(workspace, manifest.id),
            beside=NO_BILL if earlier is None else judges_bill(workspace, manifest.id),
            users=simulated_users(project),
        )

        def begin() -> None:
            if earlier is None:
                workspace.create(manifest)
            else:
                workspace.finish(manifest.id, "running")

        with naming_recordings(project):
            run_anywhere(check_ready(judges_of(project)))
            outcome = run_anywhere(
                _execute(
                    job, workspace, begin=begin, scorings=scorings, progress=progress, stop=stop
                )
            )
        workspace.finish(manifest.id, outcome.status)
    return Ran(
        manifest=manifest,
        outcome=outcome,
        resumed=earlier is not None,
        changed_prices=tuple(changed_prices(project.candidates, manifest, now=now)),
    )


def run_anywhere(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_to_end(work)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="befit-run") as thread:
        return thread.submit(run_to_end, work).result()


def without_keys(settings: RunSettings, project: Project) -> RunSettings:
    """Return the settings without a key of the project: the label is part of every trial's key."""
    return Masking.of(all_candidates(project)).record(settings)


def all_candidates(project: Project) -> list[Candidate]:
    """Return every model a run of the project may ask: candidates, judges, simulated users."""
    found = list(project.candidates)
    for scenario in project.scenarios:
        found += scenario.spec.judges
        if scenario.spec.user is not None:
            found.append(scenario.spec.user.candidate)
    return found


def _screened(manifest: Manifest, project: Project) -> Manifest:
    """Freeze what public benchmarks say now into the manifest, where the project names any."""
    if project.screening is None:
        return manifest
    from befit.pipeline.screening import project_screening  # noqa: PLC0415 - numpy and scipy, only where asked for

    found = project_screening(project, made_on=manifest.created_at)
    return manifest.model_copy(update={"screening": found})


async def _execute(
    job: Job,
    workspace: Workspace,
    *,
    begin: Callable[[], None],
    scorings: dict[str, Scoring],
    progress: Callback | None,
    stop: StopSignal | None,
) -> RunOutcome:
    users = [user.candidate for user in job.users.values()]
    check_prices(job.candidates, job.settings)
    async with open_targets([*(c.candidate for c in job.candidates), *users]) as targets:
        begin()  # only now: what fails before leaves no empty run behind
        return await execute(
            job,
            store=workspace,
            targets=targets,
            scorings=scorings,
            progress=progress,
            stop=stop,
            runtime=Runtime(),
        )


def complete_run(workspace: Workspace, plan_fingerprint: str) -> Manifest | None:
    """Return the newest run of this very plan if it is complete, else None."""
    for manifest, status in workspace.runs():
        if manifest.plan_fingerprint == plan_fingerprint:
            return manifest if status == "complete" else None
    return None


def with_keys(manifest: Manifest, project: Project) -> tuple[ManifestCandidate, ...]:
    """Return the manifest's candidates with their secrets, which no manifest holds."""
    by_name = {candidate.name: candidate for candidate in project.candidates}
    return tuple(
        entry.model_copy(update={"candidate": by_name[entry.candidate.name]})
        for entry in manifest.candidates
    )


def simulated_users(project: Project) -> dict[str, ManifestCandidate]:
    """Return the simulated user of each scenario that has one, under its name in a run."""
    now = datetime.now(tz=UTC)
    return {
        scenario.name: priced(
            scenario.spec.user.candidate.model_copy(update={"name": user_name(scenario.name)}),
            now=now,
        )
        for scenario in project.scenarios
        if scenario.spec.user is not None
    }


def count_slots(project: Project) -> int:
    """Return the number of trials of the project's plan."""
    return sum(
        project.summaries[scenario.name].n * scenario.spec.trials_of(candidate)
        for scenario in project.scenarios
        for candidate in project.candidates
    )
