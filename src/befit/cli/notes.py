"""The verbs `befit note` (record sheets) and `befit judge calibrate`."""

from __future__ import annotations

from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(note)
    judge = typer.Typer(
        name="judge",
        help="Model judges: how far they agree with people.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    judge.command()(calibrate)
    judge.callback()(_group)
    app.add_typer(judge)


def _group() -> None:
    """Model judges: how far they agree with people."""


def note(  # noqa: PLR0913 - one record sheet, all of it
    ctx: typer.Context,
    trial: Annotated[
        str, typer.Argument(help="Trial key id (or its beginning), or a record's id to change it.")
    ] = "",
    seen: Annotated[str, typer.Argument(help="What was seen.")] = "",
    *,
    project: ProjectOption = HERE,
    tag: Annotated[str, typer.Option("--tag", help="TAG, or DIMENSION/TAG.")] = "",
    severity: Annotated[
        int,
        typer.Option(min=0, max=4, help="1 cosmetic, 2 minor, 3 major, 4 blocking; 0: as it was."),
    ] = 0,
    state: Annotated[
        str, typer.Option("--mark", help="confirmed, revised or withdrawn, for a record.")
    ] = "",
    why: Annotated[str, typer.Option(help="Why it is marked so.")] = "",
    show: Annotated[bool, typer.Option("--list", help="List all records, overdue first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write down what was seen on one trial; confirm, revise or withdraw what was written."""

    def verb(shell: Shell) -> int:
        from befit.cli.notes_view import keep_note, list_notes, mark_note  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            if show or not trial:
                return list_notes(shell, workspace)
            if state:
                return mark_note(shell, workspace, trial, state, told=(seen, severity, why))
            return keep_note(shell, workspace, trial, seen, tag=tag, severity=severity)

    perform(ctx, verb, as_json=as_json)


def calibrate(
    ctx: typer.Context,
    study: Annotated[str, typer.Argument(help="An unblinded study, or 'latest'.")] = "latest",
    *,
    project: ProjectOption = HERE,
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", help="Run judged with another wording; repeat. RUN:METRIC."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say which wording of a judge agrees best with people: chosen on one half, told on the other.

    The runs hold the same answers, judged by different wordings; the study's own run is one.
    """

    def verb(shell: Shell) -> int:
        from befit.cli.notes_view import show_calibration  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return show_calibration(shell, workspace, study, runs=tuple(runs or ()))

    perform(ctx, verb, as_json=as_json)
