"""The same candidate in several runs; see `over_time`."""

from __future__ import annotations

from dataclasses import dataclass, field

from befit.core.estimate import Estimate, not_measured


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCurve:
    """One candidate on one scenario, the oldest run first."""

    candidate: str
    scenario: str
    points: tuple[TimePoint, ...]
