"""The verb about judges: how far they can be trusted, and what they have cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, RunArgument, open_workspace, perform
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(judges)


def judges(
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    labels: Annotated[
        Path | None,
        typer.Option(help="People's verdicts: CSV with scenario,candidate,sample,repeat,value."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how far a run's judges can be trusted; with labels, the rates they correct."""

    def verb(shell: Shell) -> int:
        from befit.cli.judges_view import show_judges  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return show_judges(shell, workspace, run_id, labels=labels)

    perform(ctx, verb, as_json=as_json)
