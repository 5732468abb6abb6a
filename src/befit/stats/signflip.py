"""The sign-flip permutation test on paired item differences: befit's one test for A against B.

Under "no difference" each item's (or cluster's) difference is as likely to have
the other sign. With one binary trial per item it is the exact McNemar test; it
works as well for repeats and scores.

Exact wherever that is possible: by enumeration up to 16 non-zero differences,
and for differences on a lattice (rates over repeats are) from the characteristic
function of the flipped sum, the product of cosines. Scores of many different
values are put on a lattice so fine that the p-value moves by about a hundredth of
itself, mostly upwards; only few of them take Monte Carlo draws.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Floats, Ints, Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import binomial_two_sided_p, normal_tail

_ENUMERATE = 16
_LATTICE = 1 << 20
"""Longest period of the transform."""
_UNITS = (
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 24, 25, 30, 36, 40, 60, 84, 100, 120, 300, 360,
    420, 840,
)  # fmt: skip
_NORMAL_FROM = 20_000
_ROUND_FROM = 100
_ROUNDING = 1e-3
"""Noise of putting scores on a lattice, in standard errors of the sum."""
_DRAWS = 10_000
_MORE_DRAWS = 200_000
_FEW = 10
_TOLERANCE = 1e-9
_FLOOR = 1e-12
"""Below this the transform's rounding shows; smaller p-values are reported as this."""
_BEYOND = 7.53
"""Standard errors beyond which p is below the floor whatever the sizes (Hoeffding 1963)."""
_CLEAR = 8.5
"""Standard errors that the period leaves free, so that less than 1e-15 wraps around."""
_NOTHING = 1e-19
_AT_ONCE = 1 << 19


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
    if sizes.size < _ROUND_FROM:
        return _drawn(sizes, observed, rng=rng, draws=draws)
    if sizes.size > _NORMAL_FROM:
        return min(1.0, 2 * normal_tail(observed / _spread(sizes)))
    return _rounded(units)


def _units(differences: Floats, clusters: npt.ArrayLike | None) -> Floats:
    if clusters is None:
        return differences
    return sum_by(differences, cluster_codes(clusters))


def _spread(sizes: Floats | Ints) -> float:
    """Return the standard error of the flipped sum."""
    return sqrt(float(np.square(sizes.astype(np.float64)).sum()))


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
    longest = _LATTICE / (_BEYOND + _CLEAR) / _spread(sizes)
    for unit in _UNITS:
        if unit > longest:
            return None
        scaled = sizes * unit
        steps = np.rint(scaled)
        if np.abs(scaled - steps).max() < _TOLERANCE * unit:
            return steps.astype(np.int64), unit
    return None


def _rounded(units: Floats) -> float:
    """Return p with every difference rounded to a fine lattice, ties counted in."""
    noise = sqrt(units.size / 12)
    steps = np.rint(units * (noise / (_ROUNDING * _spread(units)))).astype(np.int64)
    # equal sums may have come apart by the rounding: they count as having reached it
    observed = abs(int(steps.sum())) - ceil(3 * noise)
    return _by_cosines(np.abs(steps[steps != 0]), max(0, observed))


def _by_cosines(steps: Ints, observed: int) -> float:
    """Return P(|sum of +-steps| >= observed).

    The chances of a sum modulo a period are a finite Fourier sum over the
    product of cosines; those of an interval need only its kernel (Dirichlet's).
    Angles at which the product has become nothing are left out as it is formed.
    """
    common = int(np.gcd.reduce(steps))
    steps, observed = steps // common, -(-observed // common)
    spread = _spread(steps)
    if observed <= 0:
        return 1.0
    if observed >= _BEYOND * spread:
        return _FLOOR
    period = observed + ceil(_CLEAR * spread)
    place = np.arange(period // 2 + 1)
    transform = np.where((place == 0) | (2 * place == period), 1.0, 2.0)
    values, counts = np.unique(steps, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    at = 0
    while at < order.size and place.size:
        taken = order[at : at + max(1, _AT_ONCE // (8 * place.size))]
        waves = np.cos(np.outer(values[taken], place * (2 * np.pi / period)))
        transform = transform * (waves ** counts[taken, None]).prod(axis=0)
        kept = np.abs(transform) > _NOTHING
        place, transform = place[kept], transform[kept]
        at += taken.size
    half = place * (np.pi / period)
    width = 2 * observed - 1
    with np.errstate(invalid="ignore"):
        kernel = np.where(place == 0, float(width), np.sin(width * half) / np.sin(half))
    inside = float((transform * kernel).sum()) / period
    return min(1.0, max(_FLOOR, 1.0 - inside))


def _drawn(sizes: Floats, observed: float, *, rng: np.random.Generator, draws: int) -> float:
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
