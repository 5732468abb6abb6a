"""Blind votes: position bias, which pair to ask next, how many votes a question takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats
from befit.stats.distributions import binomial_two_sided_p, normal_quantile
from befit.stats.intervals import Interval, wilson

EXPLORE = 0.2
"""Least share of uniformly chosen pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias:
    """Consistency over swapped pairs, and the p of "flips favour both places alike"."""

    consistency: Interval
    flips: int
    for_first: int
    p_value: float


def position_bias(*, pairs: int, consistent: int, for_first: int) -> PositionBias:
    """Test pairs judged in both orders; of the inconsistent ones `for_first` chose the first."""
    flips = pairs - consistent
    if not 0 <= for_first <= flips:
        raise ValueError("need 0 <= for_first <= pairs - consistent")
    return PositionBias(
        consistency=wilson(consistent, n=pairs),
        flips=flips,
        for_first=for_first,
        p_value=binomial_two_sided_p(for_first, n=flips),
    )


def pair_chances(variances: Numbers, counts: Numbers, *, explore: float = EXPLORE) -> Floats:
    """Chance of asking each pair next: where one more vote shrinks its error most.

    Proportional to sqrt(S/n) - sqrt(S/(n + 1)) (Chiang et al. 2024), mixed with a
    uniform share. `variances` are of single votes of each pair; a pair without a
    vote counts as having one.
    """
    s, n = as_floats(variances), np.maximum(as_floats(counts), 1.0)
    gain = np.sqrt(s / n) - np.sqrt(s / (n + 1))
    uniform = np.full(gain.size, 1 / gain.size)
    total = float(gain.sum())
    greedy = gain / total if total > 0 else uniform
    chances: Floats = (1 - explore) * greedy + explore * uniform
    return chances


def votes_needed(preference: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Votes (ties not counted) that show a preference share different from one half."""
    gap = abs(preference - 0.5)
    if gap == 0:
        raise ValueError("an even preference cannot be shown")
    z_a, z_b = normal_quantile(1 - alpha / 2), normal_quantile(power)
    return ceil(((z_a * 0.5 + z_b * sqrt(preference * (1 - preference))) / gap) ** 2)
