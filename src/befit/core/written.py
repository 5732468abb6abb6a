"""How rates, intervals and counts are written, the same in every report and in the terminal.

A rate below 1 is never told as 100 %, nor one above 0 as 0 %: 997 of 1,000 is 99.7 %. Bounds of
an interval are rounded, but a lower one never up to 100 and an upper one never down to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from befit.core.estimate import Estimate

MANY = 1000
"""From so many samples on, percent have a decimal."""
MOST = 6
"""So many decimals at most: who comes nearer to 0 or 100 is told by the last of them."""
ALL = 100.0


def in_percent(value: float, *, places: int = 0) -> str:
    """Return a rate in percent without the sign, with more decimals than asked where it needs them.

    Args:
        value: the rate, 0.5 for 50 %; other numbers (a difference, a ratio) are but rounded.
        places: decimals at least.
    """
    places = needed(value, places=places)
    told = f"{ALL * value:.{places}f}"
    if not 0 < value < 1 or 0 < float(told) < ALL:
        return told
    return f"99.{'9' * places}" if float(told) == ALL else f"0.{'1'.rjust(places, '0')}"


def needed(value: float, *, places: int = 0) -> int:
    """Return the decimals without which a rate would be told as 0 or 100 % and is not."""
    if not 0 < value < 1:
        return places
    enough = (n for n in range(places, MOST) if 0 < float(f"{ALL * value:.{n}f}") < ALL)
    return next(enough, max(places, MOST))


def places(estimate: Estimate) -> int:
    """Return the decimals with which a rate and its bounds are told."""
    least = 1 if estimate.n_samples >= MANY else 0
    found = [least if estimate.value is None else needed(estimate.value, places=least)]
    low, high = estimate.low, estimate.high
    if low is not None and float(f"{ALL * low:.{least}f}") == ALL:
        found.append(needed(low, places=least))
    if high is not None and float(f"{ALL * high:.{least}f}") == 0:
        found.append(needed(high, places=least))
    return max(found)


def bound(value: float, *, places: int) -> str:
    """Return a bound of a rate in percent without the sign, with just so many decimals."""
    return f"{ALL * value:.{places}f}"


def between(low: str | None, high: str | None) -> str:
    """Return the bounds of an interval as they are told: `79, 88`; None is one not known."""
    if low is None or high is None:
        return f"{low} or more" if low else f"{high} or less" if high else "no bounds"
    return f"{low}, {high}"


def many(n: int, noun: str) -> str:
    """Return a count with its noun: 1 vote, 2,000 votes."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
