"""Worlds of planted truth: candidates of known quality, stability, price and latency.

Short in the tests, long in the proof; the same code. `planted` draws a world,
`observe` what a run of it would have measured, `truth` the routes that somebody
who knew everything would take.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from statistics import NormalDist

import numpy as np
from scipy.stats import multivariate_normal

from befit.core.policy import Gate, Policy
from befit.core.tier import Tier
from befit.decide.choosing import Choice
from befit.decide.evidence import Evidence
from befit.decide.savings import saving_of
from befit.pipeline.planning import recommend
from decision_worlds import evidence_of, scenario_of

TIERS, CANDIDATES, REPEATS = 3, 4, 2
DELTA = 0.05
N = recommend(pairs=6, margin=0.05).all_pairs
"""Samples a scenario that `plan` recommends to tell 5 points apart, all pairs."""
STEADY, SHAKY = 0.95, 0.45
"""Correlation of the repeats of one sample."""
STABLE = 0.8
"""The stability asked for."""
_NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class World:
    """A planted truth; tables are (tiers, candidates)."""

    quality: np.ndarray
    steadiness: np.ndarray
    """Latent correlation of repeats, (candidates,)."""
    stability: np.ndarray
    price: np.ndarray
    """USD per task, (candidates,)."""
    p95: np.ndarray
    """Seconds, (candidates,)."""
    floors: np.ndarray
    ceiling: float
    volumes: np.ndarray

    def policy(self) -> Policy:
        """The policy of this world."""
        gates = [
            Gate(metric="pass_rate", scenario=f"s{t}", floor=round(float(self.floors[t]), 4))
            for t in range(TIERS)
        ]
        gates += [
            Gate(metric="latency_p95", ceiling=self.ceiling),
            Gate(metric="stability", floor=STABLE),
        ]
        return Policy(gates=tuple(gates), max_models=2)

    @property
    def good(self) -> np.ndarray:
        """[t, m]: truly passes every gate."""
        return (
            (self.quality >= np.round(self.floors, 4)[:, None])
            & (self.stability >= STABLE)
            & (self.p95 <= self.ceiling)[None, :]
        )

    def distance(self) -> np.ndarray:
        """[t, m]: how far a rate misses its floor (quality or stability); 0 where it does not."""
        short = np.maximum(self.floors[:, None] - self.quality, STABLE - self.stability)
        return np.maximum(short, 0.0)

    @property
    def clear(self) -> bool:
        """No true rate lies within the planned detectable difference of its floor."""
        near = np.abs(self.quality - self.floors[:, None]) < DELTA
        near |= np.abs(self.stability - STABLE) < DELTA
        return not near.any()


@cache
def _agreement(quality: float, steadiness: float) -> float:
    """P(two repeats agree) in the latent normal model, on a grid of rounded arguments."""
    cut = _NORMAL.inv_cdf(quality)
    joint = multivariate_normal([0, 0], [[1, steadiness], [steadiness, 1]]).cdf([cut, cut])
    return float(2 * joint + 1 - 2 * quality)


def planted(rng: np.random.Generator, *, clear_only: bool = False) -> World:
    """Draw a world: dearer candidates tend to be better, with exceptions."""
    while True:
        price = rng.uniform(0.3, 1.0, CANDIDATES) * np.array([1, 4, 16, 64]) / 1000
        base = np.sort(rng.uniform(0.6, 0.97, CANDIDATES))
        noise = rng.normal(0, 0.05, (TIERS, CANDIDATES)) + rng.uniform(-0.05, 0.05, TIERS)[:, None]
        quality = np.round(np.clip(base + noise, 0.4, 0.985), 3)
        steadiness = np.where(rng.random(CANDIDATES) < 0.8, STEADY, SHAKY)
        slow = rng.random(CANDIDATES) < 0.15
        world = World(
            quality=quality,
            steadiness=steadiness,
            stability=np.array(
                [
                    [_agreement(q, r) for q, r in zip(row, steadiness, strict=True)]
                    for row in quality
                ]
            ),
            price=price,
            p95=np.where(
                slow, rng.uniform(4.0, 8.0, CANDIDATES), rng.uniform(0.5, 2.0, CANDIDATES)
            ),
            floors=rng.uniform(0.7, 0.92, TIERS),
            ceiling=3.0,
            volumes=rng.integers(1_000, 100_000, TIERS).astype(float),
        )
        if not clear_only or world.clear:
            return world


def answers(world: World, rng: np.random.Generator, *, n: int) -> np.ndarray:
    """Right or wrong: (tiers, candidates, samples, repeats), correlated over both of the last."""
    cut = np.array([[_NORMAL.inv_cdf(q) for q in row] for row in world.quality])
    rho = world.steadiness[None, :, None, None]
    shared = rng.standard_normal((TIERS, 1, n, 1))
    own = rng.standard_normal((TIERS, CANDIDATES, n, 1))
    once = rng.standard_normal((TIERS, CANDIDATES, n, REPEATS))
    ease = np.sqrt(rho * 0.6) * shared + np.sqrt(rho * 0.4) * own + np.sqrt(1 - rho) * once
    return (ease < cut[:, :, None, None]).astype(float)


def observe(
    world: World, rng: np.random.Generator, *, n: int = N, right: np.ndarray | None = None
) -> Evidence:
    """What a run of `n` samples a scenario would have measured."""
    right = answers(world, rng, n=n) if right is None else right
    scenarios = []
    for t in range(TIERS):
        cost = world.price[:, None] * rng.lognormal(-0.045, 0.3, (CANDIDATES, n))
        scale = world.p95 / np.exp(0.4 * 1.6449)  # lognormal: 95 % of the times lie below p95
        scenarios.append(
            scenario_of(
                f"s{t}",
                f"t{t}",
                right[t].mean(axis=2),
                cost=cost,
                latency=[scale[m] * rng.lognormal(0, 0.4, n) for m in range(CANDIDATES)],
                repeats=REPEATS,
                passes=list(right[t]),
            )
        )
    tiers = [Tier(name=f"t{t}", volume_per_month=int(world.volumes[t])) for t in range(TIERS)]
    return evidence_of([f"m{m}" for m in range(CANDIDATES)], scenarios, tiers)


def truth(world: World, *, most: int = 2) -> tuple[int, ...] | None:
    """The cheapest routes of truly good candidates over the tiers that have any; None: impossible.

    A tier that nobody serves well has -1.
    """
    good = world.good
    served = [t for t in range(TIERS) if good[t].any()]
    best: tuple[float, tuple[int, ...]] | None = None
    for choice in product(range(CANDIDATES), repeat=len(served)):
        if len(set(choice)) > most or not all(
            good[t, m] for t, m in zip(served, choice, strict=True)
        ):
            continue
        cost = sum(world.volumes[t] * world.price[m] for t, m in zip(served, choice, strict=True))
        if best is None or cost < best[0]:
            best = (float(cost), choice)
    if served and best is None:
        return None
    found = [-1] * TIERS
    for t, m in zip(served, best[1] if best else (), strict=True):
        found[t] = m
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was decided in one world, against the truth."""

    clear: bool
    optimal: bool
    decided: bool
    """Every tier is decided, or nobody is good enough."""
    fails: bool
    """Some route goes to a truly failing candidate."""
    fails_badly: bool
    """... that misses a floor by twice the planned detectable difference."""


