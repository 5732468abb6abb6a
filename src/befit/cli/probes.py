"""`befit probes ...`: generated test packs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from befit.cli.common import HERE, JsonOption, perform, read_project
from befit.cli.shell import Shell
from befit.core.written import many

if TYPE_CHECKING:
    from befit.core.scenario import Scenario
    from befit.probes.perturb import Kind


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Generated test packs, each from a seed.")
    group.command("list")(show_packs)
    group.command()(generate)
    group.command()(perturb)
    group.command()(guided)
    app.add_typer(group, name="probes")


def show_packs(ctx: typer.Context, *, as_json: JsonOption = False) -> None:
    """Show the packs, what each is about, and its difficulty knobs."""

    def verb(shell: Shell) -> int:
        from dataclasses import asdict  # noqa: PLC0415 - lazy verb

        from befit.cli.words import show_table  # noqa: PLC0415 - lazy verb
        from befit.probes.packs import PACKS  # noqa: PLC0415 - lazy verb

        rows = [
            [one.name if place == 0 else "", knob.name, str(knob.default), knob.range, knob.meaning]
            for one in PACKS
            for place, knob in enumerate(one.knobs)
        ]
        if not shell.as_json:
            show_table(shell, ["pack", "knob", "default", "range", "meaning"], rows)
            for one in PACKS:
                wraps = "; also wraps your own samples (--from)" if one.wraps else ""
                shell.say(f"{one.name}: {one.what}{wraps}")
        packs = [
            {
                "name": one.name,
                "dimension": one.dimension,
                "what": one.what,
                "wraps": one.wraps,
                "knobs": [asdict(knob) for knob in one.knobs],
            }
            for one in PACKS
        ]
        return shell.result({"packs": packs})

    perform(ctx, verb, as_json=as_json)


def generate(  # noqa: PLR0913 - what changes from call to call
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The pack; see `befit probes list`.")],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="JSONL file to write; NAME.jsonl by default.")
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", help="Items to make.")] = 40,
    seed: Annotated[int, typer.Option(help="The same seed gives the same items.")] = 0,
    knobs: Annotated[
        list[str] | None,
        typer.Option("--set", help="knob=value, or knob=a,b,c to take turns; repeatable."),
    ] = None,
    wrap: Annotated[
        str,
        typer.Option(
            "--from",
            help="Samples of yours to be wrapped: a file, or a scenario of the project here.",
            show_default=False,
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Write a pack as a sample file, and print the scenario that goes with it."""

    def verb(shell: Shell) -> int:
        from dataclasses import asdict  # noqa: PLC0415 - lazy verb

        from befit.errors import UsageError  # noqa: PLC0415 - lazy verb
        from befit.pipeline.generating import generate_file  # noqa: PLC0415 - lazy verb

        given: dict[str, str] = {}
        for text in knobs or ():
            knob, mark, value = text.partition("=")
            if not mark:
                raise UsageError(f"'{text}' sets no knob", do="write knob=value")
            given[knob.strip()] = value.strip()
        path = out or Path(f"{name}.jsonl")
        made = generate_file(name, path, seed=seed, n=n, knobs=given, wrap=_own(shell, wrap))
        shell.say(f"written {made.path}: {many(made.n_samples, 'sample')} of {made.n_items} items")
        if not shell.as_json:
            shell.data(made.scenario.rstrip("\n"))
        return shell.result({**asdict(made), "path": str(made.path)})

    perform(ctx, verb, as_json=as_json)


def _own(shell: Shell, wrap: str) -> Path | Scenario | None:
    """Return the sample file, or else the scenario of that name in the project here."""
    if not wrap or Path(wrap).suffix or Path(wrap).exists():
        return Path(wrap) if wrap else None
    from befit.errors import UsageError  # noqa: PLC0415 - lazy verb
    from befit.plugins import nearest  # noqa: PLC0415 - lazy verb

    found = {one.name: one for one in read_project(HERE, shell, keys_needed=False).scenarios}
    if wrap not in found:
        guess = nearest(wrap, list(found))
        raise UsageError(f"no scenario '{wrap}'", why=f"{guess}known: {', '.join(found)}")
    return found[wrap]


def perturb(
    ctx: typer.Context,
    samples: Annotated[Path, typer.Argument(help="Multiple choice or arithmetic items.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="JSONL file to write.")] = Path(
        "perturbed.jsonl"
    ),
    kind: Annotated[
        list[str] | None,
        typer.Option(help="renamed, renumbered, reordered, paraphrased, fresh; all by default."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same items.")] = 0,
    with_originals: Annotated[
        bool, typer.Option("--with-originals", help="Write the originals into the file too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make renamed, renumbered, reordered, paraphrased and fresh versions of public items."""

    def verb(shell: Shell) -> int:
        from dataclasses import asdict  # noqa: PLC0415 - lazy verb

        from befit.cli.words import show_table  # noqa: PLC0415 - lazy verb
        from befit.pipeline.perturbing import perturb_file  # noqa: PLC0415 - lazy verb

        made = perturb_file(
            samples, out, kinds=_kinds(kind or ()), seed=seed, originals=with_originals
        )
        rows = []
        for name, count in made.made.items():
            reasons = made.skipped.get(name, {})
            why = "; ".join(f"{n} x {text}" for text, n in list(reasons.items())[:3])
            rows.append([name, str(count), str(sum(reasons.values())), why])
        if not shell.as_json:
            header = ["version", "made", "skipped", "why"]
            show_table(shell, header, rows, title=f"{many(made.n_items, 'item')}", numeric=(1, 2))
        shell.say(f"written {made.path}; look at some before you rely on them")
        return shell.result({**asdict(made), "path": str(made.path)})

    perform(ctx, verb, as_json=as_json)


def guided(
    ctx: typer.Context,
    samples: Annotated[Path, typer.Argument(help="Public items, each a text.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="JSONL file to write.")] = Path(
        "guided.jsonl"
    ),
    source: Annotated[
        str, typer.Option(help="Name and split of the data set; else each item's source.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Ask for the rest of public items, once told their source and once not."""

    def verb(shell: Shell) -> int:
        from dataclasses import asdict  # noqa: PLC0415 - lazy verb

        from befit.pipeline.guiding import guided_file  # noqa: PLC0415 - lazy verb

        made = guided_file(samples, out, source=source)
        shell.say(f"{many(made.n_items, 'item')}: {made.made} asked both ways")
        for why, count in made.skipped.items():
            shell.say(f"skipped {count} x {why}")
        shell.say(f"written {made.path}; a scenario of its own, without a template")
        return shell.result({**asdict(made), "path": str(made.path)})

    perform(ctx, verb, as_json=as_json)


def _kinds(asked: list[str] | tuple[str, ...]) -> tuple[Kind, ...]:
    from befit.errors import UsageError  # noqa: PLC0415 - lazy verb
    from befit.plugins import nearest  # noqa: PLC0415 - lazy verb
    from befit.probes.perturb import KINDS  # noqa: PLC0415 - lazy verb

    for name in asked:
        if name not in KINDS:
            guess = nearest(name, list(KINDS))
            raise UsageError(f"no version '{name}'", do=f"{guess}known: {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in asked) or KINDS
