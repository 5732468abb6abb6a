"""What can fail before the first call fails before a run is entered.

A run without a trial stands in nobody's way then: a model that was not fetched or a
target that is not installed leaves the workspace as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.run import Manifest, RunStatus
from befit.engine.opening import open_targets
from befit.errors import ModelError
from befit.storage.workspace import Workspace

RECORDED = "recorded.yaml"
"""A project beside another one that answers from recordings, as in the demo's folder."""
NOT_STARTED = "not started"


async def check_ready(candidates: list[Candidate]) -> None:
    """Open and close the target of each candidate; no call is made.

    Raises:
        ModelError: a local model is not fetched.
        PluginError: a target is unknown or lacks its extra.
    """
    async with open_targets(candidates):
        pass


def judges_of(project: Project) -> list[Candidate]:
    """Return the judges of all scenarios, which are asked after the candidates."""
    return [judge for scenario in project.scenarios for judge in scenario.spec.judges]


@contextmanager
def naming_recordings(project: Project) -> Iterator[None]:
    """Where a model is missing, name the project of recorded answers that lies beside."""
    try:
        yield
    except ModelError as error:
        beside = project.folder / RECORDED
        if beside.is_file() and project.path.resolve() != beside.resolve():
            error.do = "; or, without any model, name the recorded answers as the project: ".join(
                part for part in (error.do, _short(beside)) if part
            )
        raise


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def standing(workspace: Workspace, manifest: Manifest, status: RunStatus) -> str:
    """Return a run's status as a person should read it.

    `running` is written down when a run begins. Where no process is at work on it any
    more, it is `interrupted`, or `not started` where it holds no trial.
    """
    if status != "running" or workspace.holder(manifest.plan_fingerprint) is not None:
        return status
    return "interrupted" if workspace.has_trials(manifest.id) else NOT_STARTED
