"""Sample files: JSONL, CSV, YAML or JSON, streamed as samples.

`FileDataset` is the built-in `Dataset`. JSONL and CSV are read line by line, so
memory does not grow with the number of samples. Checking a whole file, with all
its mistakes at once, is `befit.datasets.files_inspect.inspect`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from befit.core.sample import Sample
from befit.datasets.files_attach import Folder
from befit.datasets.files_lines import Raw, read_rows
from befit.datasets.files_row import Rows
from befit.errors import BefitError, DataError, ProjectError

MAX_PROBLEMS = 50
"""Problems reported per file; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a sample file: a sample, or what is wrong with it."""

    where: str
    """`file:line`."""
    sample: Sample | None = None
    problems: tuple[BefitError, ...] = ()


class FileDataset:
    """The samples of one file; retired ones are left out.

    Args:
        path: a .jsonl, .ndjson, .csv, .tsv, .json, .yaml or .yml file.
        root: the folder that attachments may not leave; the file's own by default.
        name: what the file is called in messages; its path by default.
    """

    def __init__(self, path: Path | str, *, root: Path | None = None, name: str = "") -> None:
        self.path = Path(path)
        self.name = name or str(path)
        self._rows = Rows(
            name=self.name,
            folder=Folder(base=self.path.parent, root=root or self.path.parent),
            is_csv=self.path.suffix.lower() in {".csv", ".tsv"},
        )

    def __repr__(self) -> str:
        """For example `FileDataset('samples/invoices.jsonl')`."""
        return f"FileDataset({self.name!r})"

    def rows(self) -> Iterator[Row]:
        """Yield every row in the order of the file, retired and broken ones included."""
        for raw in read_rows(self.path, name=self.name):
            yield self._row(raw)

    def _row(self, raw: Raw) -> Row:
        where = f"{self.name}:{raw.line}"
        if raw.problem is not None:
            return Row(where=where, problems=(raw.problem,))
        made = self._rows.sample(raw)
        if isinstance(made, Sample):
            return Row(where=where, sample=made)
        return Row(where=where, problems=tuple(made))

    def load(self) -> Iterator[Sample]:
        """Yield the live samples in the order of the file.

        Raises:
            ProjectError: rows that are no samples, all of them (the first 50,
                and how many more), after the last good one.
        """
        problems = Problems(self.name)
        for row in self.rows():
            problems.extend(row.problems)
            if row.sample is not None and row.sample.retired_on is None and not problems.found:
                yield row.sample
        problems.raise_if_any()


class ListDataset:
    """Samples that stand in the project file itself or were made in Python."""

    def __init__(self, samples: Sequence[Sample], *, name: str = "samples") -> None:
        self.name = name
        self._samples = tuple(samples)

    def rows(self) -> Iterator[Row]:
        """Yield every sample, retired ones included, with its position as place."""
        for i, sample in enumerate(self._samples):
            yield Row(where=f"{self.name}[{i}]", sample=sample)

    def load(self) -> Iterator[Sample]:
        """Yield the live samples in order."""
        return (sample for sample in self._samples if sample.retired_on is None)


class Problems:
    """Collects problems up to a bound and counts the rest."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._more = 0
        self.found: list[BefitError] = []

    def extend(self, problems: Sequence[BefitError]) -> None:
        """Add problems in the order they were met."""
        room = MAX_PROBLEMS - len(self.found)
        self.found += problems[:room]
        self._more += max(0, len(problems) - room)

    def all(self) -> list[BefitError]:
        """Return what was kept, with a last entry that counts what was not."""
        if not self._more:
            return self.found
        more = DataError(f"{self._more} more problem(s), not shown", where=self._name)
        return [*self.found, more]

    def raise_if_any(self) -> None:
        """Raise everything at once.

        Raises:
            ProjectError: there are problems.
        """
        if self.found:
            raise ProjectError(self.all())
