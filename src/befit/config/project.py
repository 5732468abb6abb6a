"""A project that was read and checked: what every later stage starts from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from befit.core.candidate import Candidate
from befit.core.policy import Policy
from befit.core.run import RunSettings
from befit.core.scenario import Scenario
from befit.core.screening import ScreeningSettings
from befit.core.tier import Tier
from befit.datasets.files_inspect import DatasetSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """All of `befit.yaml` as live objects."""

    name: str
    path: Path
    """The project file."""
    candidates: tuple[Candidate, ...]
    scenarios: tuple[Scenario, ...]
    tiers: tuple[Tier, ...]
    settings: RunSettings
    policy: Policy
    summaries: dict[str, DatasetSummary]
    """Scenario name -> what is in its samples, with the set version."""
    warnings: tuple[str, ...]
    """`file:line key.path text`: allowed, but to be known before spending."""

    screening: ScreeningSettings | None = None
    """Public tables and cut-offs; frozen into a run when it begins."""

    @property
    def folder(self) -> Path:
        """The folder of the project file: paths and own Python code are relative to it."""
        return self.path.parent
