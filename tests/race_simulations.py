"""Races and regression checks of known truth; short in the tests, long in the proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from befit.decide.race import Lane, Race
from befit.decide.regression import Pairing, check_all, outcome_of
from befit.pipeline.planning import recommend
from befit.stats.betting import Units

FIXED = recommend(pairs=6, margin=0.05).all_pairs
MARGIN_N = recommend(pairs=1, margin=0.05).regression
_NORMAL = NormalDist()


def answers(rng: np.random.Generator, rates: Sequence[float], n: int) -> np.ndarray:
    """Right or wrong of candidates that share what is hard: (candidates, n)."""
    cut = np.array([_NORMAL.inv_cdf(rate) for rate in rates])
    shared, own = rng.standard_normal((1, n)), rng.standard_normal((len(rates), n))
    return (np.sqrt(0.7) * shared + np.sqrt(0.3) * own < cut[:, None]).astype(float)


@dataclass(frozen=True, kw_only=True)
class Raced:
    """How one race went."""

    ending: str
    """`decided`, `futility` or `cap`."""
    right: bool
    used: float
    """Share of the calls of a fixed size."""


def race(rng: np.random.Generator, rates: Sequence[float], *, cap: int = FIXED) -> Raced:
    """Race candidates without a floor, in batches as a run has them."""
    table = answers(rng, rates, cap)
    made = Race(
        lanes=[Lane(scenario="s", floor=None)], candidates=len(rates), error=0.05, margin=0.05
    )
    seen = np.full(table.shape, np.nan)
    n = calls = 0
    while n < cap and not made.settled:
        step = min(cap - n, max(20 if not n else 10, int(0.15 * n)))
        asked = list(made.asked(0))
        seen[asked, n : n + step] = table[asked, n : n + step]
        calls += step * len(asked)
        n += step
        made.look(0, seen[:, :n])
    state = made.states[0]
    best = int(np.argmax(rates))
    return Raced(
        ending=state.ending or "cap",
        right=state.alive[best],
        used=calls / (cap * len(rates)),
    )


def against_floor(rng: np.random.Generator, *, size: int, heavy: float = 1.0) -> str:
    """Verdict on a candidate that is just below its floor, after 400 items.

    Args:
        size: items of a cluster, which are all right or all wrong.
        heavy: weight of every other cluster, whose items are right in 75 %; the light ones
            (weight 1) in 75 % where `heavy` is 1, else always.
    """
    units = 400 // size
    weights = np.where(np.arange(units) % 2 == 0, heavy, 1.0)
    rates = np.where((weights > 1) | (heavy == 1.0), 0.75, 1.0)
    floor = float((weights * rates).sum() / weights.sum()) + 0.001
    drawn = rng.permutation(units)
    right = np.repeat(rng.random(units) < rates[drawn], size).astype(float)
    made = Race(lanes=[Lane(scenario="s", floor=floor)], candidates=1, error=0.05, margin=0.05)
    n = 0
    while n < right.size and not made.settled:
        n = min(right.size, n + max(20 if not n else 10, int(0.15 * n)))
        n = -(-n // size) * size
        seen = Units(
            codes=np.arange(n) // size,
            weights=np.repeat(weights[drawn], size)[:n],
            heaviest=heavy * size,
        )
        made.look(0, right[None, :n], units=seen)
    return made.states[0].verdicts[0]


def gap_world(rng: np.random.Generator) -> list[float]:
    """Four candidates, every rival at least 10 points below the best."""
    best = rng.uniform(0.7, 0.97)
    return [best, *rng.uniform(best - 0.4, best - 0.1, 3)]


def tied_world(rng: np.random.Generator) -> list[float]:
    """Two leaders of the same quality and two rivals below them."""
    best = rng.uniform(0.7, 0.95)
    return [best, best, *rng.uniform(best - 0.4, best - 0.1, 2)]


def regression(rng: np.random.Generator, *, change: float, n: int = MARGIN_N) -> str:
    """Outcome of a regression check: true `change`, 20 % of the samples differ, margin 5 points."""
    discordance = max(0.2, abs(change))
    up, down = (discordance + change) / 2, (discordance - change) / 2
    kind = rng.choice(4, size=n, p=[up, down, 0.75 * (1 - discordance), 0.25 * (1 - discordance)])
    old = np.isin(kind, (1, 2)).astype(float)
    new = np.isin(kind, (0, 2)).astype(float)
    pair = Pairing(
        candidate="new",
        baseline="old",
        scenario="s",
        old=old,
        new=new,
        ids=tuple(map(str, range(n))),
        margin=0.05,
        single=True,
    )
    return outcome_of(check_all([pair]))
