"""What every scorer here does alike: versions, storable answers, spans.

Model output is hostile text: it may hold lone surrogates, which no JSON and no
database takes, or a megabyte, which nobody wants twice in the store.
"""

from __future__ import annotations

import hashlib
import re

from befit.core.fingerprint import fingerprint
from befit.core.record import Json, Record

MAX_ANSWER = 500
"""Characters of an extracted answer that are kept as they are."""

Span = tuple[int, int]


def version_of(code: str, options: Record) -> str:
    """Return the version of a scorer: its code's own and a hash of the options in force."""
    return f"{code}-{fingerprint(options.model_dump(mode='json'))[:8]}"


def blank(found: re.Match[str]) -> str:
    """Return as many spaces as were found, for `re.sub`; lines and places stay."""
    return re.sub(r"[^\n]", " ", found.group())


def storable(text: str) -> str:
    """Return `text` without lone surrogates and at most `MAX_ANSWER` characters long.

    A longer text ends in a hash of the whole, so that different answers stay different.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= MAX_ANSWER:
        return text
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    return f"{text[:MAX_ANSWER]}… #{digest}"


_LONG = 63
"""Bits: longer integers are kept as text, for most readers of JSON would round them."""
_TOO_LONG = 10_000


def storable_json(value: Json) -> Json:
    """Return a parsed JSON value in which every text is storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _LONG:
        return storable(str(value)) if value.bit_length() < _TOO_LONG else "a number too long"
    if isinstance(value, list):
        return [storable_json(item) for item in value]
    if isinstance(value, dict):
        return {storable(str(key)): storable_json(item) for key, item in value.items()}
    return value


def quoted(value: object, *, limit: int = 80) -> str:
    """Return `value` in quotes for an explanation, shortened, without control characters."""
    text = repr(value if not isinstance(value, str) else storable(value))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def trimmed(text: str, start: int = 0, end: int | None = None) -> Span:
    """Return the span of `text[start:end]` without white space at its ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, start + max(left, len(piece.rstrip()))
