"""Planning: what a plan can see, and how many samples a question needs.

`smallest_detectable` (paired, binary) is shown before every run, with the
discordance of the pair where it is known. Gates and differences that came out
as "insufficient" get the number of samples that would settle them.
"""

from __future__ import annotations

from math import ceil, log2, sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Numbers, as_floats, cluster_codes, sum_by
from befit.stats.distributions import normal_quantile, require_probability

_STEPS = 100
_NOTHING = 1e-12
"""A difference below this is the rounding of a sum."""


def _z_sum(power: float, alpha: float) -> float:
    require_probability(power, name="power")
    require_probability(alpha, name="alpha")
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def connor_n(
    difference: float, *, discordance: float, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Items needed to see a paired difference of two rates (Connor 1987).

    `discordance` is P(exactly one of the two is right), at least |difference|.
    """
    d = abs(difference)
    if not 0 < d <= discordance <= 1:
        raise ValueError(f"need 0 < |difference| <= discordance <= 1, not {d}, {discordance}")
    z_a, z_b = normal_quantile(1 - alpha / 2), normal_quantile(power)
    return ((z_a * sqrt(discordance) + z_b * sqrt(discordance - d * d)) / d) ** 2


def smallest_detectable(
    n: int, *, discordance: float = 0.2, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """Smallest paired difference of two rates that `n` items show with this power.

    Where even a wholly one-sided `discordance` is too small to be seen, the
    answer is the smallest difference of two candidates that differ in one
    direction only. None where no outcome of `n` items could be significant.
    """
    require_probability(discordance, name="discordance")
    if n < least_alike(alpha):
        return None

    def enough(d: float) -> bool:
        return connor_n(d, discordance=max(d, discordance), power=power, alpha=alpha) <= n

    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def least_alike(alpha: float) -> int:
    """Differences, all in one direction, with which a sign-flip test can come to `alpha`.

    Two-sided: n of them have p = 2 / 2^n, and no other outcome of n has a smaller one.
    """
    require_probability(alpha, name="alpha")
    return ceil(1 - log2(alpha))


def samples_for_sign_flip(
    differences: Numbers, *, clusters: npt.ArrayLike | None = None, alpha: float = 0.05
) -> int | None:
    """Items in all below which the sign-flip test shows nothing, however alike they are.

    Differences of 0 say nothing, and a cluster is flipped as a whole: as many of them must
    differ as `least_alike` says, at the share that differs now and in clusters as large as
    these. None where nothing differs.

    Args:
        differences: one per item, (n,), times its weight where they weigh unequally; no NaN.
        clusters: the cluster of each item.
        alpha: the two-sided error.
    """
    flat = as_floats(differences)
    sums = flat if clusters is None else sum_by(flat, cluster_codes(clusters))
    differ = int(np.count_nonzero(np.abs(sums) > _NOTHING))
    return -(-least_alike(alpha) * flat.size // differ) if differ else None


def miller_n(
    difference: float,
    *,
    between: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """Items needed to see a paired difference of mean scores (Miller 2024, section 5).

    `between` is the variance over items of the difference of the two expected
    scores; `within` the mean variance of one answer's score inside an item, and
    `repeats` the answers per item, both for A and B.
    """
    variance = between + within[0] / repeats[0] + within[1] / repeats[1]
    return (_z_sum(power, alpha) / difference) ** 2 * variance


def miller_smallest(
    n: int,
    *,
    between: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """Smallest paired difference of mean scores that `n` items show (inverse of `miller_n`)."""
    variance = between + within[0] / repeats[0] + within[1] / repeats[1]
    return _z_sum(power, alpha) * sqrt(variance / n)


def samples_for_difference(
    difference: float, *, discordance: float, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Items in all that would show a difference of the observed size; None where it is 0."""
    if difference == 0:
        return None
    d = min(1.0, abs(difference))
    psi = min(1.0, max(discordance, d))
    return ceil(connor_n(d, discordance=psi, power=power, alpha=alpha))


def samples_for_gate(
    rate: float, *, floor: float, power: float = 0.8, level: float = 0.95
) -> int | None:
    """Items in all after which a one-sided bound would settle `rate` against `floor`.

    With this power if the true rate is the observed one. None where the rate is
    exactly the floor: no number of items settles that.
    """
    require_probability(level)
    if rate == floor:
        return None
    z_a, z_b = normal_quantile(level), normal_quantile(power)
    spread = z_a * sqrt(floor * (1 - floor)) + z_b * sqrt(rate * (1 - rate))
    return max(1, ceil((spread / (rate - floor)) ** 2))


def samples_for_margin(
    margin: float, *, discordance: float = 0.2, power: float = 0.8, level: float = 0.95
) -> int:
    """Items after which "at most `margin` worse" is shown, if nothing has changed.

    One-sided; the same number shows a fall of twice the margin with that power.
    The two pseudo-pairs of the interval (Bonett-Price) are counted in.
    """
    require_probability(discordance, name="discordance")
    z = normal_quantile(level) + normal_quantile(power)
    return ceil(discordance * (z / margin) ** 2) + 2 * ceil(z)
