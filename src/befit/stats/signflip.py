"""The sign-flip permutation test on paired item differences: befit's one test for A against B.

Under "no difference" each item's (or cluster's) difference is as likely to have
the other sign. With one binary trial per item it is the exact McNemar test; it
works as well for repeats and scores.

Exact wherever that is possible: by enumeration up to 16 non-zero differences,
and for differences on a lattice (rates over repeats are) from the characteristic
function of the flipped sum, the product of cosines. Only scores of many
different values need Monte Carlo draws.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Floats, Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import binomial_two_sided_p, normal_tail

_ENUMERATE = 16
_LATTICE = 1 << 18
_UNITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 24, 30, 36, 40, 60, 84, 100, 120, 360, 420)
_NORMAL_FROM = 20_000
_DRAWS = 10_000
_MORE_DRAWS = 200_000
_FEW = 10
_TOLERANCE = 1e-9
_FLOOR = 1e-12
"""Below this the transform's rounding shows; smaller p-values are reported as this."""


def sign_flip_p(
    differences: Numbers,
    *,
    rng: np.random.Generator,
    clusters: npt.ArrayLike | None = None,
    draws: int = _DRAWS,
) -> float:
    """Two-sided p of "the differences are symmetric around 0"; 1 where all are 0.

    Args:
        differences: one per item, (n,); no NaN.
        rng: used only where no exact way is open.
        clusters: items of one cluster are flipped together.
        draws: Monte Carlo draws; raised to 200,000 where fewer than 10 reach the
            observed sum, so that a correction for many tests can still reject.
    """
    units = _units(as_floats(differences), clusters)
    units = units[np.abs(units) > _TOLERANCE]
    sizes, observed = np.abs(units), abs(float(units.sum()))
    if sizes.size == 0:
        return 1.0
    if sizes.size <= _ENUMERATE:
        return _enumerated(sizes, observed)
    if np.ptp(sizes) < _TOLERANCE:
        wins = round((sizes.size - observed / float(sizes[0])) / 2)
        return binomial_two_sided_p(wins, n=sizes.size)
    lattice = _on_lattice(sizes)
    if lattice is not None:
        steps, unit = lattice
        return _by_cosines(steps, round(observed * unit))
    return _drawn(sizes, observed, rng=rng, draws=draws)


def _units(differences: Floats, clusters: npt.ArrayLike | None) -> Floats:
    if clusters is None:
        return differences
    return sum_by(differences, cluster_codes(clusters))


def _reached(sums: Floats, observed: float) -> Bools:
    # a hair below, so that sums equal to the observed one up to rounding count
    reached: Bools = np.abs(sums) >= observed - _TOLERANCE * max(1.0, observed)
    return reached


def _enumerated(sizes: Floats, observed: float) -> float:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums + size, sums - size))
    return float(_reached(sums, observed).mean())


def _on_lattice(sizes: Floats) -> tuple[Ints, int] | None:
    for unit in _UNITS:
        scaled = sizes * unit
        steps = np.rint(scaled)
        if float(steps.sum()) > _LATTICE:
            return None
        if np.abs(scaled - steps).max() < _TOLERANCE * unit:
            return steps.astype(np.int64), unit
    return None


def _by_cosines(steps: Ints, observed: int) -> float:
    values, counts = np.unique(steps, return_counts=True)
    top = int(steps.sum())
    size = 1 << (2 * top + 1).bit_length()
    angles = np.arange(size // 2 + 1) * (2 * np.pi / size)
    transform = np.ones(angles.size)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        transform *= np.cos(value * angles) ** count
    chances = np.fft.irfft(transform, n=size)
    # chances[s] is P(sum = s), negative sums wrap around; the two tails are equal
    tail = float(np.clip(chances[observed : top + 1], 0.0, None).sum())
    return min(1.0, max(_FLOOR, 2 * tail)) if observed else 1.0


def _drawn(sizes: Floats, observed: float, *, rng: np.random.Generator, draws: int) -> float:
    if sizes.size > _NORMAL_FROM:
        spread = float(np.sqrt(np.square(sizes).sum()))
        return min(1.0, 2 * normal_tail(observed / spread))
    reached = _count(sizes, observed, rng=rng, draws=draws)
    if reached < _FEW and draws < _MORE_DRAWS:
        reached += _count(sizes, observed, rng=rng, draws=_MORE_DRAWS - draws)
        draws = _MORE_DRAWS
    return (reached + 1) / (draws + 1)


def _count(sizes: Floats, observed: float, *, rng: np.random.Generator, draws: int) -> int:
    block = max(1, 4_000_000 // sizes.size)
    reached = 0
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        up = rng.integers(0, 2, size=(rows, sizes.size), dtype=np.int8).astype(np.float64)
        reached += int(_reached(2 * (up @ sizes) - sizes.sum(), observed).sum())
    return reached