def judge(world: World, choice: Choice) -> Verdict:
    """Compare a choice with the truth."""
    routes = tuple(choice.routes.get(t, -1) for t in range(TIERS))
    open_ = [
        t
        for t in range(TIERS)
        if choice.contenders(t) or (routes[t] < 0 and choice.possible[t].any())
    ]
    wanted = truth(world)
    routed = [(t, m) for t, m in enumerate(routes) if m >= 0]
    return Verdict(
        clear=world.clear,
        optimal=(wanted is not None and routes == wanted) or (wanted is None and not routed),
        decided=not open_,
        fails=any(not world.good[t, m] for t, m in routed),
        fails_badly=any(world.distance()[t, m] >= 2 * DELTA for t, m in routed),
    )


def play(
    rounds: int, rng: np.random.Generator, *, n: int = N, clear: bool = False
) -> Iterator[Verdict]:
    """Draw worlds and decide each of them."""
    for _ in range(rounds):
        world = planted(rng, clear_only=clear)
        evidence = observe(world, rng, n=n)
        yield judge(world, Choice(evidence=evidence, policy=world.policy(), ranked=False))


def cover_savings(rounds: int, rng: np.random.Generator, *, n: int = 200) -> float:
    """Share of intervals of the monthly saving that hold the true saving of the same routes."""
    held = 0
    for _ in range(rounds):
        world = planted(rng)
        choice = Choice(evidence=observe(world, rng, n=n), policy=world.policy(), ranked=False)
        pick, other = [0, 1, 2], [3, 3, 3]
        found = saving_of(choice.views, world.volumes, pick, other)
        true = float((world.volumes * (world.price[other] - world.price[pick])).sum())
        held += found.low <= true <= found.high
    return held / rounds


def false_differences(rounds: int, rng: np.random.Generator, *, n: int = 200) -> float:
    """Share of worlds of equal candidates in which some pair is called different."""
    wrong = 0
    for _ in range(rounds):
        shared = rng.standard_normal((1, n))
        own = rng.standard_normal((CANDIDATES, n))
        right = (np.sqrt(0.6) * shared + np.sqrt(0.4) * own < 0.8).astype(float)
        evidence = evidence_of(list("abcd"), [scenario_of("s", "t", right)])
        wrong += bool(Choice(evidence=evidence, policy=Policy()).views[0].better.any())
    return wrong / rounds
