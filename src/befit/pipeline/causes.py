"""The stage that looks for causes: paired runs of one candidate with one thing varied at a time.

Settings (the provider's default against explicit ones) stand in one run, so that both
meet the same hour. Batching is measured alone, together, and alone again: what changes
between the two lone runs changes by itself. Texts of growing length with a marker at
their start show whether the context is cut. All are ordinary runs, stored, scored and
held to the spend cap, in a workspace of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

from befit.analysis.causes import Measured, Sent, Way, beginnings, contrast
from befit.analysis.causes_result import Causes, Contrast
from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.fingerprint import fingerprint
from befit.core.policy import Policy
from befit.core.run import RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Scenario, ScenarioSpec
from befit.core.written import many
from befit.datasets.files import ListDataset
from befit.datasets.files_inspect import inspect
from befit.errors import DataError, UsageError
from befit.pipeline.billing import bill_of, judges_bill
from befit.pipeline.running import run_project
from befit.plugins import nearest
from befit.probes.marker import LENGTH, marked_texts
from befit.storage.workspace import Workspace

T = TypeVar("T")
ALONE, TOGETHER, AGAIN = "alone", "together", "alone again"
EXPLICIT, DEFAULT = "explicit", "default"
_SETTINGS = ("temperature", "top_p")
_COMMON = {"temperature": 1.0, "top_p": 1.0}
"""What providers say that they take where nothing is set."""
_ANSWER_TOKENS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesPlan:
    """What is to be looked at."""

    candidate: str = ""
    """The first one if not given."""
    scenario: str = ""
    samples: int = 30
    together: int = 8
    """Calls at a time, against one."""
    lengths: tuple[int, ...] = (500, 1000, 2000, 4000, 8000)
    """Tokens of the texts with a marker; none are sent where this is empty."""
    texts: int = 4
    """Texts of each length."""

    def calls(self, samples: int) -> int:
        """Return how many calls this makes on so many samples (single-turn ones)."""
        return 5 * samples + len(self.lengths) * self.texts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    project: Project
    workspace: Workspace
    stamp: str
    """Begins the label of every run of one look: what it looks at, and when it began."""
    say: Callable[[str], None]

    def run(
        self,
        scenario: Scenario,
        candidates: tuple[Candidate, ...],
        what: str,
        *,
        concurrency: int | None = None,
    ) -> str:
        """Run one part and return its run's id."""
        self.say(what)
        settings = self.project.settings
        left = settings.max_cost
        if left is not None:
            spent = sum(
                float((bill_of(self.workspace, run.id) + judges_bill(self.workspace, run.id)).most)
                for run, _ in self.workspace.runs()
                if run.label.startswith(self.stamp)
            )
            left = max(0.0, left - spent)
        part = replace(
            self.project,
            candidates=candidates,
            scenarios=(scenario,),
            summaries={scenario.name: inspect(scenario.samples)},
            tiers=(),
            policy=Policy(),
            screening=None,
        )
        made: RunSettings = settings.model_copy(
            update={
                "label": f"{self.stamp} {what}",
                "concurrency": concurrency or settings.concurrency,
                "max_cost": left,
            }
        )
        return run_project(part, self.workspace, settings=made).manifest.id


def look_for_causes(
    project: Project,
    plan: CausesPlan,
    workspace: Workspace,
    *,
    say: Callable[[str], None] | None = None,
    kept: Collection[str] | None = None,
    anew: bool = False,
) -> Causes:
    """Measure, compare, and return what was found.

    A look at the same that broke off is gone on with: its answers are stored under its
    label, so nothing is paid for twice.

    Args:
        project: the checked project.
        plan: what is to be looked at.
        workspace: where the runs are kept; one of their own, so that `latest` stays what it is.
        say: told each part as it begins.
        kept: `created_at` of looks whose findings are kept: one that was measured to its end
            and is not among them is gone on with, too. None: all that ended are kept.
        anew: True measures all anew.

    Raises:
        UsageError: an unknown candidate or scenario.
        DataError: the scenario has no samples.
        BefitError: as the engine does; everything paid for is stored by then.
    """
    candidate = _named({one.name: one for one in project.candidates}, plan.candidate, "candidate")
    scenario = _named({one.name: one for one in project.scenarios}, plan.scenario, "scenario")
    now = datetime.now(tz=UTC)
    with importable(project.folder):
        samples = list(islice(scenario.samples.load(), plan.samples))
    if not samples:
        raise DataError(f"scenario '{scenario.name}' has no samples")
    one = Scenario(
        spec=scenario.spec.model_copy(update={"repeats": 1, "variants": ()}),
        samples=ListDataset(samples, name=scenario.name),
    )
    tell = say or (lambda _text: None)
    mark = _mark(project, plan, candidate, scenario, samples)
    begun = None if anew else _broken_off(workspace, mark, kept, parts=4 + bool(plan.lengths))
    if begun is not None:
        tell(f"what was begun at {begun:%Y-%m-%d %H:%M} UTC, from where it broke off")
        now = begun
    work = _Work(project=project, workspace=workspace, stamp=f"{mark} {now.isoformat()}", say=tell)
    contrasts = (_settings(work, one, candidate), _batching(work, one, candidate, plan.together))
    sent = _marked(work, candidate, plan) if plan.lengths else ()
    return Causes(
        candidate=candidate.name,
        fingerprint=candidate.fingerprint,
        scenario=scenario.name,
        created_at=now.isoformat(timespec="seconds"),
        contrasts=contrasts,
        beginnings=beginnings([one for one in sent if one is not None]),
        unanswered=sum(one is None for one in sent),
    )


