"""The whole main job in one call: load a project, run it, return the run."""

from __future__ import annotations

import os
from pathlib import Path

from befit.config.load import load_project
from befit.config.project import Project
from befit.engine.progress import Callback
from befit.pipeline.comparing import Compared
from befit.pipeline.result import Run
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace


def workspace_of(project: Project) -> str | Path:
    """Return the workspace of a project: `$BEFIT_WORKSPACE`, else `.befit` beside its file."""
    return os.environ.get("BEFIT_WORKSPACE") or project.folder / ".befit"


def evaluate(
    project: Project | Path | str = "befit.yaml",
    *,
    max_cost: float | None = None,
    concurrency: int | None = None,
    label: str | None = None,
    progress: Callback | None = None,
) -> Run:
    """Run (or resume) a project and return its run.

    Args:
        project: a loaded project, its file or its folder.
        max_cost: spend cap in USD.
        concurrency: calls in flight at the start.
        label: measure anew under this name.
        progress: called about twice a second.

    Raises:
        ProjectError: what is wrong in the project, all of it at once.
        BefitError: as the engine does; what was paid for is stored.
    """
    loaded = project if isinstance(project, Project) else load_project(project)
    given = {"max_cost": max_cost, "concurrency": concurrency, "label": label}
    settings = loaded.settings.model_validate(
        loaded.settings.model_dump()
        | {key: value for key, value in given.items() if value is not None}
    )
    location = workspace_of(loaded)
    with Workspace.open(location) as workspace:
        ran = run_project(loaded, workspace, settings=settings, progress=progress)
    return Run(location, ran.manifest.id)


def open_run(run_id: str = "latest", *, workspace: Path | str = ".befit") -> Run:
    """Open a stored run by its id, its unique beginning, or `latest`."""
    return Run(os.environ.get("BEFIT_WORKSPACE") or workspace, run_id)


def compare(a: Run, b: Run, *, candidate: str, other: str | None = None) -> Compared:
    """Compare `candidate` of run `a` with `other` (default: the same name) of run `b`."""
    return a.compare(candidate, other or candidate, other=b)
