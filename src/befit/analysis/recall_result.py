"""Key facts found, micro beside macro; see `recall`."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCell:
    """One candidate on one scenario."""

    candidate: str
    scenario: str
    macro: Estimate
    micro: Estimate
    by_position: tuple[tuple[str, Estimate], ...]
    """Micro, by where in the text the fact stands."""
