"""The verbs of blind review by people: `befit review create`, `invite`, `status`, `unblind` ..."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, RunArgument, open_workspace, perform
from befit.cli.review_files import register as register_files
from befit.cli.review_people import register as register_people
from befit.cli.shell import Shell

StudyArgument = Annotated[str, typer.Argument(help="Study id, its beginning, or 'latest'.")]


def register(app: typer.Typer) -> None:
    """Add this file's verbs under `review`."""
    review = typer.Typer(
        name="review",
        help="Blind review by people: pairs of answers, votes with reasons, who may be believed.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for verb in (create, serve, status, pause, close, unblind, recalibrate):
        review.command()(verb)
    review.command("open")(open_)
    register_people(review)
    register_files(review)
    app.add_typer(review)


def create(  # noqa: PLR0913 - what changes from call to call; the rest is in the file
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    settings: Annotated[
        Path | None, typer.Option("--settings", "-s", help="YAML file with the study's settings.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Items with feedback: question, left, right, verdict, why.")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Items with a known verdict, strewn in silently.")
    ] = None,
    preference: Annotated[
        float, typer.Option(help="Share of preference one wants to see, for the votes needed.")
    ] = 0.6,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it takes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a study out of a run's answers: pairs, sealed identities, the published commitment."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_view import create_and_show  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return create_and_show(
                shell,
                workspace,
                run_id=run_id,
                files=(settings, calibration, gold),
                preference=preference,
                dry_run=dry_run,
            )

    perform(ctx, verb, as_json=as_json)


def serve(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port.", min=1, max=65_535)] = 8585,
    public: Annotated[
        str, typer.Option(help="Address browsers use, where a proxy with a certificate is before.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Serve the reviewers' pages until interrupted; a study in draft is opened."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_view import serve_study  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return serve_study(shell, workspace, study, host=host, port=port, public=public)

    perform(ctx, verb, as_json=as_json)


def status(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show progress, agreement and reviewers; nothing of any candidate."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_view import show_status  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return show_status(shell, workspace, study)

    perform(ctx, verb, as_json=as_json)


def open_(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Open a study, or go on after a pause: from now on votes are taken."""
    _step(ctx, study, project, "open", as_json=as_json)


def pause(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Pause a study: nobody can vote until it is opened again."""
    _step(ctx, study, project, "pause", as_json=as_json)


def close(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Close a study for good; then it can be unblinded."""
    _step(ctx, study, project, "close", as_json=as_json)


def recalibrate(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    end: Annotated[bool, typer.Option("--end", help="End the one that is on.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Have reviewers rate gold and some of their own items again; drift shows in the result."""
    _step(ctx, study, project, "end cycle" if end else "begin cycle", as_json=as_json)


def _step(ctx: typer.Context, study: str, project: Path, step: str, *, as_json: bool) -> None:
    def verb(shell: Shell) -> int:
        from befit.cli.review_view import take_step  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return take_step(shell, workspace, study, step)

    perform(ctx, verb, as_json=as_json)


def unblind(
    ctx: typer.Context,
    study: StudyArgument = "latest",
    *,
    project: ProjectOption = HERE,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="The study's key, where it is kept apart.")
    ] = None,
    break_blind: Annotated[
        bool, typer.Option("--break-blind", help="Close an open study now, for good, and unblind.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; it stamps every result.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Open the mapping of a closed study, check it against the commitment, show the result."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_result_view import unblind_and_show  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            return unblind_and_show(
                shell, workspace, study, key_file=key_file, breaking=(break_blind, reason)
            )

    perform(ctx, verb, as_json=as_json)
