"""The command line: one file per group of verbs, each imported only when it is called for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Annotated

import typer

from befit.cli.causes import register as register_causes
from befit.cli.data import register as register_data
from befit.cli.decide import register as register_decide
from befit.cli.engineering import register as register_engineering
from befit.cli.gate import register as register_gate
from befit.cli.judges import register as register_judges
from befit.cli.look import register as register_look
from befit.cli.make import register as register_make
from befit.cli.notes import register as register_notes
from befit.cli.probes import register as register_probes
from befit.cli.review import register as register_review
from befit.cli.screen import register as register_screen
from befit.cli.setup import register as register_setup
from befit.cli.shell import INTERRUPTED, OK, USAGE, Shell, no_room
from befit.cli.variants import register as register_variants
from befit.cli.verbs import named_in, names
from befit.errors import NO_ROOM, UsageError

app = typer.Typer(
    name="befit",
    help="Choose the model that befits the task, by evidence.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        # Reading the metadata of packages needs a mail parser; `--help` does not.
        from importlib.metadata import version  # noqa: PLC0415 - see above

        print(f"befit {version('befit')}")  # noqa: T201 - the answer to --version
        raise typer.Exit


@app.callback()
def options(
    ctx: typer.Context,
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No talk on stderr.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Tables as tab-separated text.")] = False,
    no_input: Annotated[bool, typer.Option("--no-input", help="Never ask.")] = False,
    _show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that stand before the verb."""
    ctx.obj = Shell(debug=debug, quiet=quiet, colour=not no_color, plain=plain, no_input=no_input)


for register in (
    register_setup,
    register_engineering,
    register_causes,
    register_make,
    register_look,
    register_data,
    register_decide,
    register_gate,
    register_judges,
    register_screen,
    register_probes,
    register_review,
    register_notes,
    register_variants,
):
    register(app)

_NAMES = frozenset(names(app))
COMPLETING = "_BEFIT_COMPLETE"
"""The variable of the environment by which a shell asks for completions."""


@cache
def _commands(words: frozenset[str]) -> Callable[..., object]:
    """Return the command line with the verbs of these names; made once in a process."""
    return typer.main.get_command(named_in(app, words))


def main() -> None:
    """Run the command line; the entry point of the `befit` command."""
    # Matrices are small here: threads of the linear algebra wait longer than they compute.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # Model output may hold anything; a narrow terminal encoding must not end a run.
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`befit runs | head`); what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = no_room(Shell(), error)
    if code == INTERRUPTED:
        # All is stored and said. What still computes for nobody (a local model) is not waited for.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(words: list[str]) -> int:
    """Run one command line and return its exit code; errors in its words look like all others."""
    try:
        # A shell that completes words asks for any verb; it hands them over in its own way.
        asked = _NAMES if COMPLETING in os.environ else _NAMES.intersection(words)
        ended = _commands(asked)(args=words, prog_name="befit", standalone_mode=False)
    except typer.Abort:
        return INTERRUPTED
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        return _misused(words, error, message())
    return ended if isinstance(ended, int) else OK


def _misused(words: list[str], error: Exception, message: str) -> int:
    context = getattr(error, "ctx", None)
    path = str(context.command_path) if context is not None else "befit"
    if message.startswith("Usage:"):
        print(message)  # noqa: T201 - no verb at all: the help is the answer
        return USAGE
    what, _, why = message.partition(". ")
    return Shell(as_json="--json" in words).fail(
        UsageError(
            f"{what[:1].lower()}{what[1:]}".rstrip("."),
            where=path,
            why=why.strip(),
            do=f"{path} --help",
        )
    )
