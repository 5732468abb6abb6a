"""The verbs that look after a set: `befit data variants`, `lint`, `freeze`, `status` ..."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform
from befit.cli.shell import Shell

SetArgument = Annotated[str, typer.Argument(help="A scenario, or a .jsonl file.")]
DaysOption = Annotated[int, typer.Option("--days", help="Newest days of the logs that are now.")]


def register(data: typer.Typer) -> None:
    """Add this file's verbs to `data`."""
    for verb in (variants, lint, freeze, add, retire, status, refresh):
        data.command()(verb)


def variants(  # noqa: PLR0913 - what changes from call to call
    ctx: typer.Context,
    samples: SetArgument,
    *,
    project: ProjectOption = HERE,
    classes: Annotated[
        list[str] | None, typer.Option("--class", help="Class of variants; repeat for more.")
    ] = None,
    parents: Annotated[int, typer.Option(help="Labelled samples to make variants of.")] = 20,
    tokens: Annotated[int, typer.Option(help="Length of the overlong variant.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed makes the same variants.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Make edge cases and attacks of labelled samples, each with what is right for it."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_variants  # noqa: PLC0415 - lazy verb

        return run_variants(
            shell, project, samples, tuple(classes or ()), numbers=(parents, seed, tokens)
        )

    perform(ctx, verb, as_json=as_json)


def lint(
    ctx: typer.Context,
    samples: SetArgument,
    *,
    project: ProjectOption = HERE,
    difference: Annotated[
        float | None, typer.Option(help="Difference of pass rates to be seen, such as 0.05.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is wrong or thin about a set; exit code 8 where something is wrong."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_lint  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return run_lint(shell, workspace, project, samples, difference=difference)

    perform(ctx, verb, as_json=as_json)


def freeze(
    ctx: typer.Context,
    samples: SetArgument,
    name: Annotated[str, typer.Argument(help="Name of the version.")],
    *,
    project: ProjectOption = HERE,
    author: Annotated[str, typer.Option(help="Who answers for it.")],
    changelog: Annotated[str, typer.Option("--note", help="What changed; counted if empty.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Keep the live samples as a named version, which runs can be told by."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_freeze  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return run_freeze(shell, workspace, project, samples, told=(name, author, changelog))

    perform(ctx, verb, as_json=as_json)


def add(
    ctx: typer.Context,
    samples: SetArgument,
    source: Annotated[Path, typer.Argument(help="File with the samples to add.")],
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Add the samples of a file to a set."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_add  # noqa: PLC0415 - lazy verb

        return run_add(shell, project, samples, source)

    perform(ctx, verb, as_json=as_json)


def retire(
    ctx: typer.Context,
    samples: SetArgument,
    ids: Annotated[list[str], typer.Argument(help="Samples to retire.")],
    *,
    project: ProjectOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Take samples out of use; they stay in the file and keep their results."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_retire  # noqa: PLC0415 - lazy verb

        return run_retire(shell, project, samples, ids)

    perform(ctx, verb, as_json=as_json)


def status(
    ctx: typer.Context,
    samples: SetArgument,
    *,
    project: ProjectOption = HERE,
    days: DaysOption = 30,
    as_json: JsonOption = False,
) -> None:
    """Say how fresh a set is, what moved in production, what to add and what to retire."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_status  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return run_status(shell, workspace, project, samples, days=days)

    perform(ctx, verb, as_json=as_json)


def refresh(  # noqa: PLR0913 - a proposal and its approval
    ctx: typer.Context,
    samples: SetArgument,
    *,
    project: ProjectOption = HERE,
    days: DaysOption = 30,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the proposal goes.")] = Path(
        "changes.json"
    ),
    approve: Annotated[
        Path | None, typer.Option("--approve", help="Apply this proposal instead.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed proposes the same samples.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Propose a change set, or apply one that was approved."""

    def verb(shell: Shell) -> int:
        from befit.cli.data_sets_view import run_refresh  # noqa: PLC0415 - lazy verb

        with open_workspace(project, must_exist=False) as workspace:
            return run_refresh(
                shell, workspace, project, samples, choices=(days, seed, out, approve)
            )

    perform(ctx, verb, as_json=as_json)
