"""What calls of a run have cost that none of its stored answers tells.

A try whose trial was made anew later, a conversation that a stop cut short, a stream that
broke before the provider told its usage: the answers do not name that money, the bill does.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

_NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """USD of one candidate in one run that stands beside its stored answers."""

    spent: Decimal = _NOTHING
    """Known to be spent."""
    uncertain: Decimal = _NOTHING
    """The most that calls may have cost besides of which nobody knows what they cost."""
