"""Verbs that make results: plan, run, score."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from befit.cli import shell as codes
from befit.cli.common import (
    HERE,
    JsonOption,
    ProjectArgument,
    ProjectOption,
    RunArgument,
    finite,
    open_workspace,
    open_workspace_if_there,
    perform,
    read_project,
)
from befit.cli.shell import Shell
from befit.core.written import many

if TYPE_CHECKING:
    from befit.config.project import Project
    from befit.core.run import RunSettings
    from befit.pipeline.running import Ran

MOST_SAMPLES = 1_000_000_000
ProgressForm = Literal["auto", "ndjson"]
MaxCostOption = Annotated[
    float | None, typer.Option(min=0, callback=finite, help="Spend cap in USD.")
]
LimitOption = Annotated[
    int | None, typer.Option(min=1, max=MOST_SAMPLES, help="First n samples of each scenario.")
]


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(plan)
    app.command()(run)
    app.command()(score)


def plan(
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show calls, cost range, time and what differences could be seen, before spending."""

    def verb(shell: Shell) -> int:
        return _show_plan(shell, read_project(project, shell, keys_needed=False), project)

    perform(ctx, verb, as_json=as_json)


def run(  # noqa: PLR0913 - what changes from call to call; the rest is in the file
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    max_cost: MaxCostOption = None,
    label: Annotated[str, typer.Option(help="Measure anew under this name.")] = "",
    limit: LimitOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan only, no call.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")] = False,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Stop as soon as the decision stands.")
    ] = False,
    progress: Annotated[ProgressForm, typer.Option(help="How progress is told on stderr.")] = (
        "auto"
    ),
    as_json: JsonOption = False,
) -> None:
    """Run the project; the same command resumes it."""

    def verb(shell: Shell) -> int:
        loaded = _limited(read_project(project, shell, keys_needed=not dry_run), limit)
        settings = _settings(loaded, max_cost=max_cost, label=label)
        if dry_run:
            return _show_plan(shell, loaded, project, settings=settings)
        from befit.cli import run_view as view  # noqa: PLC0415 - lazy verb

        shell.ndjson = progress == "ndjson"
        resume = _same_command(
            shell,
            project,
            {
                "--max-cost": max_cost,
                "--label": label,
                "--limit": limit,
                "--yes": yes,
                "--until-decided": until_decided,
                "--progress": None if progress == "auto" else progress,
                "--json": as_json,
            },
        )
        with open_workspace(project, must_exist=False) as workspace:
            plan = view.announce(shell, loaded, workspace, settings=settings)
            if not yes and not view.agreed(shell, plan, settings):
                shell.say("nothing was run")
                return codes.INTERRUPTED
            if until_decided:
                from befit.cli.until_view import until_decided_and_show  # noqa: PLC0415 - lazy

                return until_decided_and_show(
                    shell, loaded, workspace, settings=settings, plan=plan, resume=resume
                )
            ran = view.run_with_progress(shell, loaded, workspace, settings=settings, plan=plan)
            return shell.result(
                view.summary(shell, ran, project=project, resume=resume), code=exit_code(ran)
            )

    perform(ctx, verb, as_json=as_json)


def _same_command(shell: Shell, project: Path, given: dict[str, str | float | bool | None]) -> str:
    """Return the command line that goes on where this one stops: its own words."""
    before = {
        "--debug": shell.debug,
        "--quiet": shell.quiet,
        "--no-color": not shell.colour,
        "--plain": shell.plain,
        "--no-input": shell.no_input,
    }
    words = ["befit", *(name for name, on in before.items() if on), "run"]
    if project != HERE:
        words.append(str(project))
    for name, value in given.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False and value != "":
            words += [name, str(value).removesuffix(".0")]
    return shlex.join(words)


def _show_plan(
    shell: Shell, loaded: Project, project: Path, *, settings: RunSettings | None = None
) -> int:
    from befit.cli.plan_view import plan_data, show_plan  # noqa: PLC0415 - lazy verb
    from befit.pipeline.planning import plan_project  # noqa: PLC0415 - lazy verb

    with open_workspace_if_there(project) as workspace:
        made = plan_project(loaded, workspace, settings=settings)
    for warning in made.warnings:
        if warning not in shell.warnings:
            shell.warn(warning)
    if not shell.as_json:
        show_plan(shell, made)
    return shell.result(plan_data(made))


def exit_code(ran: Ran) -> int:
    """Return the exit code of a run: the cap before provider faults before missing trials."""
    judged = None if ran.judging is None else ran.judging.outcome
    outcomes = [one for one in (ran.outcome, judged) if one is not None]
    if any(one.status == "interrupted" for one in outcomes):
        return codes.INTERRUPTED
    if any(one.status == "capped" for one in outcomes):
        return codes.CAPPED
    causes = [stopped.cause.kind for one in outcomes for stopped in one.stopped]
    if causes:
        return codes.of_failures(causes)
    return codes.PARTIAL if any(one.status == "partial" for one in outcomes) else codes.OK


def _settings(project: Project, *, max_cost: float | None, label: str) -> RunSettings:
    changed: dict[str, float | str] = {"label": label} if label else {}
    if max_cost is not None:
        changed["max_cost"] = max_cost
    return project.settings.model_copy(update=changed)


def _limited(project: Project, limit: int | None) -> Project:
    if limit is None:
        return project
    from befit.pipeline.limiting import first_samples  # noqa: PLC0415 - lazy verb

    return first_samples(project, limit)


def score(
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Score a stored run again with the project's scorers and targets as they are now; no call."""

    def verb(shell: Shell) -> int:
        from befit.pipeline.rescoring import rescore_run  # noqa: PLC0415 - lazy verb

        loaded = read_project(project, shell, keys_needed=False, endpoints_needed=False)
        if any(one.spec.judges or one.spec.user is not None for one in loaded.scenarios):
            # Verdicts are kept by who gave them, and the endpoint is part of who that is.
            loaded = read_project(project, shell, keys_needed=False)
        with open_workspace(project, shell=shell) as workspace:
            found = workspace.find_run(run_id)
            counts = rescore_run(loaded, workspace, found.id)
        shell.say(
            f"{found.id}: {many(counts.scored, 'trial')} scored again, "
            f"{many(counts.changed, 'verdict')} changed"
        )
        if counts.scenarios_changed:
            shell.say(
                f"{many(counts.scenarios_changed, 'scenario')} and "
                f"{many(counts.samples_changed, 'sample')} are judged by something else "
                "now; what they were judged by before is kept"
            )
        for note in counts.notes:
            shell.warn(note)
        return shell.result(
            {
                "run": found.id,
                "scored": counts.scored,
                "changed": counts.changed,
                "scenarios_changed": counts.scenarios_changed,
                "samples_changed": counts.samples_changed,
            }
        )

    perform(ctx, verb, as_json=as_json)
