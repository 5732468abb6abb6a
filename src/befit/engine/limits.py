"""The limits that an endpoint is driven with, from those its candidates state."""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.candidate import Limits
from befit.core.run import Manifest, ManifestCandidate, RunSettings
from befit.engine.job import endpoints
from befit.errors import BefitError
from befit.plugins import load


def _own_concurrency(targets: set[str]) -> int | None:
    """Return the smallest number of calls at a time that the targets state of themselves."""
    stated: list[int] = []
    for name in targets:
        try:
            own = getattr(load("befit.targets", name), "concurrency", None)
        except BefitError:
            continue  # told where the target is opened
        if isinstance(own, int):
            stated.append(own)
    return min(stated, default=None)


def joint_limits(group: Sequence[ManifestCandidate], settings: RunSettings) -> Limits:
    """Return the limits of an endpoint: of each kind the tightest its candidates state.

    Where none states how many calls at a time, a target that knows it of itself (a model in
    this process answers one after the other) does, before the run's settings do.
    """

    def tightest(name: str) -> int | None:
        stated = [getattr(c.candidate.limits, name) for c in group]
        return min((value for value in stated if value is not None), default=None)

    own = _own_concurrency({c.candidate.target for c in group})
    return Limits(
        concurrency=tightest("concurrency") or own or settings.concurrency,
        requests_per_minute=tightest("requests_per_minute"),
        tokens_per_minute=tightest("tokens_per_minute"),
    )


def calls_in_flight(manifest: Manifest) -> dict[str, int]:
    """Return how many calls at a time a run began with, by candidate.

    They are those of its endpoint, which all candidates of that endpoint share.
    """
    found: dict[str, int] = {}
    for group in endpoints(manifest.candidates).values():
        most = joint_limits(group, manifest.settings).concurrency or manifest.settings.concurrency
        found |= dict.fromkeys((one.candidate.name for one in group), most)
    return found
