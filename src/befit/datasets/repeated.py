"""Samples that show a candidate the very same thing: one measurement, counted once.

A sample that repeats another in all that is asked and judged is left out. Where only the
judging differs (other targets, other checks) both stay, as one cluster: intervals then take
them for one piece of evidence instead of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from befit.core.protocols import Dataset
from befit.core.sample import Sample
from befit.datasets.files import FileDataset, ListDataset
from befit.datasets.labelled import LabelledOnly


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """What repeats what in a dataset."""

    copies: Mapping[str, str] = field(default_factory=dict)
    """Id of a sample that is all the same as an earlier one -> id of that one."""
    clusters: Mapping[str, str] = field(default_factory=dict)
    """Id of a sample whose input others have, too, but not its target or checks -> cluster."""


class CountedOnce:
    """A dataset without copies, those with the same input in one cluster."""

    def __init__(self, dataset: FileDataset | ListDataset | LabelledOnly, found: Repeated) -> None:
        self.inner = getattr(dataset, "inner", dataset)
        self.name = dataset.name
        self._dataset = dataset
        self._found = found

    def __repr__(self) -> str:
        """For example `CountedOnce(FileDataset('samples/invoices.jsonl'))`."""
        return f"CountedOnce({self._dataset!r})"

    def load(self) -> Iterator[Sample]:
        """Yield the samples in order."""
        copies, clusters = self._found.copies, self._found.clusters
        for sample in self._dataset.load():
            if sample.id in copies:
                continue
            cluster = clusters.get(sample.id)
            if cluster is None or sample.cluster is not None:
                yield sample
            else:
                yield sample.model_copy(update={"cluster": cluster})


def counted_once(dataset: Dataset, found: Repeated) -> Dataset:
    """Return the dataset with repeated inputs counted once; own Python datasets stay."""
    if not (found.copies or found.clusters):
        return dataset
    if isinstance(dataset, FileDataset | ListDataset | LabelledOnly):
        return CountedOnce(dataset, found)
    return dataset
