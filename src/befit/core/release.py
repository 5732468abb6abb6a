"""A release: an immutable set of routes in force, and how it got there."""

from __future__ import annotations

from befit.core.record import Record


class ReleaseRoute(Record):
    """One route of a release: candidate fingerprints, the first serves, the rest fall back."""

    tier: str
    candidates: tuple[str, ...]


class Release(Record):
    """Routes in force since a moment, by somebody, for a reason."""

    id: str
    routes: tuple[ReleaseRoute, ...]
    created_at: str
    actor: str
    reason: str
    previous: str | None = None
