"""Which set is meant: a scenario of a project by its name, or a sample file by its path."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from befit.config.load import FILE_NAME, load_project
from befit.config.project import Project
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.datasets.files import FileDataset
from befit.datasets.write import read_samples, write_samples
from befit.errors import UsageError
from befit.plugins import nearest
from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFile:
    """A sample set that can be changed: its file, and the scenario it belongs to."""

    scenario: str
    path: Path
    root: Path
    spec: ScenarioSpec | None
    """None for a file that is named without a project."""
    words: str = ""
    """What it was called by in this call; "" for the scenario's name."""

    def read(self) -> list[Sample]:
        """Return all samples, the retired ones too; ProjectError for broken rows."""
        return read_samples(self.path, root=self.root)

    def write(self, samples: list[Sample]) -> int:
        """Replace the file in one step; DataError when it is no JSONL."""
        return write_samples(self.path, samples)


def place_of(workspace: Workspace, path: Path) -> str:
    """Return how a sampling names its file: from the workspace on, so that both may move."""
    whole = path.resolve()
    if workspace.folder is None:
        return str(whole)
    return os.path.relpath(whole, workspace.folder.resolve())


def find_known(
    project: Path, words: str, workspace: Workspace | None
) -> tuple[SetFile, Project | None]:
    """Return the set that `words` name, and its project.

    A file is the set of the scenario that names it, else of the sampling that
    wrote it: labels and versions are the same by both names. Errors as `find_set`.
    """
    path = Path(words)
    if not path.suffix:
        loaded = load_project(project, keys_needed=False)
        return set_of(loaded, words), loaded
    if not path.is_file():
        raise UsageError(f"there is no sample file '{words}'")
    file = project / FILE_NAME if project.is_dir() else project
    if file.is_file():
        loaded = load_project(project, keys_needed=False)
        for scenario in loaded.scenarios:
            inner = getattr(scenario.samples, "inner", scenario.samples)
            if isinstance(inner, FileDataset) and inner.path.resolve() == path.resolve():
                return replace(set_of(loaded, scenario.name), words=words), loaded
    drawn = None if workspace is None else workspace.sets.drawn_into(place_of(workspace, path))
    name = drawn or path.stem
    return SetFile(scenario=name, path=path, root=path.parent, spec=None, words=words), None


def find_set(project: Path, words: str, workspace: Workspace | None = None) -> SetFile:
    """Return the set that `words` name; a file as `find_known` says.

    Raises:
        UsageError: no such scenario, or its samples do not stand in a file of their own.
        ProjectError: the project has mistakes.
    """
    return find_known(project, words, workspace)[0]


def set_of(project: Project, name: str) -> SetFile:
    """Return the set of a scenario of a project that is loaded; errors as `find_set`."""
    known = {scenario.name: scenario for scenario in project.scenarios}
    if name not in known:
        guess = nearest(name, list(known)).strip()
        raise UsageError(
            f"there is no scenario '{name}'", do=guess or f"one of: {', '.join(known)}"
        )
    dataset = known[name].samples
    inner = getattr(dataset, "inner", dataset)
    if not isinstance(inner, FileDataset):
        raise UsageError(
            f"the samples of '{name}' do not stand in a file",
            do="write them to a .jsonl file and name it in the project",
        )
    return SetFile(scenario=name, path=inner.path, root=project.folder, spec=known[name].spec)
