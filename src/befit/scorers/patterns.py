"""The user's regular expressions, compiled once."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def compiled(source: str) -> re.Pattern[str] | None:
    """Return the compiled expression (`(?i)` and the like go inside it), or None if it is none."""
    try:
        return re.compile(source)
    except (re.error, RecursionError, OverflowError):
        return None


def check_pattern(source: str) -> str:
    """Return `source` if it is a regular expression.

    Raises:
        ValueError: it is none; says where.
    """
    try:
        re.compile(source)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from error
    return source
