"""A dataset without its unlabelled samples: none enters a run unseen.

A sample without target and without a check of its own cannot be right or wrong
where every scorer compares with a target. Such samples are left out, and
counted, so that whoever reads the project can say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from befit.core.protocols import Dataset
from befit.core.sample import Sample
from befit.datasets.files import FileDataset, ListDataset, Row


def is_labelled(sample: Sample) -> bool:
    """Whether a sample says what a right answer is: a target, or a check of its own."""
    turns = any(turn.checks for turn in sample.turns)
    return sample.target is not None or bool(sample.checks) or turns


class LabelledOnly:
    """The labelled samples of a dataset; `left_out` counts the others at the last reading."""

    def __init__(self, inner: FileDataset | ListDataset) -> None:
        self.inner = inner
        self.name = inner.name
        self.left_out = 0

    def __repr__(self) -> str:
        """For example `LabelledOnly(FileDataset('samples/invoices.jsonl'))`."""
        return f"LabelledOnly({self.inner!r})"

    def rows(self) -> Iterator[Row]:
        """Yield every row but those of live samples that are unlabelled."""
        left = 0
        for row in self.inner.rows():
            sample = row.sample
            if sample is not None and sample.retired_on is None and not is_labelled(sample):
                left += 1
                continue
            yield row
        self.left_out = left

    def load(self) -> Iterator[Sample]:
        """Yield the labelled live samples in order."""
        return (sample for sample in self.inner.load() if is_labelled(sample))


def without_unlabelled(dataset: Dataset) -> Dataset:
    """Return the dataset without its unlabelled samples; own Python datasets stay as they are."""
    if isinstance(dataset, FileDataset | ListDataset):
        return LabelledOnly(dataset)
    return dataset
