"""How a weighted ranking holds when the weights, and the scores, are in doubt.

SMAA-2 (Lahdelma, Salminen 2001): weights are drawn from a Dirichlet
distribution (uniform, or around stated weights), scores from their sampling
noise in the same loop, so that both doubts are in one number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.stats.arrays import Floats, Ints, Numbers, as_floats, divide
from befit.stats.composite import normalised_weights

_BLOCK = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSensitivity:
    """Ranks over draws of weights and scores.

    `acceptability[j, r]` is the chance that candidate j has rank r (0 is best);
    `central_weights[j]` the mean weights of the draws in which j is first (NaN if
    never); `tau_mean` and `tau_low` (5th percentile) compare each draw's ranking
    with the one under the stated weights.
    """

    acceptability: Floats
    central_weights: Floats
    tau_mean: float
    tau_low: float

    def within(self, places: int) -> Floats:
        """P(rank among the first `places`) of each candidate."""
        chances: Floats = self.acceptability[:, :places].sum(axis=1)
        return chances


def _ranks(values: Floats) -> Ints:
    order = np.argsort(-values, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(values.shape[1])[None, :], axis=1)
    return ranks


def _taus(ranks: Ints, base: Ints) -> Floats:
    count = base.size
    first, second = np.triu_indices(count, k=1)
    if first.size == 0:
        return np.ones(len(ranks))
    wanted = np.sign(base[first] - base[second])
    drawn = np.sign(ranks[:, first] - ranks[:, second])
    taus: Floats = (drawn * wanted).mean(axis=1)
    return taus


def smaa(
    scores: Numbers,
    *,
    rng: np.random.Generator,
    weights: Numbers | None = None,
    concentration: float | None = None,
    errors: Numbers | None = None,
    draws: int = 10_000,
) -> WeightSensitivity:
    """Draw weights (and scores) and count ranks.

    Args:
        scores: (candidates, dimensions), on fixed anchors in [0, 1].
        rng: the generator.
        weights: the stated weights (equal where None); base of the tau comparison.
        concentration: draw around the stated weights, Dirichlet(concentration x
            weights); uniform over all weights where None.
        errors: standard errors of the scores, same shape; drawn as normal noise.
        draws: number of draws.
    """
    table = as_floats(scores)
    count, dimensions = table.shape
    stated = normalised_weights(np.ones(dimensions) if weights is None else weights)
    shape = (
        np.ones(dimensions) if concentration is None else np.maximum(concentration * stated, 1e-9)
    )
    base = _ranks((table @ stated)[None, :])[0]
    tally, central = np.zeros((count, count)), np.zeros((count, dimensions))
    taus: list[Floats] = []
    block = max(1, _BLOCK // (count * max(count, dimensions)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        w = rng.dirichlet(shape, size=rows)
        if errors is None:
            values = w @ table.T
        else:
            noise = rng.standard_normal((rows, count, dimensions)) * as_floats(errors)
            values = np.einsum("rd,rmd->rm", w, np.clip(table + noise, 0.0, 1.0))
        ranks = _ranks(values)
        for rank in range(count):
            tally[:, rank] += (ranks == rank).sum(axis=0)
        central += (ranks == 0).T.astype(np.float64) @ w
        taus.append(_taus(ranks, base))
    firsts = tally[:, :1]
    tau = np.concatenate(taus)
    return WeightSensitivity(
        acceptability=tally / draws,
        central_weights=divide(central, firsts),
        tau_mean=float(tau.mean()),
        tau_low=float(np.quantile(tau, 0.05)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFlip:
    """The change of one weight (the others keep their proportions) that makes another first."""

    dimension: int
    weight: float
    change: float
    winner: int


def smallest_flip(scores: Numbers, weights: Numbers) -> WeightFlip | None:
    """Smallest change of a single weight that takes first place from the present winner.

    None where no change of a single weight does. Exact: along one weight every
    composite is a straight line.
    """
    table, w = as_floats(scores), normalised_weights(weights)
    totals = table @ w
    first = int(np.argmax(totals))
    best: WeightFlip | None = None
    for d in range(w.size):
        if w[d] >= 1:
            continue
        rest = (totals - w[d] * table[:, d]) / (1 - w[d])
        # composite at weight x of this dimension: rest + x (score - rest)
        offset, slope = rest[first] - rest, (table[first, d] - rest[first]) - (table[:, d] - rest)
        for j in range(len(table)):
            if j == first or slope[j] == 0:
                continue
            x = float(-offset[j] / slope[j])
            change = x - float(w[d])
            if 0 <= x <= 1 and (best is None or abs(change) < abs(best.change)):
                best = WeightFlip(dimension=d, weight=x, change=change, winner=j)
    return best
