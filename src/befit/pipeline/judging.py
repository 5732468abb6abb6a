"""The stage that asks the judges: runs of their own, after which the answers are scored again.

Its candidates are the judges, its samples the questions about the answers of the
judged run. So verdicts are stored, keyed, limited, budgeted and resumed like any
trial, their cost and tokens stand apart, and nothing is judged twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from itertools import islice

from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.failure import FailureKind
from befit.core.fingerprint import canonical_json, fingerprint
from befit.core.run import (
    Manifest,
    ManifestCandidate,
    ManifestScenario,
    RunSettings,
    RunStatus,
)
from befit.core.sample import Sample
from befit.core.scenario import Scenario, ScenarioSpec
from befit.core.trial import Trial
from befit.engine.building import build_scorer, build_scorers
from befit.engine.executor import Runtime, execute
from befit.engine.job import Job
from befit.engine.judging import (
    AGAIN,
    Asking,
    Bench,
    judge_settings,
    judging_spec,
    questions,
)
from befit.engine.looping import run_to_end
from befit.engine.opening import open_targets
from befit.engine.outcome import RunOutcome
from befit.engine.progress import Callback
from befit.engine.scoring import Scoring
from befit.engine.stop import StopSignal
from befit.errors import ConfigError
from befit.pipeline.billing import bill_of, judges_bill
from befit.pipeline.manifest import priced
from befit.storage.runs import JUDGES
from befit.storage.workspace import Workspace

_BATCH = 200
_WORSE: tuple[RunStatus, ...] = ("running", "complete", "partial", "capped", "interrupted")
_COUNTS = ("ok", "candidate_failures", "missing", "reused", "already", "retries", "unknown",
           "unscored")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The judges' run: its manifest, how its sitting ended (None: it was complete)."""

    manifest: Manifest
    outcome: RunOutcome | None


def check_judges(project: Project) -> None:
    """Refuse a scenario whose judge is missing, or is one of the judged.

    Raises:
        ConfigError: names scenario and judge.
    """
    for scenario in project.scenarios:
        spec, where = scenario.spec, f"scenario '{scenario.name}' judges"
        asking = any(scorer.name == "judge" for scorer in spec.scorers)
        if asking and not spec.judges:
            raise ConfigError(
                "the scorer 'judge' has nobody to ask",
                where=where,
                do="list at least one judge, with the keys of a candidate",
            )
        names = {candidate.name for candidate in project.candidates}
        for scorer in spec.scorers:
            rival = scorer.options.get("against") if scorer.name == "judge" else None
            if rival is not None and rival not in names:
                raise ConfigError(
                    f"answers are to be judged against '{rival}', which is no candidate",
                    where=where,
                    do=f"known: {', '.join(sorted(names))}",
                )
        for judge in () if spec.judge_itself else spec.judges:
            for candidate in project.candidates:
                if _who(judge) == _who(candidate):
                    raise ConfigError(
                        f"'{judge.name}' would judge the answers of '{candidate.name}',"
                        " which is the same model",
                        where=where,
                        why="models prefer their own answers",
                        do="take another judge, or set judge_itself: true",
                    )


def _who(candidate: Candidate) -> tuple[str, str, str | None, str]:
    own = str(sorted(candidate.options.items())) if not candidate.model else ""
    return candidate.target, candidate.model, candidate.base_url, own


def bench_of(
    spec: ScenarioSpec,
    settings: RunSettings,
    workspace: Workspace,
    *,
    candidates: Sequence[Candidate],
) -> Bench | None:
    """Return the bench from which a scenario's judges are read, None where it has none."""
    if not spec.judges:
        return None
    rivals = {c.name: (c.fingerprint, spec.execution_fingerprint(c.prompt)) for c in candidates}
    return Bench(judges=spec.judges, settings=settings, answers=workspace, rivals=rivals)


