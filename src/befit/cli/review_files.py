"""The verbs of review that go through files: packets out and in, votes out and in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform
from befit.cli.shell import Shell

_Study = Annotated[str, typer.Argument(help="Study id, its beginning, or 'latest'.")]


def register(review: typer.Typer) -> None:
    """Add this file's verbs."""
    review.command()(packet)
    review.command()(export)
    review.command("import")(import_)


def packet(
    ctx: typer.Context,
    reviewer: Annotated[str, typer.Argument(help="An invited reviewer's name or id.")],
    study: _Study = "latest",
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.")],
    project: ProjectOption = HERE,
    items: Annotated[int, typer.Option("--items", "-n", help="Items in it.", min=1, max=400)] = 20,
    as_json: JsonOption = False,
) -> None:
    """Write a reviewer's work as one HTML page that needs no server."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_files_view import write_packet  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return write_packet(shell, workspace, study, reviewer=reviewer, out=out, items=items)

    perform(ctx, verb, as_json=as_json)


def export(
    ctx: typer.Context,
    study: _Study = "latest",
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help=".csv, .jsonl or .parquet file.")],
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Write all votes; candidates stand in it only once the study is unblinded."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_files_view import export_votes  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return export_votes(shell, workspace, study, out=out)

    perform(ctx, verb, as_json=as_json)


def import_(
    ctx: typer.Context,
    source: Annotated[
        Path, typer.Argument(help="The file of answers of a packet, or a .csv/.jsonl of votes.")
    ],
    *,
    project: ProjectOption = HERE,
    settings: Annotated[
        Path | None, typer.Option("--settings", "-s", help="YAML file with settings, for votes.")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            help="Run the votes are about; without it the newest that has their candidates and "
            "samples.",
        ),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Let a packet's answers replace others taken in before."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take a packet's answers in, or make a closed study out of votes made elsewhere."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_files_view import import_file  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return import_file(
                shell, workspace, source, settings=settings, run=run, replace=replace
            )

    perform(ctx, verb, as_json=as_json)
