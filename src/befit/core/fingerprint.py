"""Content hashes: what makes two things the same thing.

Everything that can change a result goes into a fingerprint; names and prices
do not. The text form is canonical JSON (sorted keys, no spaces, UTF-8), so a
fingerprint does not depend on the order of keys in a file.
"""

from __future__ import annotations

import hashlib
import json

from befit.core.record import Json

LENGTH = 24
"""Hexadecimal digits kept: 96 bits, collision-free for any workspace."""

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
# Made once: `json.dumps` makes one for each call, which costs as much as the encoding.


def canonical_json(value: Json) -> str:
    """Return `value` as canonical JSON.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
        TypeError: for anything that is not a JSON value.
    """
    return _ENCODER.encode(value)


def fingerprint(value: Json) -> str:
    """Return the first 24 hexadecimal digits of the SHA-256 of the canonical JSON of `value`."""
    return fingerprint_of_json(canonical_json(value))


def fingerprint_of_json(text: str) -> str:
    """Return the fingerprint of a value that is written as canonical JSON already."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