def judge_run(
    project: Project,
    workspace: Workspace,
    run_id: str,
    *,
    settings: RunSettings,
    progress: Callback | None = None,
    stop: StopSignal | None = None,
) -> Judging | None:
    """Ask the judges about a run's answers; None where no scenario has any.

    Args:
        project: the project of the run.
        workspace: where the run is.
        run_id: the run whose answers are judged.
        settings: of the judged run; its cap holds for both together.
        progress: called about twice a second.
        stop: asks the run to stop.

    Raises:
        BefitError: as the engine does; every verdict paid for is stored by then.
    """
    by_bench: dict[tuple[tuple[str, str], ...], list[Scenario]] = {}
    for scenario in project.scenarios:
        if scenario.spec.judges:
            bench = tuple(sorted((j.name, j.fingerprint) for j in scenario.spec.judges))
            by_bench.setdefault(bench, []).append(scenario)
    found: list[Judging] = []
    for scenarios in by_bench.values():
        # Each bench has a run of its own: a judge is asked about its own scenarios alone.
        own = _ask(
            project, workspace, run_id, scenarios,
            settings=settings, watch=_Watch(progress=progress, stop=stop),
        )  # fmt: skip
        if own is None:
            continue
        found.append(own)
        if own.outcome is not None and own.outcome.status in {"interrupted", "capped"}:
            break
    return _together(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watch:
    """How a sitting is held: who is told of it, who may stop it."""

    progress: Callback | None
    stop: StopSignal | None


def _together(found: Sequence[Judging]) -> Judging | None:
    """Return several judges' runs as one: their counts added, the first one's manifest."""
    if not found:
        return None
    outcomes = [one.outcome for one in found if one.outcome is not None]
    if len(outcomes) < 2:  # noqa: PLR2004 - one sitting is what it is
        return Judging(manifest=found[0].manifest, outcome=outcomes[0] if outcomes else None)
    failures: Counter[FailureKind] = Counter()
    for one in outcomes:
        failures.update(one.failures)
    lost = [one.not_run for one in outcomes]
    worst = max((one.status for one in outcomes), key=_WORSE.index)
    return Judging(
        manifest=found[0].manifest,
        outcome=RunOutcome(
            status=worst,
            not_run=None if None in lost else sum(one or 0 for one in lost),
            spent=sum((one.spent for one in outcomes), Decimal(0)),
            uncertain=sum((one.uncertain for one in outcomes), Decimal(0)),
            failures=dict(failures),
            stopped=tuple(s for one in outcomes for s in one.stopped),
            warnings=tuple(dict.fromkeys(w for one in outcomes for w in one.warnings)),
            refused=next((o.refused for o in outcomes if o.refused is not None), None),
            seconds=sum(one.seconds for one in outcomes),
            **{name: sum(getattr(one, name) for one in outcomes) for name in _COUNTS},
        ),
    )


def _ask(
    project: Project,
    workspace: Workspace,
    run_id: str,
    judged: Sequence[Scenario],
    *,
    settings: RunSettings,
    watch: _Watch,
) -> Judging | None:
    """Ask one bench about the scenarios it judges; None where there is nothing to ask."""
    with importable(project.folder):
        sets = [
            _Questions(
                workspace,
                run_id,
                scenario,
                bench_of(scenario.spec, settings, workspace, candidates=project.candidates),
            )
            for scenario in judged
        ]
        scenarios = tuple(one for own in sets if own.count for one in own.scenarios())
        if not scenarios:
            return None
        now = datetime.now(tz=UTC)
        bench = tuple(priced(judge, now=now) for judge in judged[0].spec.judges)
        made = _manifest(project, run_id, bench, sets, settings)
        for manifest, status in workspace.runs():
            if manifest.plan_fingerprint == made.plan_fingerprint and status == "complete":
                return Judging(manifest=manifest, outcome=None)
        with workspace.hold(made.plan_fingerprint):
            return _sit(workspace, made, scenarios, bench, watch)


def _sit(  # one sitting: what, where, by whom, and how it is watched
    workspace: Workspace,
    made: Manifest,
    scenarios: tuple[Scenario, ...],
    judges: tuple[ManifestCandidate, ...],
    watch: _Watch,
) -> Judging:
    judged = made.judges_run or ""
    earlier = workspace.find_resumable(made.plan_fingerprint)
    manifest = earlier or made
    if earlier is None:
        workspace.create(manifest)
    else:
        workspace.finish(manifest.id, "running")
    job = Job(
        run_id=manifest.id,
        candidates=judges,
        scenarios=scenarios,
        settings=made.settings,
        before=bill_of(workspace, manifest.id),
        beside=bill_of(workspace, judged) + judges_bill(workspace, judged, but=manifest.id),
    )

    async def run() -> RunOutcome:
        async with open_targets([entry.candidate for entry in judges]) as targets:
            return await execute(
                job,
                store=workspace,
                targets=targets,
                scorings={s.name: Scoring(s.spec, ()) for s in scenarios},
                progress=watch.progress,
                stop=watch.stop,
                runtime=Runtime(),
            )

    outcome = run_to_end(run())
    workspace.finish(manifest.id, outcome.status)
    return Judging(manifest=manifest, outcome=outcome)


def _manifest(
    project: Project,
    run_id: str,
    judges: tuple[ManifestCandidate, ...],
    sets: list[_Questions],
    settings: RunSettings,
) -> Manifest:
    own = judge_settings(settings)
    plan = fingerprint(
        ["judges of", run_id, sorted(j.fingerprint for j in judges), [s.mark for s in sets]]
    )
    return Manifest(
        id=f"{JUDGES}{run_id.removeprefix('r-')}-{plan[:4]}",
        project=project.name,
        created_at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        label=f"judges of {run_id}",
        befit_version=version("befit"),
        candidates=judges,
        scenarios=tuple(
            ManifestScenario(spec=one.spec, set_version=own_set.mark, n_samples=n)
            for own_set in sets
            for one, n in zip(own_set.scenarios(), (own_set.count, own_set.again), strict=False)
        ),
        settings=own,
        plan_fingerprint=plan,
        judges_run=run_id,
    )


class _Questions:
    """The questions about one scenario of a run, streamed from its trials."""

    def __init__(
        self, workspace: Workspace, run_id: str, scenario: Scenario, bench: Bench | None
    ) -> None:
        self._bench = bench
        self._workspace = workspace
        self._run_id = run_id
        self._scenario = scenario
        built = build_scorers(scenario.spec.scorers, where=f"scenario '{scenario.name}'")
        self._scorers = [scorer for scorer in built if isinstance(scorer, Asking)]
        self._of_samples: dict[str, Asking | None] = {}
        mark = 0
        self.count = 0
        for sample in self.load():
            self.count += 1
            mark ^= int(sample.id, 16)
        self.mark = f"{self.count}-{mark:x}"
        self.again = min(AGAIN, self.count)

    def scenarios(self) -> tuple[Scenario, ...]:
        """Return the scenario of all questions, and that of those asked a second time."""
        name = self._scenario.name
        return (
            Scenario(spec=judging_spec(name), samples=self),
            Scenario(
                spec=judging_spec(f"{name} again"[:100], repeats=2),
                samples=_First(self, self.again),
            ),
        )

    def load(self) -> Iterator[Sample]:
        """Yield each question once, in the order of the run's trials."""
        seen: set[str] = set()
        for sample, trial in self._judged():
            for scorer in (*self._scorers, *self._own(sample)):
                shown = (
                    sample if self._bench is None else self._bench.opposed(scorer, sample, trial)
                )
                for asked in questions(scorer, shown, trial):
                    if asked.id not in seen:
                        seen.add(asked.id)
                        yield asked

    def _own(self, sample: Sample) -> Iterator[Asking]:
        """Yield the scorers among a sample's own checks that ask judges."""
        for check in sample.checks:
            key = canonical_json([check.name, check.options])
            if key not in self._of_samples:
                made = build_scorer(check, where=f"the checks of sample '{sample.id}'")
                self._of_samples[key] = made if isinstance(made, Asking) else None
            found = self._of_samples[key]
            if found is not None:
                yield found

    def _judged(self) -> Iterator[tuple[Sample, Trial]]:
        name = self._scenario.name
        samples = {sample.id: sample for sample in self._workspace.samples(self._run_id, name)}
        own = (f for f in self._workspace.facts(self._run_id) if f.scenario == name)
        while batch := list(islice(own, _BATCH)):
            trials = self._workspace.trials([fact.key_id for fact in batch])
            for fact in batch:
                trial, sample = trials.get(fact.key_id), samples.get(fact.sample_id)
                if trial is not None and sample is not None and trial.status == "ok":
                    yield sample, trial


@dataclass(frozen=True, slots=True)
class _First:
    """The first few of a set of questions."""

    questions: _Questions
    count: int

    def load(self) -> Iterator[Sample]:
        """Yield them."""
        yield from islice(self.questions.load(), self.count)
