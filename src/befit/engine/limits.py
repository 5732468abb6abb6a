"""The limits that an endpoint is driven with, from those its candidates state."""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.candidate import Limits
from befit.core.run import ManifestCandidate, RunSettings


def joint_limits(group: Sequence[ManifestCandidate], settings: RunSettings) -> Limits:
    """Return the limits of an endpoint: of each kind the tightest its candidates state."""

    def tightest(name: str) -> int | None:
        stated = [getattr(c.candidate.limits, name) for c in group]
        return min((value for value in stated if value is not None), default=None)

    return Limits(
        concurrency=tightest("concurrency") or settings.concurrency,
        requests_per_minute=tightest("requests_per_minute"),
        tokens_per_minute=tightest("tokens_per_minute"),
    )
