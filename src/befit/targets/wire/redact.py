"""What must be taken out of a provider's words before they are kept: keys, and noise.

Error bodies can repeat the key they were sent. Everything that becomes a
`Failure.message` or a kept header value goes through here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_MESSAGE = 500
"""Characters of a failure message."""

_MASK = "[redacted]"
_SHORTEST = 4
"""Shorter "secrets" (an empty or one-letter key of a local server) hide nothing."""

_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|key)[-_][A-Za-z0-9*._-]{6,}"  # common key shapes, also half masked
    r"|(?<=[Bb]earer )[^\s\"',}]+"
    r"|(?<=://)[^/\s@]+:[^/\s@]+(?=@)"  # user:password in a URL
)


def redact(text: str, secrets: Iterable[str], *, limit: int = MAX_MESSAGE) -> str:
    """Return `text` on one line of at most `limit` characters, without secrets.

    Args:
        text: what a provider or a library said.
        secrets: values that must not appear, for instance the API key.
        limit: the longest result, in characters.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, _MASK)
    text = _LOOKS_SECRET.sub(_MASK, text)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
