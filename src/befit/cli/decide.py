"""Verbs that decide: decide, bless, gate, watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, RunArgument, open_workspace, perform
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(decide)


def decide(  # noqa: PLR0913 - the run, the record and its forms
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    diff: Annotated[str, typer.Option(help="Say what changed since this decision.")] = "",
    show: Annotated[str, typer.Option(help="Show a decision made before; decide nothing.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write it as Markdown.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Decide, but record nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Decide on a run by the project's policy as it is now, and record it for good."""

    def verb(shell: Shell) -> int:
        from befit.cli.decide_view import decide_and_show  # noqa: PLC0415 - lazy verb
        from befit.engine.collecting import fewer_collections  # noqa: PLC0415 - lazy verb

        with fewer_collections(), open_workspace(project, shell=shell) as workspace:
            return decide_and_show(
                shell,
                workspace,
                project,
                run_id=run_id,
                words=(diff, show),
                out=out,
                dry_run=dry_run,
            )

    perform(ctx, verb, as_json=as_json)
