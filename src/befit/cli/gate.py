"""Verbs of regression: bless a baseline, gate a change against it, watch it over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from befit.cli.common import (
    HERE,
    JsonOption,
    ProjectOption,
    RunArgument,
    open_workspace,
    perform,
    read_project,
)
from befit.cli.shell import Shell

OnInconclusive = Literal["exit4", "fail", "pass"]
Across = Literal["refuse", "rerun", "common"]
BaselineOption = Annotated[str, typer.Option("--baseline", "-b", help="Blessed name, or a run.")]
InconclusiveOption = Annotated[
    OnInconclusive, typer.Option(help="What too little evidence counts as.")
]
OutOption = Annotated[
    list[Path] | None,
    typer.Option("--out", "-o", help="Write it: .xml (JUnit), .md, .json; may be repeated."),
]
DEFAULT = "baseline"


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(bless)
    app.command()(gate)
    watch_app = typer.Typer(no_args_is_help=True, help="Check again from time to time.")
    watch_app.command("gate")(watch_gate)
    watch_app.command("history")(watch_history)
    app.add_typer(watch_app, name="watch")


def bless(
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    name: Annotated[str, typer.Option("--as", help="Name of the baseline.")] = DEFAULT,
    note: Annotated[str, typer.Option(help="Why, kept with it.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Name a run as a baseline; what had the name before stays on record."""

    def verb(shell: Shell) -> int:
        from datetime import UTC, datetime  # noqa: PLC0415 - lazy verb

        from befit.cli.decide_view import person  # noqa: PLC0415 - lazy verb
        from befit.pipeline.gating import bless as name_run  # noqa: PLC0415 - lazy verb
        from befit.pipeline.gating import held  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            found = workspace.find_run(run_id)
            kept = name_run(
                workspace,
                found.id,
                name=name,
                by=person(),
                note=note,
                now=datetime.now(tz=UTC),
            )
            answered, missing = held(workspace, found.id)
            partial = workspace.status(found.id) == "partial"
        if partial or missing:
            shell.warn(
                f"the baseline is not whole: {answered:,} answered, {missing:,} missing"
                + (", and the run stopped before its end" if partial else "")
                + "; changes are compared on what is there alone (befit run asks for the rest)"
            )
        shell.say(f"{found.id} is the baseline '{name}' ({kept.id})")
        return shell.result(
            {
                "run": found.id,
                "name": name,
                "record": kept.id,
                "answered": answered,
                "missing": missing,
            }
        )

    perform(ctx, verb, as_json=as_json)


def gate(  # noqa: PLR0913 - a gate in a pipeline is called with all of these
    ctx: typer.Context,
    project: ProjectOption = HERE,
    *,
    baseline: BaselineOption = DEFAULT,
    candidate: Annotated[str, typer.Option(help="Only this candidate.")] = "",
    across: Annotated[
        Across, typer.Option(help="Where sample set, scorer or judge differ.")
    ] = "refuse",
    on_inconclusive: InconclusiveOption = "exit4",
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rerun what a change touches and compare with the baseline: 0 pass, 3 fail, 4 open."""

    def verb(shell: Shell) -> int:
        from befit.cli.gate_run import Ask, gate_and_show  # noqa: PLC0415 - lazy verb

        loaded = read_project(project, shell, keys_needed=True)
        with open_workspace(project, shell=shell) as workspace:
            return gate_and_show(
                shell,
                loaded,
                workspace,
                Ask(baseline=baseline, only=candidate, across=across),
                on_inconclusive=on_inconclusive,
                out=out or [],
            )

    perform(ctx, verb, as_json=as_json)


def watch_gate(
    ctx: typer.Context,
    project: ProjectOption = HERE,
    *,
    baseline: BaselineOption = DEFAULT,
    on_inconclusive: InconclusiveOption = "exit4",
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure anew and compare with the baseline; for cron or a timer, never two at once."""

    def verb(shell: Shell) -> int:
        from befit.cli.gate_run import watch_and_show  # noqa: PLC0415 - lazy verb

        loaded = read_project(project, shell, keys_needed=True)
        with open_workspace(project, shell=shell) as workspace:
            return watch_and_show(
                shell,
                loaded,
                workspace,
                baseline=baseline,
                on_inconclusive=on_inconclusive,
                out=out or [],
            )

    perform(ctx, verb, as_json=as_json)


def watch_history(
    ctx: typer.Context,
    project: ProjectOption = HERE,
    *,
    baseline: BaselineOption = DEFAULT,
    limit: Annotated[int, typer.Option(help="How many, the newest first.")] = 30,
    as_json: JsonOption = False,
) -> None:
    """Show the verdicts against a baseline over time."""

    def verb(shell: Shell) -> int:
        from befit.cli.gate_run import show_history  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return show_history(shell, workspace, baseline=baseline, limit=limit)

    perform(ctx, verb, as_json=as_json)
