"""An estimate: the only form in which a number may reach a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from befit.core.record import Json
from befit.core.written import between

THIN = 30
"""An estimate on fewer samples than this is marked as thin, wherever it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its interval, the counts behind it and the method that made it.

    `value` is None where nothing was measured; `method` then says why.
    `low` or `high` is None where this n cannot bound it (p99 of 100 calls).
    """

    value: float | None
    low: float | None
    high: float | None
    n_samples: int
    n_trials: int
    n_missing: int
    method: str
    level: float = 0.95

    def __str__(self) -> str:
        """For example `0.84 [0.79, 0.88], n=180x5`."""
        if self.value is None:
            return f"not measured ({self.method})"
        low, high = (None if end is None else f"{end:.3g}" for end in (self.low, self.high))
        repeats = self.n_trials / self.n_samples if self.n_samples else 0
        return f"{self.value:.3g} [{between(low, high)}], n={self.n_samples}x{repeats:.3g}"

    def _refuse(self) -> NoReturn:
        raise TypeError(
            "estimates are not ordered: two overlapping or disjoint intervals are no test; "
            "use the paired differences (run.differences())"
        )

    def __lt__(self, other: object) -> bool:
        self._refuse()

    def __le__(self, other: object) -> bool:
        self._refuse()

    def __gt__(self, other: object) -> bool:
        self._refuse()

    def __ge__(self, other: object) -> bool:
        self._refuse()

    def to_dict(self) -> dict[str, Json]:
        """All fields as JSON values."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "n_samples": self.n_samples,
            "n_trials": self.n_trials,
            "n_missing": self.n_missing,
            "method": self.method,
        }


def not_measured(why: str, *, n_samples: int = 0, n_missing: int = 0) -> Estimate:
    """Return the estimate of something nobody measured, with the reason."""
    return Estimate(
        value=None,
        low=None,
        high=None,
        n_samples=n_samples,
        n_trials=0,
        n_missing=n_missing,
        method=why,
    )
