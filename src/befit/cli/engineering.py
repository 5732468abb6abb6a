"""Verbs that measure more than answers: load, fallback check, reprice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectArgument, ProjectOption, RunArgument, perform
from befit.cli.shell import Shell

NOWHERE = Path("-")


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(load)
    app.command()(reprice)
    group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    group.command("check")(check)
    group.command("gateway")(gateway)
    app.add_typer(group, name="fallback", help="Test fallbacks before they are needed.")


def load(  # noqa: PLR0913 - what, how, for how long, and where to
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    on: Annotated[
        str, typer.Option("--on", help="candidate, or candidate/scenario (the first ones if not).")
    ] = "",
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            "-s",
            help="poisson:RATE, constant:RATE, ramp:FROM-TO, closed:N, replay:FILE, search or"
            " search:closed; repeat for several levels. An imported result: FILE.json.",
            show_default=False,
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="key=value: warm_up, cool_down, seed, speed; latency, first_token, per_token,"
            " share (what is promised); requests, tokens, usd (caps); hourly; start, most,"
            " least_calls (search).",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        str, typer.Option("--duration", help="Of each level: 90, 10m, 2h (60 s if not given).")
    ] = "",
    html: Annotated[Path, typer.Option("--html", help="Write the page here.")] = NOWHERE,
    as_json: JsonOption = False,
) -> None:
    """Measure latency, throughput, failures and quality of one candidate under load."""

    def verb(shell: Shell) -> int:
        from befit.cli.load_view import act  # noqa: PLC0415 - lazy verb

        page = None if html == NOWHERE else html
        words = [*(given or []), *([f"duration={duration}"] if duration else [])]
        return act(shell, project, on=on, shapes=shape or [], given=words, html=page)

    perform(ctx, verb, as_json=as_json)


def check(
    ctx: typer.Context,
    project: ProjectArgument = HERE,
    *,
    edge: Annotated[
        list[str] | None,
        typer.Option(
            "--edge", help="primary:fallback; all pairs if not given.", show_default=False
        ),
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Ask the fallbacks themselves (costs a few calls).")
    ] = False,
    faults: Annotated[
        int,
        typer.Option(
            "--faults", help="Tries of each fault of the matrix (0: none).", min=0, max=10_000
        ),
    ] = 0,
    cards: Annotated[
        list[Path] | None,
        typer.Option(
            "--list",
            help="LiteLLM's or models.dev's list, for what models can do.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check every primary -> fallback edge: cards, parameters, handover, faults, rescue."""

    def verb(shell: Shell) -> int:
        from befit.cli.fallback_view import act  # noqa: PLC0415 - lazy verb

        return act(
            shell, project, edges=edge or [], measure=measure, faults=faults, lists=cards or []
        )

    perform(ctx, verb, as_json=as_json)


def gateway(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(help="Base URL of the gateway, with /v1.")],
    *,
    model: Annotated[str, typer.Option("--model", help="Model that the gateway routes.")] = "main",
    as_json: JsonOption = False,
) -> None:
    """Grade a gateway whose primary is `python -m befit.testing`, fault by fault."""

    def verb(shell: Shell) -> int:
        from befit.cli.fallback_view import grade  # noqa: PLC0415 - lazy verb

        return grade(shell, url, model=model)

    perform(ctx, verb, as_json=as_json)


def reprice(
    ctx: typer.Context,
    run: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    lists: Annotated[
        list[Path] | None,
        typer.Option(
            "--list",
            help="A price list; if not given the project's prices where they have changed, else "
            "today's packaged list.",
            show_default=False,
        ),
    ] = None,
    service: Annotated[
        str, typer.Option("--service", help="standard, batch, flex or priority.")
    ] = "standard",
    as_json: JsonOption = False,
) -> None:
    """Show what a run would have cost at other prices; the run itself stays as it is."""

    def verb(shell: Shell) -> int:
        from befit.cli.reprice_view import act  # noqa: PLC0415 - lazy verb

        return act(shell, run, project=project, lists=lists or [], service=service)

    perform(ctx, verb, as_json=as_json)
