"""Key facts found, micro beside macro; see `recall`."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.estimate import Estimate

MOST_MISSED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedFact:
    """One fact of one sample that an answer did not hold."""

    sample_id: str
    fact: str
    missed: int
    asked: int
    """Answers in which it was due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCell:
    """One candidate on one scenario."""

    candidate: str
    scenario: str
    macro: Estimate
    micro: Estimate
    by_position: tuple[tuple[str, Estimate], ...]
    """Micro, by where in the text the fact stands."""
    missed: tuple[MissedFact, ...] = ()
    """The facts missed most, at most `MOST_MISSED`."""
    n_missed: int = 0
    """Facts that were missed at least once."""
