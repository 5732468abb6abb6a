"""The three-valued question of a gate: pass, fail, or not enough evidence.

Passes when the lower one-sided bound reaches the floor, fails when the upper
one-sided bound is below it. The bounds are those of an estimate made at level
`one_sided(0.95)`.
"""

from __future__ import annotations

from typing import Literal

from befit.core.estimate import Estimate

Outcome = Literal["pass", "fail", "insufficient_evidence"]


def against_floor(bounds: Estimate, *, floor: float) -> Outcome:
    """Judge a quality that must be at least `floor` (a missing limit proves nothing)."""
    if bounds.low is not None and bounds.low >= floor:
        return "pass"
    if bounds.high is not None and bounds.high < floor:
        return "fail"
    return "insufficient_evidence"


def against_ceiling(bounds: Estimate, *, ceiling: float) -> Outcome:
    """Judge an amount that must be at most `ceiling`."""
    if bounds.high is not None and bounds.high <= ceiling:
        return "pass"
    if bounds.low is not None and bounds.low > ceiling:
        return "fail"
    return "insufficient_evidence"


def non_inferior(bounds: Estimate, *, margin: float) -> Outcome:
    """Judge "new is at most `margin` worse than old" from the bounds of new minus old.

    Ship if the lower bound is above -margin, block if the upper one is below it.
    """
    if bounds.low is not None and bounds.low > -margin:
        return "pass"
    if bounds.high is not None and bounds.high < -margin:
        return "fail"
    return "insufficient_evidence"
