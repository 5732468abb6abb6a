"""A comparison: one blind pairwise vote."""

from __future__ import annotations

from typing import Literal

from befit.core.record import Record

Winner = Literal["left", "right", "tie", "both_bad"]


class Comparison(Record):
    """One vote on two answers; `left` and `right` are trial key ids, in the order shown."""

    id: str
    left: str
    right: str
    winner: Winner
    reviewer: str
    voted_at: str
    """ISO 8601, UTC."""
    reasons: tuple[str, ...] = ()
    observations: str = ""
