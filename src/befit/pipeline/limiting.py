"""A smaller version of a project, to try it out: the first samples of each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from befit.config.project import Project
from befit.core.protocols import Dataset
from befit.core.sample import Sample
from befit.datasets.files_inspect import inspect


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSamples:
    """The first `limit` samples of a dataset."""

    dataset: Dataset
    limit: int

    def load(self) -> Iterator[Sample]:
        """Stream them."""
        return islice(iter(self.dataset.load()), self.limit)


def first_samples(project: Project, limit: int) -> Project:
    """Return `project` with at most `limit` samples in each scenario.

    The set version is that of the smaller set, so its results are never taken
    for those of the whole one; its trials are, since a trial's key knows only
    the sample.
    """
    scenarios = tuple(
        replace(scenario, samples=FirstSamples(dataset=scenario.samples, limit=limit))
        for scenario in project.scenarios
    )
    summaries = {scenario.name: inspect(scenario.samples) for scenario in scenarios}
    return replace(project, scenarios=scenarios, summaries=summaries)
