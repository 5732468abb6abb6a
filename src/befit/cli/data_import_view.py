"""`befit data import`: the call and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from befit.cli.shell import OK, Shell
from befit.config.redaction import load_redaction
from befit.core.written import many
from befit.datasets.logrow import INTENT_TAGS, PLACE_TAGS
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import CLASSES, Redaction
from befit.errors import UsageError
from befit.pipeline.data_import import Broken, ImportReport, import_logs
from befit.pipeline.data_key import redaction_key
from befit.plugins import nearest
from befit.storage.workspace import Workspace

SHOWN = 10
"""Broken lines shown; all are in the file of `--skipped`."""
_EVERY = 100_000


def run_import(
    shell: Shell,
    workspace: Workspace,
    logs: Sequence[Path],
    *,
    project: Path,
    choices: tuple[str, tuple[str, ...], tuple[str, ...]],
    skipped: Path | None,
) -> int:
    """Import log files; `choices` are format, classes to keep and locales."""
    form, keep, locales = choices
    settings = load_redaction(project)
    options = _with(settings.options, keep=keep, locales=locales)
    key, lasting = redaction_key(workspace)
    if not lasting:
        shell.warn("pseudonyms of this import have a key of their own; set BEFIT_REDACTION_KEY")
    redactor = Redactor(options, key=key, names=settings.names)
    with ExitStack() as stack:
        listen = _listener(stack, skipped)
        report = import_logs(
            workspace,
            logs,
            redactor=redactor,
            form=form,
            listen=listen,
            progress=_progress(shell),
        )
    _show(shell, report, options, skipped=skipped)
    return shell.result(report.to_dict(), code=OK)


def _with(options: Redaction, *, keep: tuple[str, ...], locales: tuple[str, ...]) -> Redaction:
    for name in keep:
        if name not in CLASSES:
            raise UsageError(
                f"there is no class of personal data '{name}'",
                do=nearest(name, list(CLASSES)).strip() or f"one of: {', '.join(CLASSES)}",
            )
    held = options.model_dump()
    held["keep"] = sorted({*held["keep"], *keep})
    held["locales"] = sorted({*held["locales"], *locales})
    try:
        return Redaction.model_validate(held)
    except ValidationError as error:
        raise UsageError(str(error.errors()[0]["msg"]).removeprefix("Value error, ")) from None


def _listener(stack: ExitStack, skipped: Path | None) -> Callable[[Broken], None] | None:
    if skipped is None:
        return None
    try:
        file: IO[str] = stack.enter_context(skipped.open("w", encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            "cannot be written", where=str(skipped), why=error.strerror or ""
        ) from None

    def listen(broken: Broken) -> None:
        held = {"file": broken.file, "line": broken.line, "problem": broken.problem}
        file.write(json.dumps(held) + "\n")

    return listen


def _progress(shell: Shell) -> Callable[[ImportReport], None]:
    told = 0

    def tell(report: ImportReport) -> None:
        nonlocal told
        if report.lines >= told + _EVERY:
            told = report.lines
            shell.say(f"  {report.lines:>12,} lines read, {report.broken:,} broken")

    return tell


def _show(shell: Shell, report: ImportReport, options: Redaction, *, skipped: Path | None) -> None:
    if shell.as_json:
        return
    shell.data(f"import {report.import_id}")
    shell.data(
        f"lines      {report.lines:,} = {report.with_items:,} with exchanges + "
        f"{report.without:,} without + {report.broken:,} broken"
    )
    shell.data(
        f"exchanges  {report.items:,} = {report.stored:,} stored + {report.known:,} known already"
    )
    if report.halves or report.joined:
        shell.data(f"halves     {report.halves:,} read, {report.joined:,} exchanges joined")
    if report.bare:
        shell.data(f"bare       {many(report.bare, 'call')} without their content")
    if report.outcomes:
        shell.data(f"outcomes   {report.outcomes:,}")
    found = ", ".join(f"{name.lower()} {count:,}" for name, count in report.replaced.items())
    ending = "" if report.redacted == 1 else "s"
    shell.data(f"redacted   {report.redacted:,} exchange{ending}: {found or 'nothing found'}")
    _notes(shell, report, options)
    for broken in report.problems[:SHOWN]:
        shell.say(f"skipped  {broken.file}:{broken.line}  {broken.problem}")
    if report.broken > SHOWN:
        where = str(skipped) if skipped else "--skipped FILE lists all of them"
        shell.say(f"skipped  and {report.broken - SHOWN:,} more: {where}")


def _notes(shell: Shell, report: ImportReport, options: Redaction) -> None:
    if options.keep:
        shell.warn(f"left as it is, as you asked: {', '.join(options.keep)}")
    if not options.locales and "national_id" not in options.keep:
        shell.say("note   national ids were not looked for; name their locales: --locale de")
    if report.nul:
        shell.say(f"note   NUL characters taken out of the texts: {report.nul:,}")
    if report.pictures:
        shell.warn(f"{report.pictures:,} pictures are stored; nobody looked into them")
    if report.unplaced:
        most = list(report.unplaced.items())
        names = ", ".join(f"{name} ({count:,})" for name, count in most[:SHOWN])
        more = f" and {len(most) - SHOWN:,} more" if len(most) > SHOWN else ""
        shell.say(
            f"note   keys of the metadata that are kept, but that strata do not know: {names}{more}"
        )
        shell.say(f"note   they know {', '.join(PLACE_TAGS)} and one of {', '.join(INTENT_TAGS)}")
    if report.unknown:
        names = ", ".join(f"{name} ({count:,})" for name, count in report.unknown.items())
        shell.warn(f"names this befit cannot place: {names}")
