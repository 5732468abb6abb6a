"""Stopping a duel early without peeking's price: e-values of discordant items.

Only items on which exactly one of two candidates is right speak. Under "A and B
are equal" each such item is a fair coin; the e-value has mean at most 1 at any
time, so a winner declared at 1/alpha is false with chance at most alpha however
often one looks. Items come in random order, the same for all candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, Literal

from befit.stats.confidence import confidence_sequence, to_number
from befit.stats.distributions import log_beta
from befit.stats.intervals import Interval

Verdict = Literal["a", "b", "no_relevant_difference", "go_on"]


def log_duel_evidence(wins_a: int, wins_b: int) -> float:
    """Two-sided: log of 2^(b+c) B(1 + b, 1 + c), uniform mixture over P(A wins)."""
    return (wins_a + wins_b) * log(2) + log_beta(1 + wins_a, 1 + wins_b)


def duel_evidence(wins_a: int, wins_b: int) -> float:
    """Two-sided e-value against "equal" after so many discordant items."""
    return to_number(log_duel_evidence(wins_a, wins_b))


def _lower_half(a: float, b: float) -> float:
    import scipy.special  # noqa: PLC0415  # loads on first use: the command line starts without it

    special: Any = scipy.special
    return float(special.betainc(b, a, 0.5))


def log_superiority_evidence(wins_a: int, wins_b: int) -> float:
    """One-sided, against "A is not better": the mixture runs over P(A wins) in (1/2, 1)."""
    upper = _lower_half(1.0 + wins_a, 1.0 + wins_b)
    if upper <= 0:
        return float("-inf")
    return log(2) + log_duel_evidence(wins_a, wins_b) + log(upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Where a duel stands: verdict, the e-value of each side, and the gap at all times."""

    verdict: Verdict
    evidence_a: float
    evidence_b: float
    gap: Interval


def judge_duel(
    wins_a: int,
    wins_b: int,
    *,
    n: int,
    margin: float,
    alpha: float = 0.05,
    candidates: int = 2,
) -> Duel:
    """Judge after `n` items of which so many were won by one side only.

    A winner needs evidence of M(M - 1)/alpha for M candidates; "no relevant
    difference" needs the confidence sequence of the gap inside +-margin.
    """
    needed = log(candidates * (candidates - 1) / alpha)
    for_a = log_superiority_evidence(wins_a, wins_b)
    for_b = log_superiority_evidence(wins_b, wins_a)
    # two one-rate sequences at half the error each hold together
    level = 1 - alpha / 2
    rate_a = confidence_sequence(wins_a, n=n, level=level)
    rate_b = confidence_sequence(wins_b, n=n, level=level)
    gap = Interval(
        value=(wins_a - wins_b) / n,
        low=(rate_a.low or 0.0) - (rate_b.high or 1.0),
        high=(rate_a.high or 1.0) - (rate_b.low or 0.0),
        method="confidence sequence",
    )
    verdict: Verdict = "go_on"
    if for_a >= needed:
        verdict = "a"
    elif for_b >= needed:
        verdict = "b"
    elif (gap.low or 0.0) > -margin and (gap.high or 0.0) < margin:
        verdict = "no_relevant_difference"
    return Duel(verdict=verdict, evidence_a=to_number(for_a), evidence_b=to_number(for_b), gap=gap)


def eliminated(wins: list[list[int]], *, alpha: float = 0.05) -> tuple[int, ...]:
    """Candidates out of a race: somebody beats them with evidence of M(M - 1)/alpha.

    `wins[i][j]` counts the items that i got right and j did not.
    """
    count = len(wins)
    needed = log(count * (count - 1) / alpha) if count > 1 else float("inf")
    return tuple(
        j
        for j in range(count)
        if any(
            i != j and log_superiority_evidence(wins[i][j], wins[j][i]) >= needed
            for i in range(count)
        )
    )
