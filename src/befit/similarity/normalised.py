"""Sameness up to what does not matter: case, white space, Unicode form; key order in JSON.

Two answers in JSON are compared as values, not as strings: position-by-position
comparison calls `{"a":1,"b":2}` and `{"b":2,"a":1}` three quarters alike although
they are equal.
"""

from __future__ import annotations

import json
import unicodedata
from typing import NoReturn

from befit.core.fingerprint import canonical_json
from befit.core.record import Json


def canonical(text: str) -> str:
    """Return the normal form of `text`; two texts are the same where their forms are equal.

    A JSON object or array becomes canonical JSON (sorted keys, `1.0` as `1`);
    then everything is NFKC, case-folded, and runs of white space are one space.
    """
    plain = _as_json(text) or text
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    return " ".join(folded.split())


class Normalised:
    """1.0 where the normal forms of both texts are equal, else 0.0."""

    def compare(self, a: str, b: str, /) -> float:
        """Return 1.0 or 0.0."""
        return 1.0 if canonical(a) == canonical(b) else 0.0


def _as_json(text: str) -> str | None:
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return None  # a bare number or string is text like any other
    try:
        return canonical_json(_numbers(json.loads(stripped, parse_constant=_refuse)))
    except (ValueError, RecursionError):
        return None


def _numbers(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
