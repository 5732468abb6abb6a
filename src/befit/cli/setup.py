"""Verbs around the work: init, doctor, models, plugins, schema, demo, stability."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from befit.cli import shell as codes
from befit.cli.common import HERE, JsonOption, ProjectArgument, perform
from befit.cli.shell import Shell
from befit.cli.writing import writing
from befit.errors import UsageError

SchemaName = Literal["project", "sample", "report", "review"]
ModelAction = Literal["list", "fetch", "check", "prices"]


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(init)
    app.command()(doctor)
    app.command()(models)
    app.command()(plugins)
    app.command()(schema)
    app.command()(demo)
    app.command()(stability)


def init(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder for the project.")] = HERE,
    *,
    template: Annotated[
        str, typer.Option("--template", "-t", help="extraction, minimal, support or custom.")
    ] = "",
    answer: Annotated[
        list[str] | None,
        typer.Option("--set", help="An answer as key=value; repeat for more.", show_default=False),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take every default.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask what the models are for, and write a project that fits."""

    def verb(shell: Shell) -> int:
        from befit.cli.init_view import ask, next_steps  # noqa: PLC0415 - lazy verb
        from befit.config.init import refuse_taken, write_project  # noqa: PLC0415 - lazy verb

        refuse_taken(folder)  # before anybody answers a question
        answers = ask(shell, folder, template=template, given=answer or [], defaults=yes)
        with writing(folder / "befit.yaml", "the project", do="name a folder you may write to"):
            written = write_project(folder, answers)
        for path in written:
            shell.say(f"wrote  {path}")
        for step in next_steps(folder):
            shell.say(f"next   {step}")
        return shell.result({"files": [str(path) for path in written]})

    perform(ctx, verb, as_json=as_json)


def doctor(
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    call: Annotated[
        bool, typer.Option("--call", help="Make one call of one token to each endpoint.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Prove that nothing asks the network by itself.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check installation, project, keys, workspace and local models."""

    def verb(shell: Shell) -> int:
        from befit.cli.doctor_view import examine, show_checks  # noqa: PLC0415 - lazy verb

        if call and offline:
            raise UsageError("--call and --offline contradict each other", do="give one of them")
        checks = examine(project, call=call, offline=offline)
        show_checks(shell, checks)
        bad = any(check.state == "bad" for check in checks)
        data = [{"check": c.name, "state": c.state, "text": c.text, "do": c.do} for c in checks]
        return shell.result(data, code=codes.USAGE if bad else codes.OK)

    perform(ctx, verb, as_json=as_json)


def models(
    ctx: typer.Context,
    action: Annotated[ModelAction, typer.Argument(help="What to do.")] = "list",
    name: Annotated[str, typer.Argument(help="Model name.", show_default=False)] = "",
    *,
    lists: Annotated[
        list[Path] | None,
        typer.Option("--list", help="A price list to compare (prices).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List, fetch or check the local models, or look up and compare the prices of a model."""

    def verb(shell: Shell) -> int:
        from befit.cli import models_view  # noqa: PLC0415 - lazy verb

        return models_view.act(shell, action, name, lists=lists or [])

    perform(ctx, verb, as_json=as_json)


def plugins(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Show this one's options.", show_default=False)] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """List targets, scorers and other plug-ins, the built-in ones included."""

    def verb(shell: Shell) -> int:
        from befit.cli.plugins_view import show_plugin, show_plugins  # noqa: PLC0415 - lazy verb

        return show_plugin(shell, name) if name else show_plugins(shell)

    perform(ctx, verb, as_json=as_json)


def schema(
    ctx: typer.Context,
    name: Annotated[SchemaName, typer.Argument(help="Which format.")] = "project",
    *,
    as_json: JsonOption = False,
) -> None:
    """Print the JSON Schema of a project file, sample, review or JSON report, for editors."""

    def verb(shell: Shell) -> int:
        if name == "report":
            from befit.report.json import report_schema as make  # noqa: PLC0415 - lazy verb
        elif name == "review":
            from befit.review.settings import settings_schema as make  # noqa: PLC0415 - lazy verb
        elif name == "sample":
            from befit.config.json_schema import sample_schema as make  # noqa: PLC0415 - lazy verb
        else:
            from befit.config.json_schema import project_schema as make  # noqa: PLC0415 - lazy verb
        found = make()
        shell.data(json.dumps(found, indent=2, ensure_ascii=False))
        return shell.result(found)

    perform(ctx, verb, as_json=as_json)


def demo(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder for the demo project.")] = Path(
        "befit-demo"
    ),
    *,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Recorded answers: seconds instead of minutes.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare real small models on a small real project, here and without a key."""

    def verb(shell: Shell) -> int:
        from befit.cli.demo_view import play  # noqa: PLC0415 - lazy verb

        return play(shell, folder, recorded=recorded)

    perform(ctx, verb, as_json=as_json)


def stability(
    ctx: typer.Context,
    prompt: Annotated[str, typer.Argument(help="The prompt to repeat ('-' reads stdin).")],
    *,
    project: Annotated[Path, typer.Option("--project", "-p", help="Project.")] = HERE,
    candidate: Annotated[str, typer.Option(help="Which candidate (the first if not given).")] = "",
    n: Annotated[int, typer.Option("-n", help="Number of repeats.", min=2)] = 5,
    same: Annotated[
        str, typer.Option(help="exact, normalised, edit, embedding or module:function.")
    ] = "normalised",
    as_json: JsonOption = False,
) -> None:
    """Ask one candidate the same thing n times: raw outputs, agreement, mean similarity."""

    def verb(shell: Shell) -> int:
        from befit.cli.stability_view import repeat_prompt  # noqa: PLC0415 - lazy verb

        return repeat_prompt(shell, prompt, project=project, candidate=candidate, n=n, same=same)

    perform(ctx, verb, as_json=as_json)
