"""Retries: bounded, exponential, full jitter. The engine is their only owner.

Full jitter (Brooker, "Exponential backoff and jitter", AWS Architecture Blog,
2015): a uniform draw between 0 and the doubled ceiling. What the provider asks
for by Retry-After is kept as the least wait.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from befit.core.failure import Failure

RETRY_AFTER_CAP = 120.0
"""Seconds; a longer Retry-After is cut to this, so that nothing seems to hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """At most `retries` further tries; the n-th wait is uniform in 0..min(cap, base * 2**n)."""

    retries: int
    base: float = 0.5
    cap: float = 30.0

    def delay(self, failure: Failure, tries: int, rng: random.Random) -> float | None:
        """Return the seconds to wait after the `tries`-th failed try (from 1), None to give up."""
        if not failure.retryable or tries > self.retries:
            return None
        ceiling = min(self.cap, self.base * 2.0 ** min(tries - 1, 30))
        drawn = rng.uniform(0.0, ceiling)
        if failure.retry_after is None:
            return drawn
        # Jitter on top, or everybody who was told the same second comes back in it.
        return min(max(failure.retry_after, 0.0), RETRY_AFTER_CAP) + drawn * 0.1
