"""What every verb shares: data to stdout, talk to stderr, errors in one form, exit codes.

A verb returns its exit code; whatever it raises on purpose becomes one error
block and that error's exit code. Anything else is an internal error: one line,
and a traceback in a file, secrets removed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from befit.charts.text import hidden
from befit.core.failure import Failure, FailureKind
from befit.errors import NO_ROOM, BefitError, ProjectError, StoreFullError

if TYPE_CHECKING:
    from rich.console import Console

OK, INTERNAL, USAGE, GATE_FAILED, INSUFFICIENT = 0, 1, 2, 3, 4
PARTIAL, CAPPED, PROVIDER, DATA, FORBIDDEN, INTERRUPTED = 5, 6, 7, 8, 9, 130
SCHEMA = "befit/cli/1"
PIPED = 10_000
"""Columns of a pipe or file: no table is that wide, so none is cut or folded."""


def visible(text: str) -> str:
    """Return one line of `text` with control, bidi and zero-width characters made visible.

    Model output may hold escape sequences; a terminal must never run them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{ord(char):04x}" if hidden(char) or char in "\n\t" else char for char in text
    )


def of_failures(kinds: Iterable[str]) -> int:
    """Return the code of calls that failed for good: refused by a provider, or just missing.

    A key, model or request that is refused will be refused again; a connection that was dropped
    or a server that failed may answer the next time.
    """
    blames = {Failure(kind=cast("FailureKind", kind), message="").blame for kind in kinds}
    return PROVIDER if "configuration" in blames else PARTIAL


@dataclass(slots=True)
class Shell:
    """How this call of befit talks. One is made in `main` and handed to the verb."""

    as_json: bool = False
    quiet: bool = False
    debug: bool = False
    colour: bool = True
    plain: bool = False
    no_input: bool = False
    ndjson: bool = False
    """Progress as one JSON object a line."""
    warnings: list[str] = field(default_factory=list)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    def say(self, text: str = "") -> None:
        """Talk to the person (stderr), unless quiet."""
        if not self.quiet:
            print(visible_lines(text), file=self.err, flush=True)

    def warn(self, text: str) -> None:
        """Warn on stderr and in the JSON envelope."""
        self.warnings.append(text)
        if not self.as_json:
            self.say(f"warning  {text}")

    def data(self, text: str) -> None:
        """Write data (stdout); nothing in JSON mode, where the envelope is the data."""
        if not self.as_json:
            print(visible_lines(text), file=self.out, flush=True)

    def row(self, cells: Sequence[str]) -> None:
        """Write one line of tab-separated data (stdout); nothing in JSON mode."""
        if not self.as_json:
            print("\t".join(map(visible, cells)), file=self.out, flush=True)

    def result(self, value: Any, *, code: int = OK) -> int:
        """Write the JSON envelope, in JSON mode, and return `code`."""
        if self.as_json:
            self._envelope(data=value, error=None, ok=code in {OK, GATE_FAILED, INSUFFICIENT})
        return code

    def fail(self, error: BefitError) -> int:
        """Report an error and return its exit code."""
        if self.as_json:
            problems = error.problems if isinstance(error, ProjectError) else (error,)
            self._envelope(data=None, error=[describe(one) for one in problems], ok=False)
        else:
            print(visible_lines(str(error)), file=self.err, flush=True)
        return error.exit_code

    def _envelope(self, *, data: Any, error: Any, ok: bool) -> None:
        document = {
            "schema": SCHEMA,
            "ok": ok,
            "data": data,
            "warnings": self.warnings,
            "error": error,
        }
        print(json.dumps(document, ensure_ascii=True, default=str), file=self.out, flush=True)

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked."""
        return not self.no_input and not self.as_json and sys.stdin.isatty() and self.err.isatty()

    def console(self, *, stderr: bool = False) -> Console:
        """Return a rich console for tables (stdout) or progress (stderr).

        What is piped has no width of its own: lines are as long as they need to be.
        """
        from rich.console import Console  # noqa: PLC0415 - rich is slow to import

        class Ours(Console):
            def on_broken_pipe(self) -> None:
                """The reader has gone (`befit ... | head`): rich would end the process with 1."""
                raise BrokenPipeError

        file = self.err if stderr else self.out
        return Ours(
            file=file,
            width=None if file.isatty() or "COLUMNS" in os.environ else PIPED,
            no_color=not self.colour or "NO_COLOR" in os.environ,
            highlight=False,
            markup=False,
            emoji=False,
        )


class InterruptedRunError(BefitError):
    """The person has stopped it."""

    code = "E130"
    exit_code = INTERRUPTED


def visible_lines(text: str) -> str:
    """Make each line of `text` safe for a terminal; line breaks stay, a tab is four spaces."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


def describe(error: BefitError) -> dict[str, str | int]:
    """Return an error as JSON values."""
    return {
        "code": error.code,
        "exit_code": error.exit_code,
        "what": error.what,
        "where": error.where,
        "why": error.why,
        "do": error.do,
    }


def guarded(shell: Shell, verb: Callable[[], int]) -> int:
    """Run a verb; turn whatever it raises into an error block and an exit code."""
    try:
        return verb()
    except BefitError as error:
        if shell.debug:
            traceback.print_exc(file=shell.err)
        return shell.fail(error)
    except KeyboardInterrupt:
        return shell.fail(
            InterruptedRunError(
                "interrupted", do="give the same command again; what is stored is not asked anew"
            )
        )
    except BrokenPipeError:
        # The reader of our output has gone (`befit ... | head`); nothing is wrong with us.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until the process ends
        return OK
    except OSError as error:
        if error.errno in NO_ROOM:
            return no_room(shell, error)
        return internal(shell, error)
    except Exception as error:  # noqa: BLE001 - the last line of defence of the command line
        return internal(shell, error)


def no_room(shell: Shell, error: OSError) -> int:
    """Report that what was to be written has no room: the disk of the output is full."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until the process ends
    shell.as_json = False  # the envelope would go where there is no room
    return shell.fail(
        StoreFullError(
            "there is no room for the output",
            where=str(error.filename or "stdout"),
            why=error.strerror or "",
            do="make room, or write it elsewhere",
        )
    )


def internal(shell: Shell, error: Exception) -> int:
    """Report a fault of befit itself: one line, the traceback in a file."""
    trace = "".join(traceback.format_exception(error))
    for name, value in os.environ.items():
        if len(value) >= 8 and re.search(r"KEY|TOKEN|SECRET|PASSWORD", name):  # noqa: PLR2004 - shorter values are words
            trace = trace.replace(value, f"${{{name}}}")
    handle, path = tempfile.mkstemp(prefix="befit-error-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(trace)
    if shell.debug:
        print(visible_lines(trace), file=shell.err)
    first = visible(str(error).split("\n", 1)[0])[:200]
    return shell.fail(
        BefitError(
            f"internal error: {type(error).__name__}: {first}",
            why=f"the details are in {path}",
            do="please report it with that file",
        )
    )


def workspace_of(project: Path) -> Path:
    """Return the workspace folder beside a project file or inside its folder."""
    folder = project if project.is_dir() else project.parent
    return folder / ".befit"


def shorten(items: Sequence[str], *, most: int = 4) -> str:
    """Join a few names, saying how many more there are."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
