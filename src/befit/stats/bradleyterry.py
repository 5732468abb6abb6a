"""Bradley-Terry ratings from pairwise votes, with honest errors.

P(i beats j) = sigma(b_i - b_j); a tie is half a win. Errors are of the sandwich
kind, over clusters (items or reviewers) where these vote more than once.
Covariates (answer length, formatting) join the same fit ("style control").
Ratings are not compared by their own intervals: `difference` has the covariance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import numpy.typing as npt

from befit.stats.arrays import Bools, Floats, Ints, Numbers, as_floats, cluster_codes
from befit.stats.distributions import normal_tail, z_value
from befit.stats.intervals import Interval

ELO = 400 / log(10)
ELO_BASE = 1000.0
_RIDGE = 1e-2
_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Strengths (sum 0), effects of covariates, and the covariance of all of them.

    `connected` is False where some candidates never lost to (or never met) the
    rest; their strengths are then held finite by a small ridge only and mean little.
    """

    strengths: Floats
    effects: Floats
    covariance: Floats
    model_covariance: Floats
    pulls: Floats
    """What each vote pulls at each coefficient: its row of the design by its residual."""
    connected: bool
    n_votes: int

    def clustered(self, clusters: npt.ArrayLike) -> Floats:
        """Return the sandwich covariance with errors clustered in another way (one per vote)."""
        return _sandwich(self.model_covariance, self.pulls, clusters)

    def elo(self) -> Floats:
        """Strengths on the Elo scale around 1000."""
        scaled: Floats = ELO * self.strengths + ELO_BASE
        return scaled

    def error(self, index: int) -> float:
        """Sandwich standard error of one strength (or, past the candidates, of an effect)."""
        return sqrt(max(0.0, float(self.covariance[index, index])))

    def rating(self, index: int, *, level: float = 0.95) -> Interval:
        """Return the strength of one candidate against the mean of all."""
        half, value = z_value(level) * self.error(index), float(self.strengths[index])
        return Interval(value=value, low=value - half, high=value + half, method=self._method())

    def difference(self, a: int, b: int, *, level: float = 0.95) -> tuple[Interval, float]:
        """Return strength of a minus strength of b, and the two-sided p of "equal"."""
        v = self.covariance
        error = sqrt(max(0.0, float(v[a, a] + v[b, b] - 2 * v[a, b])))
        value = float(self.strengths[a] - self.strengths[b])
        half = z_value(level) * error
        p = min(1.0, 2 * normal_tail(abs(value) / error)) if error > 0 else 1.0
        interval = Interval(value=value, low=value - half, high=value + half, method=self._method())
        return interval, p

    def _method(self) -> str:
        return "bradley-terry, sandwich" + ("" if self.connected else ", not connected")


def strongly_connected(beats: npt.ArrayLike) -> bool:
    """Tell whether every candidate is reached from every other along "beat (or tied)"."""
    reach: Bools = np.asarray(beats, dtype=bool) | np.eye(len(np.asarray(beats)), dtype=bool)
    for _ in range(max(1, len(reach).bit_length())):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())


def _design(left: Ints, right: Ints, count: int, covariates: Floats | None) -> Floats:
    rows = np.arange(left.size)
    x = np.zeros((left.size, count))
    np.add.at(x, (rows, left), 1.0)
    np.add.at(x, (rows, right), -1.0)
    return x if covariates is None else np.column_stack((x, covariates))


def _newton(x: Floats, y: Floats, ridge: float) -> Floats:
    beta = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -500, 500)))
        gradient = x.T @ (y - p) - ridge * beta
        hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(beta.size)
        step = np.linalg.pinv(hessian, hermitian=True) @ gradient
        size = float(np.abs(step).max(initial=0.0))
        beta = beta + step / max(1.0, size / 2)
        if size < 1e-12:  # noqa: PLR2004  # converged to rounding
            break
    return beta


def _sandwich(inverse: Floats, pulls: Floats, clusters: npt.ArrayLike | None) -> Floats:
    if clusters is not None:
        codes = cluster_codes(clusters)
        summed = np.zeros((int(codes.max()) + 1, pulls.shape[1]))
        np.add.at(summed, codes, pulls)
        pulls = summed * sqrt(len(summed) / max(1, len(summed) - 1))
    covariance: Floats = inverse @ (pulls.T @ pulls) @ inverse
    return covariance


def fit_bradley_terry(
    left: npt.ArrayLike,
    right: npt.ArrayLike,
    scores: Numbers,
    *,
    candidates: int,
    covariates: Numbers | None = None,
    clusters: npt.ArrayLike | None = None,
) -> Ratings:
    """Fit ratings to votes.

    Args:
        left: candidate index of each vote's left side, (votes,).
        right: the same for the right side.
        scores: 1 left won, 0 right won, 0.5 tie.
        candidates: how many there are.
        covariates: (votes, C), left minus right, for instance `style_difference`.
        clusters: item or reviewer of each vote, where they vote more than once.
    """
    a, b = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    y = as_floats(scores)
    if y.size == 0 or (a == b).any():
        raise ValueError("need votes, each between two different candidates")
    extra = None if covariates is None else as_floats(covariates).reshape(y.size, -1)
    x = _design(a, b, candidates, extra)
    beats = np.zeros((candidates, candidates), dtype=bool)
    beats[a[y > 0], b[y > 0]] = True
    beats[b[y < 1], a[y < 1]] = True
    connected = strongly_connected(beats)
    ridge = 0.0 if connected else _RIDGE
    beta = _newton(x, y, ridge)
    p = 1 / (1 + np.exp(-np.clip(x @ beta, -500, 500)))
    hessian = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(beta.size)
    inverse = as_floats(np.linalg.pinv(hessian, hermitian=True))
    pulls = x * (y - p)[:, None]
    strengths = beta[:candidates]
    return Ratings(
        strengths=strengths - strengths.mean(),
        effects=beta[candidates:],
        covariance=_sandwich(inverse, pulls, clusters),
        model_covariance=inverse,
        pulls=pulls,
        connected=connected,
        n_votes=y.size,
    )


def style_difference(left: Numbers, right: Numbers, *, standardise: bool = True) -> Floats:
    """(left - right) / (left + right) of a style count (tokens, headers), 0 where both are 0."""
    a, b = as_floats(left), as_floats(right)
    total = a + b
    relative = np.divide(a - b, total, out=np.zeros_like(total), where=total > 0)
    if not standardise:
        return relative
    spread = float(relative.std())
    return relative / spread if spread > 0 else relative
