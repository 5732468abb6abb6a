"""The verbs of test sets: `befit data import`, `sample`, `label`, `lint`, `freeze` and others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform
from befit.cli.data_sets import register as register_sets
from befit.cli.shell import Shell


def register(app: typer.Typer) -> None:
    """Add this file's verbs under `data`."""
    data = typer.Typer(
        name="data",
        help="Test sets: from business logs to a versioned, living set of samples.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    data.command("import")(import_)
    data.command()(sample)
    data.command()(label)
    register_sets(data)
    app.add_typer(data)


def import_(  # noqa: PLR0913 - what changes from call to call; the rest is in the file
    ctx: typer.Context,
    logs: Annotated[list[Path], typer.Argument(help="Log files: JSON lines, CSV, gzip, zstd.")],
    *,
    project: ProjectOption = HERE,
    form: Annotated[str, typer.Option("--format", "-f", help="Log format.")] = "auto",
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", help="Class of personal data to leave as it is; repeat for more."),
    ] = None,
    locale: Annotated[
        list[str] | None,
        typer.Option("--locale", help="Whose national ids to look for: de, fr, us ..."),
    ] = None,
    skipped: Annotated[
        Path | None, typer.Option("--skipped", help="Write broken lines' numbers to this file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read production logs, take personal data out, and store what is left."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_import_view import run_import  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return run_import(
                shell,
                workspace,
                logs,
                project=project,
                choices=(form, tuple(keep or ()), tuple(locale or ())),
                skipped=skipped,
            )

    perform(ctx, verb, as_json=as_json)


def sample(  # noqa: PLR0913 - what changes from call to call
    ctx: typer.Context,
    scenario: Annotated[str, typer.Argument(help="Whose set it is; begins the samples' ids.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="JSONL file to add samples to.")],
    *,
    project: ProjectOption = HERE,
    n: Annotated[int, typer.Option("--samples", "-n", help="Samples wanted.")] = 200,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="route=, channel=, model=, since=, until=; repeat for more."),
    ] = None,
    by: Annotated[
        str, typer.Option("--by", help="Fields of the strata, the most important first.")
    ] = "intent,language,length,channel",
    seed: Annotated[int, typer.Option(help="The same seed draws the same samples.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Draw a stratified sample from the imported logs, without duplicates, with weights."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sample_view import run_sample  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return run_sample(
                shell,
                workspace,
                scenario=scenario,
                project=project,
                out=out,
                n=n,
                choices=(tuple(where or ()), by, seed),
            )

    perform(ctx, verb, as_json=as_json)


def label(  # noqa: PLR0913 - the page, and the way through a spreadsheet
    ctx: typer.Context,
    samples: Annotated[str, typer.Argument(help="A scenario, or a .jsonl file.")],
    *,
    project: ProjectOption = HERE,
    port: Annotated[int, typer.Option(help="Port of the page, on this machine.")] = 8484,
    out: Annotated[
        Path | None, typer.Option("--export", help="Write the set as .csv or .jsonl instead.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--import", help="Take the labels of such a file instead.")
    ] = None,
    name: Annotated[str, typer.Option("--as", help="Whose labels the file holds.")] = "",
    apply: Annotated[
        int | None,
        typer.Option("--apply", help="Write labels into the set that N labellers agree on."),
    ] = None,
    state: Annotated[bool, typer.Option("--state", help="Only say how far it is.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Give samples their right answers: a local page, or a round trip through a spreadsheet."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_label_view import run_label  # noqa: PLC0415 - lazy verb
        from befit.pipeline.data_sets import find_set  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            held = find_set(project, samples, workspace)
            return run_label(
                shell, workspace, held, files=(out, source, name), apply=apply, page=(port, state)
            )

    perform(ctx, verb, as_json=as_json)
