"""The same candidate in several runs; see `over_time`."""

from __future__ import annotations

from dataclasses import dataclass, field

from befit.core.estimate import Estimate, not_measured

SURE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint:
    """One run: when, under which label, who answered, and what passed."""

    run_id: str
    created_at: str
    label: str
    served: tuple[str, ...]
    concurrency: int | None
    passed: Estimate = field(default_factory=lambda: not_measured("not yet"))
    since_first: Estimate = field(default_factory=lambda: not_measured("not yet"))
    """Passed minus that of the oldest run, on the samples that both measured."""
    p_value: float | None = None
    p_adjusted: float | None = None
    """Of the last run: over all curves beside this one (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCurve:
    """One candidate on one scenario, the oldest run first."""

    candidate: str
    scenario: str
    points: tuple[TimePoint, ...]

    @property
    def moved(self) -> bool:
        """Whether the last run differs from the first by more than chance, all curves counted."""
        p = self.points[-1].p_adjusted
        return self.alone_moved and (p is None or p < SURE)

    @property
    def alone_moved(self) -> bool:
        """Whether it would, were this the only curve."""
        gap = self.points[-1].since_first
        return gap.low is not None and gap.high is not None and not gap.low <= 0 <= gap.high
