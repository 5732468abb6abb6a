"""Steps of the heat table: one hue, lightness only, with a domain taken from the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from befit.charts.scale import rate_domain

STEPS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """Maps rates to one of seven steps; the same for a whole table."""

    low: float
    high: float = 1.0

    def step(self, value: float) -> int:
        """Return the step from 1 (least) to 7 (most)."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(int(share * STEPS) + 1, 1), STEPS)

    def key(self) -> tuple[tuple[int, float, float], ...]:
        """Return for each step its number and the values it spans."""
        width = (self.high - self.low) / STEPS
        return tuple(
            (i + 1, self.low + i * width, self.low + (i + 1) * width) for i in range(STEPS)
        )


def heat_of(values: Iterable[float | None]) -> Heat:
    """Return the steps for these rates."""
    low, high = rate_domain(values)
    return Heat(low=low, high=high)
