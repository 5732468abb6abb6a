"""The stage before any spending: calls, money, time, and what this plan could show at best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil

from befit.config.project import Project
from befit.core.run import RunSettings
from befit.engine.job import Job
from befit.engine.plan import Plan, plan
from befit.pipeline.known_times import latencies
from befit.pipeline.manifest import make_manifest
from befit.pipeline.own_source import stale_sources
from befit.pipeline.running import count_slots, with_keys, without_keys
from befit.stats.power import connor_n, samples_for_margin, smallest_detectable
from befit.storage.workspace import Workspace

DISCORDANCE = 0.2
"""Assumed share of samples on which two candidates differ, until a run has shown it."""
USUAL = 0.05
"""The difference that is asked about most."""
SIZES = (50, 100, 200, 500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest difference of two candidates that a scenario of this size shows.

    At 80 % power and 5 % significance, if the two differ on a fifth of the
    samples (Connor 1987). `corrected` is the same after Holm over all pairs of
    the plan's candidates. None: no outcome of so few samples is significant.
    """

    scenario: str
    n_samples: int
    difference: float | None
    corrected: float | None
    by_size: dict[int, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """Samples of a scenario that usual questions take, at 80 % power and `DISCORDANCE`."""

    difference: float
    one_pair: int
    """To tell two candidates apart that differ by `difference`."""
    all_pairs: int
    """The same after Holm over all pairs of the plan's candidates."""
    margin: float
    regression: int
    """To show that a change is at most `margin` worse than its baseline, if nothing changed."""


def recommend(*, pairs: int, margin: float) -> Recommended:
    """Return the samples that usual questions take."""
    return Recommended(
        difference=USUAL,
        one_pair=ceil(connor_n(USUAL, discordance=DISCORDANCE)),
        all_pairs=ceil(connor_n(USUAL, discordance=DISCORDANCE, alpha=0.05 / pairs)),
        margin=margin,
        regression=samples_for_margin(margin, discordance=max(DISCORDANCE, margin)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReport:
    """A plan with what it can detect, and the project's own warnings."""

    project: str
    plan: Plan
    detectable: tuple[Detectable, ...]
    warnings: tuple[str, ...]
    recommended: Recommended


def plan_project(
    project: Project, workspace: Workspace | None = None, *, settings: RunSettings | None = None
) -> PlanReport:
    """Plan a run of `project` without making a call.

    Args:
        project: the checked project.
        workspace: where answers may already be stored; None plans from nothing.
        settings: replaces the project's run settings.
    """
    settings = without_keys(settings or project.settings, project)
    manifest = make_manifest(project, run_id="-", now=datetime.now(tz=UTC), settings=settings)
    job = Job(
        run_id="-",
        candidates=with_keys(manifest, project),
        scenarios=project.scenarios,
        settings=settings,
        n_slots=count_slots(project),
    )
    if workspace is None:
        made = plan(job)
    else:
        made = plan(job, stored=workspace.trials, latencies=latencies(workspace, manifest))
    # These the project has said already, with file and line.
    spoken = [
        f"{warning.subject}: {warning.text}"
        for warning in made.warnings
        if warning.code not in {"no_failure_modes", "few_repeats", "no_scorers"}
    ]
    stale = [] if workspace is None else stale_sources(workspace, manifest)
    pairs = max(1, len(project.candidates) * (len(project.candidates) - 1) // 2)
    return PlanReport(
        project=project.name,
        plan=made,
        detectable=tuple(
            detectable(scenario.name, project.summaries[scenario.name].n, pairs=pairs)
            for scenario in project.scenarios
        ),
        warnings=tuple(dict.fromkeys([*project.warnings, *spoken, *stale])),
        recommended=recommend(pairs=pairs, margin=project.policy.margin),
    )


def detectable(
    scenario: str, n_samples: int, *, pairs: int, sizes: Sequence[int] = SIZES
) -> Detectable:
    """Return what `n_samples` samples can show, and what more of them would."""
    return Detectable(
        scenario=scenario,
        n_samples=n_samples,
        difference=smallest_detectable(n_samples, discordance=DISCORDANCE),
        corrected=smallest_detectable(n_samples, discordance=DISCORDANCE, alpha=0.05 / pairs),
        by_size={n: smallest_detectable(n, discordance=DISCORDANCE) for n in sizes},
    )
