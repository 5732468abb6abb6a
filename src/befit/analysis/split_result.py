"""Runs split by who answered, and by one setting of sampling; see `instances`, `sampling_sweep`."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.estimate import Estimate

SURE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCell:
    """One candidate on one scenario, split by who answered."""

    candidate: str
    scenario: str
    kind: str
    """What parts them: served model, system fingerprint, provider, region, session, or several."""
    instances: tuple[tuple[str, Estimate], ...]
    """What the provider calls it -> its pass rate over its samples."""
    spread: float | None
    """Highest minus lowest mean on shared samples; None where none is shared."""
    p_value: float | None
    """Adjusted over the ways in which this cell is split."""
    n_shared: int
    """Trials of samples that several instances answered."""

    @property
    def differ(self) -> bool:
        """Whether chance does not explain the difference."""
        return self.p_value is not None and self.p_value < SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One candidate of a sweep."""

    candidate: str
    value: float
    shown: str
    passed: Estimate
    agreement: Estimate | None
    cost: Estimate | None
    in_production: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One setting on one scenario, all else the same."""

    scenario: str
    setting: str
    points: tuple[SweepPoint, ...]
