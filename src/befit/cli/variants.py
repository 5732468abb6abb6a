"""`befit variants`: other wordings of a prompt by a model, checked and frozen."""

from __future__ import annotations

from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, perform
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(variants)


def variants(
    ctx: typer.Context,
    scenario: Annotated[str, typer.Argument(help="The scenario whose prompt is worded anew.")],
    *,
    by: Annotated[str, typer.Option("--by", help="The candidate that words it.")],
    n: Annotated[int, typer.Option("--n", "-n", help="Wordings asked for.")] = 5,
    confirm: Annotated[
        list[str] | None,
        typer.Option("--confirm", help="A wording you have read and found the same; repeatable."),
    ] = None,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Have a model word a prompt anew, check that it asks the same, freeze what you confirm."""

    def verb(shell: Shell) -> int:
        from befit.cli.variants_view import act  # noqa: PLC0415 - lazy verb

        return act(shell, project, scenario=scenario, by=by, n=n, names=confirm or [])

    perform(ctx, verb, as_json=as_json)
