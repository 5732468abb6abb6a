"""How amounts are written in the sentences of a decision: readable, none rounded to nothing."""

from __future__ import annotations

from math import floor, log10

from befit.core.decision import TierDecision

DIGITS = 3
NOTHING = 1e-6
"""USD a month that nobody needs to hear of: the rounding of a sum."""


def plain(value: float) -> str:
    """Return a number with three significant digits, or whole where it is larger, no exponent."""
    if not value:
        return "0"
    places = max(0, DIGITS - 1 - floor(log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def usd(value: float) -> str:
    """Return USD: cents from one dollar on, below that as many decimals as it takes."""
    return f"{value:,.2f} USD" if abs(value) >= 1 else f"{plain(value)} USD"


def saving_words(saving: float | None) -> str:
    """Return what it saves a month, or costs more; "" where that is unknown or nothing."""
    if saving is None or abs(saving) < NOTHING:
        return ""
    return f"saves {usd(saving)} a month" if saving > 0 else f"costs {usd(-saving)} more a month"


def beyond_limits(tier: TierDecision) -> bool:
    """Tell whether a tier has proven candidates, but no combination keeps the limits."""
    return tier.outcome == "none_good_enough" and tier.nearest is None and bool(tier.missing)
