r"""JSON with halves of surrogate pairs: `"\ud83d"` in one event and `"\ude00"` in the next.

Valid by the grammar (RFC 8259, section 8.2), and sent by servers that cut text between two
UTF-16 units, but refused by orjson. So what orjson refuses is read here once more; halves that
belong together are joined where the answer ends, and a lone one is kept as it came.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, NoReturn

import orjson

from befit.core.record import Json

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def read_halves(data: bytes) -> Any:
    """Return the value of JSON that holds such a half; None for everything else.

    As strict as orjson in the rest: no NaN, no number out of range, no bytes beside UTF-8.
    """
    if not _HALF.search(data):
        return None
    try:
        return json.loads(data.decode(), parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


def read_json(data: bytes) -> Any:
    """Return the value of JSON, with or without halves.

    Raises:
        orjson.JSONDecodeError: it is none.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        value = read_halves(data)
        if value is None:
            raise
        return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text[:40]} is out of range")
    return value


def joined(text: str) -> str:
    """Return `text` with halves that stand side by side as the characters they are."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def without_halves(text: str) -> str:
    """Return `text` with a sign in the place of each lone half, for words that are shown."""
    return joined(text).encode("utf-8", "replace").decode()


def written(value: Json) -> bytes:
    """Return `value` as JSON, halves as escapes, which UTF-8 cannot hold otherwise."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
