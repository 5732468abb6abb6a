"""`befit demo`: two small local models on a small real project, from nothing to a report.

The project lies as plain files in `befit/demo` and is written into the folder
as it is: `befit.yaml` asks the models themselves, `recorded.yaml` the answers
that were recorded from them. All else is what `befit run` and `befit report` do.
"""

from __future__ import annotations

import importlib.util
import shlex
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from befit.cli.common import open_workspace, read_project
from befit.cli.writing import writing
from befit.errors import PluginError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from befit.cli.shell import Shell
    from befit.report.document import Document

LIVE, RECORDED = "befit.yaml", "recorded.yaml"
MARK = "project: befit-demo"
"""The line by which a folder is known to hold the demo."""


def play(shell: Shell, folder: Path, *, recorded: bool) -> int:
    """Write the demo project, run it, write `report.html`, and say what the evidence says.

    The same call resumes. Files that are there already are left as they are.

    Raises:
        UsageError: the folder holds another project, or cannot be written.
        PluginError: the extra `local` is missing.
        ModelError: a model cannot be fetched.
    """
    from befit.cli.make import exit_code  # noqa: PLC0415 - lazy verb
    from befit.cli.run_view import announce, run_with_progress, summary  # noqa: PLC0415 - lazy verb

    write_demo(folder)
    shell.say(f"project  {folder / (RECORDED if recorded else LIVE)}")
    if not recorded:
        _fetch_models(shell)
    path = folder / (RECORDED if recorded else LIVE)
    project = read_project(path, shell, keys_needed=True)
    again = shlex.join(["befit", "demo", str(folder), *(["--recorded"] if recorded else [])])
    with open_workspace(path, must_exist=False) as workspace:
        settings = project.settings
        plan = announce(shell, project, workspace, settings=settings)
        ran = run_with_progress(shell, project, workspace, settings=settings, plan=plan)
        data = summary(shell, ran, project=folder, resume=again)
        from befit.pipeline.reporting import make_document  # noqa: PLC0415 - after the run

        document = make_document(workspace, ran.manifest.id)
    report = _write_report(document, folder)
    if recorded:
        shell.say(f"to run or gate it again from the recorded answers, name {path} as the project")
    _conclude(shell, document, report)
    return shell.result({**data, **_data(document, folder, report)}, code=exit_code(ran))


def write_demo(folder: Path) -> list[Path]:
    """Write the files of the demo that are not there yet, and return them.

    Raises:
        UsageError: the folder holds another project, or cannot be written.
    """
    there = folder / LIVE
    written: list[Path] = []
    try:
        if there.exists() and MARK not in there.read_text(encoding="utf-8", errors="replace"):
            raise UsageError(
                f"'{folder}' holds another project",
                why=f"its {LIVE} is not that of the demo",
                do="name another folder: befit demo FOLDER",
            )
        for name, source in _shipped(files("befit") / "demo"):
            path = folder / name
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())
            written.append(path)
    except OSError as error:
        raise UsageError(
            "the demo project cannot be written",
            where=str(folder),
            why=str(error),
            do="name another folder: befit demo FOLDER",
        ) from error
    return written


def _shipped(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _shipped(entry, f"{name}/")
        else:
            yield name, entry


def _fetch_models(shell: Shell) -> None:
    """Fetch both models, their terms shown first; nothing happens to what is there."""
    from befit.targets.catalogue import CATALOGUE  # noqa: PLC0415 - only here
    from befit.targets.models import fetch  # noqa: PLC0415 - only here

    if importlib.util.find_spec("xllamacpp") is None:
        raise PluginError(
            "the demo's models need the extra 'local', which is not installed",
            do="pip install 'befit[local]', or: befit demo --recorded",
        )
    for model in CATALOGUE:
        fetch(model.name, progress=shell.say)


def _write_report(document: Document, folder: Path) -> Path:
    from befit.report.html import render  # noqa: PLC0415 - lazy form
    from befit.storage.whole_file import write_whole  # noqa: PLC0415 - lazy form

    path = folder / "report.html"
    retry = f"befit report --project {folder} --format html --out FILE"
    with writing(path, "the report", do=retry):
        write_whole(path, render(document), errors="backslashreplace")
    return path


def _conclude(shell: Shell, document: Document, report: Path) -> None:
    shell.data("What the evidence says")
    for line in document.conclusion:
        shell.data(f"  - {line}")
    shell.data(f"report  {report}")


def _data(document: Document, folder: Path, report: Path) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "conclusion": list(document.conclusion),
        "report": str(report),
    }
