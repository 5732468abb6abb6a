"""Davidson's model of pairwise votes in which ties have a rate of their own (1970).

P(tie) = nu sqrt(pi pj) / (pi + pj + nu sqrt(pi pj)). Use it where the tie rate
itself matters; otherwise `bradleyterry.py` with ties as half wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from befit.stats.arrays import Floats, Numbers, as_floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Davidson:
    """Log strengths (sum 0) and the tie parameter nu."""

    strengths: Floats
    nu: float


def _minimize() -> Any:
    import scipy.optimize  # noqa: PLC0415  # loads on first use: the command line starts without it

    return scipy.optimize.minimize


def fit_davidson(wins: Numbers, ties: Numbers) -> Davidson:
    """Fit to counts: `wins[i, j]` how often i beat j, `ties[i, j]` symmetric tie counts.

    Raises ValueError where there is no tie, or nothing but ties.
    """
    won, tied = as_floats(wins), as_floats(ties)
    count = len(won)
    first, second = np.triu_indices(count, k=1)
    up, down, even = won[first, second], won[second, first], tied[first, second]
    if even.sum() == 0 or up.sum() + down.sum() == 0:
        raise ValueError("Davidson's model needs both ties and decided votes")

    def loss(theta: Floats) -> tuple[float, Floats]:
        b, log_nu = theta[:count], float(theta[count])
        logits = np.stack((b[first], b[second], log_nu + (b[first] + b[second]) / 2))
        top = logits.max(axis=0)
        total = top + np.log(np.exp(logits - top).sum(axis=0))
        seen = np.stack((up, down, even))
        rest = seen - seen.sum(axis=0) * np.exp(logits - total)
        gradient = np.zeros(count + 1)
        np.add.at(gradient, first, rest[0] + rest[2] / 2)
        np.add.at(gradient, second, rest[1] + rest[2] / 2)
        gradient[count] = rest[2].sum()
        return -float((seen * (logits - total)).sum()), -gradient

    found = _minimize()(loss, np.zeros(count + 1), jac=True, method="BFGS", options={"gtol": 1e-9})
    strengths = found.x[:count]
    return Davidson(strengths=strengths - strengths.mean(), nu=float(np.exp(found.x[count])))