def _mark(
    project: Project,
    plan: CausesPlan,
    candidate: Candidate,
    scenario: Scenario,
    samples: Sequence[Sample],
) -> str:
    """Return what tells looks at the same from others."""
    return fingerprint(
        [
            candidate.fingerprint,
            scenario.spec.execution_fingerprint(candidate.prompt),
            [sample.input_fingerprint for sample in samples],
            [plan.together, list(plan.lengths), plan.texts],
            project.settings.seed,
        ]
    )


def _broken_off(
    workspace: Workspace, mark: str, kept: Collection[str] | None, *, parts: int
) -> datetime | None:
    """Return when the last look with this mark began, if it broke off before its end.

    That is: a part is not complete, or its findings were never kept.
    """
    done: dict[str, set[str]] = {}
    for run, status in workspace.runs():
        own, _, rest = run.label.partition(" ")
        begun, _, what = rest.partition(" ")
        if own == mark and begun:
            ended = done.setdefault(begun, set())
            if status == "complete":
                ended.add(what)
    if not done:
        return None
    last = max(done)
    began = datetime.fromisoformat(last)
    if len(done[last]) < parts:
        return began
    known = kept is None or began.isoformat(timespec="seconds") in kept
    return None if known else began


def _settings(work: _Work, scenario: Scenario, candidate: Candidate) -> Contrast:
    """Compare explicit settings with those that the provider takes where none are sent."""
    sampling = candidate.sampling
    told = {
        name: _COMMON[name] if getattr(sampling, name) is None else getattr(sampling, name)
        for name in _SETTINGS
    }
    arms = (
        candidate.model_copy(
            update={"name": EXPLICIT, "sampling": sampling.model_copy(update=told)}
        ),
        candidate.model_copy(
            update={
                "name": DEFAULT,
                "sampling": sampling.model_copy(
                    update={**dict.fromkeys(_SETTINGS), "reasoning_effort": None}
                ),
            }
        ),
    )
    run_id = work.run(scenario, arms, "settings")
    named = ", ".join(f"{name} {value:g}" for name, value in told.items())
    if sampling.reasoning_effort is not None:
        named = f"{named}, reasoning effort {sampling.reasoning_effort}"
    ways = _ways(work.workspace, run_id)
    planned = 2 * _count(scenario)
    return contrast(
        "settings",
        (f"{named} set", "the provider's default"),
        ways.get(EXPLICIT, {}),
        ways.get(DEFAULT, {}),
        planned=planned,
    )


def _batching(work: _Work, scenario: Scenario, candidate: Candidate, together: int) -> Contrast:
    found: list[Way] = []
    for what, calls in ((ALONE, 1), (TOGETHER, together), (AGAIN, 1)):
        run_id = work.run(scenario, (candidate,), what, concurrency=calls)
        found.append(_ways(work.workspace, run_id).get(candidate.name, {}))
    return contrast(
        "batching",
        ("1 call at a time", f"{many(together, 'call')} at a time"),
        found[0],
        found[1],
        again=found[2],
        planned=2 * _count(scenario),
    )


def _marked(work: _Work, candidate: Candidate, plan: CausesPlan) -> tuple[Sent | None, ...]:
    """Send the texts with a marker; None stands for one of which nothing came back."""
    seed = work.project.settings.seed
    texts = list(
        marked_texts(plan.lengths, each=plan.texts, seed=seed if isinstance(seed, int) else 0)
    )
    spec = ScenarioSpec(
        name="beginning of the context", dimension="long-context", repeats=1, success="The marker."
    )
    short = candidate.sampling.model_copy(
        update={"max_tokens": max(candidate.sampling.max_tokens or 0, _ANSWER_TOKENS)}
    )
    run_id = work.run(
        Scenario(spec=spec, samples=ListDataset(texts, name="markers")),
        (candidate.model_copy(update={"sampling": short}),),
        "context",
    )
    landed = {
        fact.sample_id: fact for fact in work.workspace.facts(run_id) if fact.status != "missing"
    }
    return tuple(
        Sent(
            tokens=_length(text),
            chars=len(str(text.input)),
            named=fact.passed == 1.0,
            refused=fact.status == "candidate_failure",
            billed=fact.input_tokens,
        )
        if (fact := landed.get(text.id)) is not None
        else None
        for text in texts
    )


def _length(sample: Sample) -> int:
    return int(sample.tags[0].removeprefix(LENGTH))


def _count(scenario: Scenario) -> int:
    return sum(1 for _ in scenario.samples.load())


def _ways(workspace: Workspace, run_id: str) -> dict[str, dict[str, Measured]]:
    """Return what a run measured, by candidate and sample."""
    facts = [
        fact
        for fact in workspace.facts(run_id)
        if fact.status != "missing" and fact.passed is not None
    ]
    trials = workspace.trials([fact.key_id for fact in facts])
    found: dict[str, dict[str, Measured]] = {}
    for fact in facts:
        trial = trials.get(fact.key_id)
        found.setdefault(fact.candidate, {})[fact.sample_id] = Measured(
            passed=(fact.passed or 0.0,),
            outputs=("" if trial is None else trial.output,),
            tokens=() if fact.output_tokens is None else (fact.output_tokens,),
            served=() if fact.served_model is None else (fact.served_model,),
            cluster=fact.cluster,
            weight=fact.weight,
        )
    return found


def _named(known: dict[str, T], name: str, what: str) -> T:
    if not name:
        return next(iter(known.values()))
    if name not in known:
        guess = nearest(name, list(known))
        raise UsageError(f"no {what} '{name}'", why=f"{guess}known: {', '.join(known)}")
    return known[name]
