"""Records to bytes and back, exactly: model output is kept untouched.

A body is one tag byte and a payload: orjson where it can say it (nearly
always), the standard library's JSON where it cannot (lone surrogates, integers
beyond 64 bits), compressed with zlib where that saves room. NUL and surrogates
survive; narrow text columns, which databases refuse to fill with those, go
through `plain`.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from functools import lru_cache
from typing import Any

import orjson

from befit.core.record import Json

_LEVEL = 1
"""zlib's fastest: a third larger than its best and several times quicker."""
_WORTHWHILE = 2048
"""Bytes below which compression saves less than it costs."""
_REPLACEMENT = "\ufffd"
_SHORT = 80
"""Characters of an answer whose hash is remembered."""


def pack(value: Json) -> bytes:
    """Return `value` (a JSON value; tuples count as lists) as a body."""
    try:
        raw, tag = orjson.dumps(value), b"o"
    except TypeError:
        raw, tag = json.dumps(value, separators=(",", ":"), default=repr).encode("ascii"), b"j"
    return tag + raw if len(raw) < _WORTHWHILE else _squeezed(raw, tag)


def pack_json(raw: bytes) -> bytes:
    """Return JSON text that is already written as a body."""
    return b"o" + raw if len(raw) < _WORTHWHILE else _squeezed(raw, b"o")


def _squeezed(raw: bytes, tag: bytes) -> bytes:
    return tag.upper() + zlib.compress(raw, _LEVEL)


def unpack(body: bytes) -> Any:
    """Return the value of a body.

    Raises:
        ValueError: when the body is damaged.
    """
    tag, payload = body[:1], body[1:]
    try:
        raw = zlib.decompress(payload) if tag.isupper() else payload
    except zlib.error as error:
        raise ValueError(f"a stored record is damaged: {error}") from error
    return json.loads(raw) if tag in b"jJ" else orjson.loads(raw)


def plain(text: str) -> str:
    """Return `text` as a database can hold it in a column: without NUL and lone surrogates."""
    if text.isprintable():  # neither NUL nor surrogates are
        return text
    clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return clean.replace("\0", _REPLACEMENT)


def plain_or_none(text: str | None) -> str | None:
    """Return `plain(text)`, or None for None."""
    return None if text is None else plain(text)


def answer_hash(answer: Json) -> str | None:
    """Return the hash of a canonical answer: equal answers have equal hashes; None has none.

    As in Python and in JSON, 1 and 1.0 are equal; the order of keys does not matter.
    """
    if answer is None:
        return None
    if isinstance(answer, str):
        return _text_hash(answer) if len(answer) <= _SHORT else _hash(_raw_text(answer))
    return _hash(b"v" + _canonical(answer).encode("ascii"))


@lru_cache(maxsize=2048)
def _text_hash(answer: str) -> str:
    """Short answers come again and again: labels, numbers, every repeat of a stable one."""
    return _hash(_raw_text(answer))


def _raw_text(answer: str) -> bytes:
    return b"s" + answer.encode("utf-8", "surrogatepass")


def _hash(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=12).hexdigest()


def _canonical(answer: Json) -> str:
    return json.dumps(
        _integral(answer), sort_keys=True, separators=(",", ":"), default=repr, skipkeys=True
    )


def _integral(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _integral(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_integral(item) for item in value]
    return value
