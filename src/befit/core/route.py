"""By which way an answer came: the provider behind a gateway, its region, its session.

Read from the few headers that targets keep. Only what a provider says of itself is
known; most say nothing, and nothing is then not "the same".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PROVIDER_HEADERS = (
    "provider",
    "x-provider",
    "x-inference-provider",
    "x-openrouter-provider",
    "x-litellm-model-id",
)
"""`provider` is what an answer's body names; the others are headers."""
REGION_HEADERS = (
    "x-ms-region",
    "x-groq-region",
    "x-region",
    "x-amzn-region",
    "fly-region",
    "x-served-region",
    "x-vercel-id",
    "cf-ray",
)
SESSION_HEADERS = ("x-session-id", "x-session-affinity", "x-served-by", "x-replica-id")
"""What ties calls to one machine or conversation of the provider's."""
_LONGEST = 100
_BETWEEN = "\t"


class Route(NamedTuple):
    """Each None where the provider did not say."""

    provider: str | None = None
    region: str | None = None
    session: str | None = None


def route_text(headers: Mapping[str, str]) -> str | None:
    """Return the way of an answer as one short text; None where nothing tells it."""
    if not headers:
        return None
    named = (
        _first(headers, PROVIDER_HEADERS),
        _region(headers),
        _first(headers, SESSION_HEADERS),
    )
    return _BETWEEN.join(part or "" for part in named) if any(named) else None


def read_route(text: str | None) -> Route:
    """Return the way that `route_text` wrote down."""
    parts = (text or "").split(_BETWEEN)
    return Route(*(part or None for part in parts[:3]))


def _first(headers: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = " ".join(headers.get(name, "").split())[:_LONGEST]
        if value:
            return value
    return None


def _region(headers: Mapping[str, str]) -> str | None:
    """Return the region; of ids of requests only the place in them is one."""
    if "cf-ray" in headers or "x-vercel-id" in headers:
        own = _first(headers, REGION_HEADERS[:-2])
        if own is not None:
            return own
        places = headers.get("x-vercel-id", "").split("::")[:-1]
        edge = headers.get("cf-ray", "").rpartition("-")
        return " ".join(places)[:_LONGEST] or (edge[2][:_LONGEST] if edge[0] else "") or None
    return _first(headers, REGION_HEADERS)
