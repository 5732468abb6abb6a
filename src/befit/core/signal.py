"""Signals and alerts: windowed estimates of production metrics, and rules that fired on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from befit.core.estimate import Estimate

AlertState = Literal["ok", "pending", "firing", "resolved", "no_data", "insufficient_n", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One metric over one window (`start`, `end` in seconds since the epoch)."""

    metric: str
    route: str
    start: float
    end: float
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule that changed state, with the evidence it saw."""

    rule: str
    state: AlertState
    severity: Literal["info", "warning", "critical"]
    summary: str
    evidence: tuple[Signal, ...] = ()
