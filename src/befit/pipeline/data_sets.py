"""Which set is meant: a scenario of a project by its name, or a sample file by its path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from befit.config.load import load_project
from befit.config.project import Project
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.datasets.files import FileDataset
from befit.datasets.write import read_samples, write_samples
from befit.errors import UsageError
from befit.plugins import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFile:
    """A sample set that can be changed: its file, and the scenario it belongs to."""

    scenario: str
    path: Path
    root: Path
    spec: ScenarioSpec | None
    """None for a file that is named without a project."""

    def read(self) -> list[Sample]:
        """Return all samples, the retired ones too; ProjectError for broken rows."""
        return read_samples(self.path, root=self.root)

    def write(self, samples: list[Sample]) -> int:
        """Replace the file in one step; DataError when it is no JSONL."""
        return write_samples(self.path, samples)


def find_set(project: Path, words: str) -> SetFile:
    """Return the set that `words` name.

    Raises:
        UsageError: no such scenario, or its samples do not stand in a file of their own.
        ProjectError: the project has mistakes.
    """
    path = Path(words)
    if path.suffix:
        if not path.is_file():
            raise UsageError(f"there is no sample file '{words}'")
        return SetFile(scenario=path.stem, path=path, root=path.parent, spec=None)
    return set_of(load_project(project, keys_needed=False), words)


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
