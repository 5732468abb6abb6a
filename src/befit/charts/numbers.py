"""How numbers are written: no false precision, the interval always beside the value.

Percent have no decimals below 1,000 samples; money and times have two
significant digits; the number of samples stands as samples x repeats.
"""

from __future__ import annotations

import math
from typing import Literal

from befit.core.estimate import Estimate
from befit.core.written import MANY, between, bound, in_percent, places

Unit = Literal["percent", "points", "seconds", "usd", "tokens", "number"]

CENTS = 0.1
"""Money of at least so much is written in cents."""
MINUS = "−"
DASH = "–"
UNKNOWN = "?"
MISSING = "not measured"


def _signed(text: str) -> str:
    """Write a sign always, with a true minus, and zero without one."""
    number = float(text)
    if number == 0:
        return text.lstrip("-")
    return f"+{text}" if number > 0 else MINUS + text.lstrip("-")


def significant(value: float, digits: int = 2) -> str:
    """Return `value` with so many significant digits, never in powers of ten."""
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(places, 9)}f}".replace("-", MINUS)


def bare(value: float | None, unit: Unit, *, n: int = 0) -> str:
    """Return the number without its unit; `?` where this n cannot bound it."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    decimals = 0 if n < MANY else 1
    match unit:
        case "percent":
            return in_percent(value, places=decimals).replace("-", MINUS)
        case "points":
            return _signed(f"{100 * value:.{decimals}f}")
        case "tokens":
            return f"{value:,.0f}"
        case "usd" if abs(value) >= CENTS:
            return f"{value:,.2f}".replace("-", MINUS)
        case _:
            return significant(value)


def tick(value: float, unit: Unit) -> str:
    """Return a round value for an axis, with its unit and no more digits than it needs."""
    if unit in {"percent", "points"}:
        return with_unit(bare(value, unit), unit)
    if 0 < abs(value) < 1:
        return with_unit(f"{value:.10f}".rstrip("0").rstrip(".").replace("-", MINUS), unit)
    return with_unit(f"{value:,.10g}".replace("-", MINUS), unit)


def with_unit(text: str, unit: Unit) -> str:
    """Put the unit to a number that `bare` wrote."""
    if text == UNKNOWN:
        return text
    match unit:
        case "percent":
            return f"{text} %"
        case "seconds":
            return f"{text} s"
        case "usd":
            return f"${text}"
        case _:
            return text


def value_text(estimate: Estimate, unit: Unit) -> str:
    """Return the value with its unit, or "not measured"."""
    if estimate.value is None:
        return MISSING
    return with_unit(_told(estimate.value, unit, of=estimate), unit)


def _told(value: float | None, unit: Unit, *, of: Estimate) -> str:
    """Return the value or a bound of an estimate: rates have the same decimals in all three."""
    if unit == "percent" and value is not None and math.isfinite(value):
        return bound(value, places=places(of)).replace("-", MINUS)
    return bare(value, unit, n=of.n_samples)


def interval_text(estimate: Estimate, unit: Unit) -> str:
    """Return the interval, for instance `[79, 88]`; "" where nothing was measured."""
    if estimate.value is None:
        return ""
    ends = (_told(end, unit, of=estimate) for end in (estimate.low, estimate.high))
    low, high = (None if end == UNKNOWN else end for end in ends)
    return f"[{between(low, high)}]"


def estimate_text(estimate: Estimate, unit: Unit) -> str:
    """Return value and interval together, for instance `84 % [79, 88]`."""
    return f"{value_text(estimate, unit)} {interval_text(estimate, unit)}".strip()


def count_text(estimate: Estimate) -> str:
    """Return what the estimate stands on, as samples x repeats."""
    if not estimate.n_samples:
        return "n = 0"
    repeats = estimate.n_trials / estimate.n_samples
    shown = f"{repeats:.1f}".removesuffix(".0")
    return f"n = {estimate.n_samples:,} × {shown}"
