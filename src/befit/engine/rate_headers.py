"""What a provider's rate-limit headers say: how much is left and when it is refilled.

Two spellings are in use: `x-ratelimit-remaining-requests` with a duration
(`6m0s`, `120ms`), and `anthropic-ratelimit-requests-remaining` with a date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_WHAT = ("requests", "tokens", "input-tokens", "output-tokens")


def exhausted_for(headers: Mapping[str, str], *, wall: float, needed_tokens: int = 1) -> float:
    """Return for how many seconds the endpoint has nothing left; 0 while it has.

    `headers` have lower-case names. `wall` is the time in seconds since the
    epoch, for resets given as a date. Headers that make no sense count as absent.
    """
    longest = 0.0
    for what in _WHAT:
        left, reset = _read(headers, what)
        needed = 1 if what == "requests" else needed_tokens
        if left is not None and reset is not None and left < needed:
            longest = max(longest, _until(reset, wall))
    return longest


def _read(headers: Mapping[str, str], what: str) -> tuple[float | None, str | None]:
    left = headers.get(f"x-ratelimit-remaining-{what}")
    reset = headers.get(f"x-ratelimit-reset-{what}")
    if left is None:
        left = headers.get(f"anthropic-ratelimit-{what}-remaining")
        reset = headers.get(f"anthropic-ratelimit-{what}-reset")
    try:
        return (float(left) if left is not None else None), reset
    except ValueError:
        return None, None


def _until(reset: str, wall: float) -> float:
    text = reset.strip().lower()
    found = _DURATION.findall(text)
    if found and "".join(number + unit for number, unit in found) == text:
        return sum(float(number) * _SECONDS[unit] for number, unit in found)
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(reset.strip())
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - wall)
