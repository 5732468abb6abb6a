"""Options that several verbs share, and the way a verb is run."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from befit.cli.shell import Shell, guarded, workspace_of

if TYPE_CHECKING:
    from befit.config.project import Project
    from befit.storage.workspace import Workspace

ProjectArgument = Annotated[
    Path, typer.Argument(help="The project file, or its folder.", show_default=False)
]
ProjectOption = Annotated[Path, typer.Option("--project", "-p", help="Project file or folder.")]
RunArgument = Annotated[str, typer.Argument(help="Run id, its beginning, or 'latest'.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]

HERE = Path()


def perform(ctx: typer.Context, verb: Callable[[Shell], int], *, as_json: bool = False) -> None:
    """Run `verb` with this call's shell and leave with its exit code."""
    shell = ctx.obj if isinstance(ctx.obj, Shell) else Shell()
    shell.as_json = as_json
    raise typer.Exit(guarded(shell, lambda: verb(shell)))


def finite(value: float | None) -> float | None:
    """Return the number of an option; a usage error for NaN and infinity, which no bound stops."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no number to count with")
    return value


def read_project(
    path: Path, shell: Shell, *, keys_needed: bool, endpoints_needed: bool = True
) -> Project:
    """Load a project and pass its warnings on."""
    from befit.config.load import load_project  # noqa: PLC0415 - `--help` reads no pydantic

    project = load_project(path, keys_needed=keys_needed, endpoints_needed=endpoints_needed)
    for warning in project.warnings:
        shell.warn(warning)
    return project


def exists(location: Path | str) -> bool:
    """Tell whether there is a workspace; one in a database server is only known by opening it."""
    return "://" in str(location) or Path(location).is_dir()


@contextmanager
def open_workspace_if_there(project: Path) -> Iterator[Workspace | None]:
    """Open the workspace, or None where there is none: looking makes none."""
    import os  # noqa: PLC0415 - kept beside its only use

    if not exists(os.environ.get("BEFIT_WORKSPACE") or workspace_of(project)):
        yield None
        return
    with open_workspace(project) as workspace:
        yield workspace


@contextmanager
def open_workspace(
    project: Path, *, must_exist: bool = True, shell: Shell | None = None
) -> Iterator[Workspace]:
    """Open the workspace that belongs to a project (or `$BEFIT_WORKSPACE`).

    `shell` is told where `latest` is not what it would be without the project's name.
    """
    import os  # noqa: PLC0415 - kept beside its only use

    from befit.config.load import FILE_NAME  # noqa: PLC0415 - `--help` reads nothing of this
    from befit.errors import UsageError  # noqa: PLC0415 - the same
    from befit.storage.workspace import Workspace  # noqa: PLC0415 - the same

    given = os.environ.get("BEFIT_WORKSPACE")
    if not given and not project.exists():
        raise UsageError(f"there is no project at '{project}'", do="name its file or its folder")
    location: Path | str = given or workspace_of(project)
    if must_exist and not exists(location):
        raise UsageError(
            f"there is no workspace at '{location}'",
            why="nothing has been run here yet",
            do="befit run, or name the project with --project",
        )
    with Workspace.open(location) as workspace:
        workspace.project = _named(project)
        if project.is_dir():
            workspace.own_project = _named(project / FILE_NAME)
        if shell is not None:
            workspace.tell = shell.warn
        yield workspace


@contextmanager
def open_beside(workspace: Workspace, folder: str) -> Iterator[Workspace]:
    """Open a workspace for calls apart: in a folder of the workspace, or for this call only."""
    import tempfile  # noqa: PLC0415 - kept beside its only use

    from befit.storage.workspace import Workspace  # noqa: PLC0415 - `--help` reads nothing of this

    if workspace.folder is not None:
        with Workspace.open(workspace.folder / folder) as own:
            yield own
        return
    with tempfile.TemporaryDirectory() as place, Workspace.open(place) as own:
        yield own


def _named(project: Path) -> str | None:
    """Return the name in a project file: several may share a folder. None: it has none to read."""
    if not project.is_file():
        return None
    text = project.read_text(encoding="utf-8", errors="replace")
    found = _NAME.search(text)
    name = "" if found is None else next(filter(None, found.groups()), "").strip()
    return name if name and "${" not in name and name[0] not in "|>&*!" else None


_PLAIN = r"[^\"'#\s](?:[^#\n]|(?<=\S)#)*"
_NAME = re.compile(
    rf"""^project:[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)'|({_PLAIN}))""",
    re.MULTILINE,
)
