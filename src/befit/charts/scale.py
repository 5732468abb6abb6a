"""From values to places: linear and logarithmic scales with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Maps values in [low, high] to places in [start, end]."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value; values outside are put on the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> tuple[float, ...]:
        """Return at most about `wanted` round values inside the domain."""
        return self._log_ticks(wanted) if self.log else self._linear_ticks(wanted)

    def _linear_ticks(self, wanted: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / max(wanted - 1, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in STEPS if s * power >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return tuple(round(i * step, 12) for i in range(first, last + 1))

    def _log_ticks(self, wanted: int) -> tuple[float, ...]:
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for multiples in ((1, 2, 5), (1, 3), (1,)):
            found = [m * 10.0**d for d in decades for m in multiples]
            inside = [v for v in found if self.low * 0.999 <= v <= self.high * 1.001]
            if len(inside) <= wanted + 1:
                return tuple(inside)
        skip = math.ceil(len(inside) / wanted)
        return tuple(inside[::skip])


def rate_domain(values: Iterable[float | None]) -> tuple[float, float]:
    """Return a domain for rates: from the ten percent below the least value up to 1."""
    known = [value for value in values if value is not None]
    low = math.floor(min(known, default=0.0) * 10 + 1e-9) / 10
    return (min(max(low, 0.0), 0.9), 1.0)


def span_domain(values: Iterable[float | None], *, zero: bool = False) -> tuple[float, float]:
    """Return a domain that holds all values (and zero), with a little air."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if zero:
        known.append(0.0)
    low, high = min(known, default=0.0), max(known, default=1.0)
    air = (high - low) * 0.06 or max(abs(high), 1e-6) * 0.1
    if zero and low == 0:
        return (0.0, high + air)
    return (low - air, high + air)


def log_domain(values: Iterable[float | None]) -> tuple[float, float]:
    """Return a domain for positive values on a logarithmic axis, with a little air."""
    known = [value for value in values if value is not None and value > 0]
    low, high = min(known, default=1.0), max(known, default=10.0)
    if high / low < 4:  # noqa: PLR2004 - narrower than that and no two round ticks fit
        middle = math.sqrt(low * high)
        low, high = middle / 2, middle * 2
    return (low / 1.25, high * 1.25)
