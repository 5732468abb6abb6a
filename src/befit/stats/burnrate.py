"""Burn rate of an error budget over several windows (Google SRE Workbook, chapter 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

HOURS_PER_MONTH = 720.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnRule:
    """Fires where the burn rate is at least `factor` over both windows (hours)."""

    factor: float
    long_hours: float
    short_hours: float
    severity: Literal["page", "ticket"]


BURN_RULES: tuple[BurnRule, ...] = (
    BurnRule(factor=14.4, long_hours=1.0, short_hours=1 / 12, severity="page"),
    BurnRule(factor=6.0, long_hours=6.0, short_hours=0.5, severity="page"),
    BurnRule(factor=1.0, long_hours=72.0, short_hours=6.0, severity="ticket"),
)


def burn_rate(bad: int, *, total: int, objective: float) -> float | None:
    """Bad rate over the tolerated bad rate; None without events."""
    if not 0 < objective < 1:
        raise ValueError("the objective must lie between 0 and 1")
    return bad / total / (1 - objective) if total else None


def budget_used(rate: float, *, hours: float, period: float = HOURS_PER_MONTH) -> float:
    """Share of the period's error budget that `hours` at this burn rate use up."""
    return rate * hours / period


def burning(
    windows: Mapping[float, tuple[int, int]],
    *,
    objective: float,
    minimum: int,
    rules: tuple[BurnRule, ...] = BURN_RULES,
) -> tuple[BurnRule, ...]:
    """Rules that fire. `windows` maps hours to (bad, total); `minimum` events in the long one."""
    fired = []
    for rule in rules:
        counts = windows.get(rule.long_hours), windows.get(rule.short_hours)
        if counts[0] is None or counts[1] is None or counts[0][1] < minimum:
            continue
        rates = [burn_rate(c[0], total=c[1], objective=objective) for c in counts if c is not None]
        if all(rate is not None and rate >= rule.factor for rate in rates):
            fired.append(rule)
    return tuple(fired)
