"""Signs that test items were seen in training, without log-probabilities.

The main one: how much more a candidate loses on perturbed items than reference
candidates do (difference in differences). The others are flags only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Numbers, as_floats
from befit.stats.distributions import binomial_cdf
from befit.stats.paired import Difference, paired_amount_difference


def gap_difference(
    original: Numbers,
    perturbed: Numbers,
    references: Sequence[tuple[Numbers, Numbers]],
    *,
    rng: np.random.Generator,
    clusters: npt.ArrayLike | None = None,
) -> Difference:
    """Estimate the candidate's loss on perturbed items beyond the references' mean loss.

    All arrays hold item means in the same item order, NaN where missing;
    `references` are (original, perturbed) of other candidates. Positive: the
    candidate loses more, as one that knows the originals would.
    """
    gap = as_floats(original) - as_floats(perturbed)
    if not references:
        raise ValueError("needs at least one reference candidate")
    others = np.mean([as_floats(a) - as_floats(b) for a, b in references], axis=0)
    return paired_amount_difference(gap, others, rng=rng, clusters=clusters)


def quiz_p(right: int, *, n: int, chance: float = 0.25) -> float:
    """One-sided p of picking the original among paraphrases that often by chance."""
    return 1 - binomial_cdf(right - 1, n=n, p=chance)


def ngram_coverage(
    tokens: Sequence[Hashable], reference: Sequence[Hashable], *, n: int = 8
) -> float:
    """Share of `tokens` inside an n-gram that `reference` has as well; 0 for short texts."""
    if not tokens:
        return 0.0
    known = {tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)}
    covered = [False] * len(tokens)
    for i in range(len(tokens) - n + 1):
        if tuple(tokens[i : i + n]) in known:
            covered[i : i + n] = [True] * n
    return sum(covered) / len(tokens)
