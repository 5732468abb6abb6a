"""`befit causes`: why a model seems to have changed."""

from __future__ import annotations

from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectArgument, perform
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(causes)


def causes(  # noqa: PLR0913 - what is varied, and how far, has that many sides
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    on: Annotated[
        str, typer.Option("--on", help="candidate, or candidate/scenario (the first ones if not).")
    ] = "",
    samples: Annotated[int, typer.Option("--samples", "-n", min=2, help="Samples asked.")] = 30,
    together: Annotated[
        int, typer.Option("--together", min=2, help="Calls at a time, against one.")
    ] = 8,
    longest: Annotated[
        int, typer.Option("--longest", min=0, help="Tokens of the longest text (0: none).")
    ] = 8000,
    anew: Annotated[
        bool, typer.Option("--anew", help="Measure all, also where an earlier look broke off.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Look for causes: provider's default or explicit settings, batching, a context that is cut."""

    def verb(shell: Shell) -> int:
        from befit.cli.causes_view import act  # noqa: PLC0415 - lazy verb

        return act(
            shell,
            project,
            on=on,
            samples=samples,
            together=together,
            longest=longest,
            anew=anew,
        )

    perform(ctx, verb, as_json=as_json)
