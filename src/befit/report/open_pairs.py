"""Why interval and verdict of a difference part, in words: the one holds 0, the other does not.

The interval is that of one pair by the normal road; the verdict is the sign-flip test's,
exact where samples are few, and corrected where a row has several pairs. Where the two
part, a reader sees a contradiction unless it is said which of them decides, and why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from befit.analysis.results import MatrixRow, PairDifference
from befit.core.estimate import Estimate

SETTLED = 0.05
Reason = Literal["", "sign-flip test", "all pairs", "test alone"]
EXPLAINED: dict[Reason, str] = {
    "": "",
    "sign-flip test": "the interval misses 0, but the sign-flip test decides (exact where samples"
    " are few), and its p is above 0.05",
    "all pairs": "the interval misses 0 for this pair alone, but not once all are considered"
    " (Holm)",
    "test alone": "the interval holds 0, but the sign-flip test decides (another method), and its p"
    " is at most 0.05",
}


def open_reason(estimate: Estimate, *, p_value: float | None, p_adjusted: float | None) -> Reason:
    """Return why verdict and interval of a difference part; "" where nothing is odd."""
    low, high = estimate.low, estimate.high
    if low is None or high is None or p_value is None or p_adjusted is None:
        return ""
    if low <= 0 <= high:
        return "test alone" if p_adjusted <= SETTLED else ""
    if p_adjusted <= SETTLED:
        return ""
    return "sign-flip test" if p_value > SETTLED else "all pairs"


def reason_of(difference: PairDifference) -> Reason:
    """Return the same of a pair of the matrix; a pair that is not ranked is not judged at all."""
    if difference.not_ranked:
        return ""
    return open_reason(
        difference.estimate, p_value=difference.p_value, p_adjusted=difference.p_adjusted
    )


def unranked(difference: PairDifference) -> str:
    """Return who of a pair is not ranked, with the samples there are; "" where both are."""
    return f"{', '.join(difference.not_ranked)} samples" if difference.not_ranked else ""


def explained(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return what the reasons mean, each once."""
    return tuple(f"{one}: {EXPLAINED[one]}" for one in dict.fromkeys(reasons) if one)


def row_reasons(row: MatrixRow) -> tuple[str, ...]:
    """Return why verdicts and intervals of a row's pairs part, with their names."""
    told = ((d, reason_of(d)) for d in row.differences)
    return tuple(f"{d.a} and {d.b}: {EXPLAINED[why]}." for d, why in told if why)


def is_corrected(rows: Iterable[MatrixRow]) -> bool:
    """Tell whether some row has several pairs; over a single one nothing is corrected."""
    return any(len(row.differences) > 1 for row in rows)
