"""Failing over in figures: how often it came to what is due, how long it took, what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.core.estimate import Estimate, not_measured
from befit.engine.fallback_matrix import Expected, FaultRow
from befit.stats.means import estimate_amount
from befit.stats.quantiles import estimate_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultFigures:
    """One fault of the matrix over its tries."""

    name: str
    expected: Expected
    came: tuple[str, ...]
    """What each try came to."""
    right: int
    tries: int
    first_token_p50: Estimate
    """Seconds from asking the primary to the first token of whoever answered."""
    first_token_p95: Estimate
    end_p50: Estimate
    dead_seconds: Estimate
    """Mean time that the dead attempts took."""
    cost: Estimate
    """USD of an answer, with the dead attempts that said what they cost."""


def fault_figures(row: FaultRow, *, primary: str) -> FaultFigures:
    """Return the figures of one fault."""
    answered = [one for one in row.results if one.served_by is not None]
    first = np.array([np.nan if o.first_token is None else o.first_token for o in answered])
    end = np.array([o.end for o in answered])
    dead = np.array([sum(d.seconds for d in o.dead) for o in row.results])
    costs = [o.total_cost for o in answered]
    n_failed = len(row.results) - len(answered)
    known = not_measured("price or usage unknown", n_missing=n_failed)
    if answered and all(cost is not None for cost in costs):
        values = [float(cost) for cost in costs if cost is not None]
        known = estimate_amount(values, n_trials=len(values), n_missing=n_failed)

    def quantile(values: np.ndarray[tuple[int], np.dtype[np.float64]], q: float) -> Estimate:
        if not values.size:
            return not_measured("nobody answered", n_missing=n_failed)
        return estimate_quantile(values, q=q, n_samples=values.size, n_missing=n_failed)

    return FaultFigures(
        name=row.case.name,
        expected=row.case.expected,
        came=tuple(row.came(one, primary) for one in row.results),
        right=row.right(primary),
        tries=len(row.results),
        first_token_p50=quantile(first, 0.5),
        first_token_p95=quantile(first, 0.95),
        end_p50=quantile(end, 0.5),
        dead_seconds=estimate_amount(dead, n_trials=dead.size, n_missing=0),
        cost=known,
    )
