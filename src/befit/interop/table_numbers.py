"""Numbers as people and leaderboards write them: `86.4`, `86,4 %`, `1,254`, `84.2 ± 0.5`, `n/a`."""

from __future__ import annotations

import re
from typing import NamedTuple

MISSING = frozenset(
    ("", "-", "--", "—", "–", "−", "?", "n/a", "na", "nan", "none", "null", "tbd", ".", "*")
)
_SPACES = re.compile(r"[\s\u00a0\u202f']")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_POINTED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")
_COMMA = re.compile(r"[+-]?\d+,\d+")
HUGE = 1e300
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Number(NamedTuple):
    """A number with what its writing says besides."""

    value: float
    error: float | None = None
    percent: bool = False
    comma: bool | None = None
    """True: a decimal comma; None: cannot be told (`1,254`)."""


def is_missing(text: str) -> bool:
    """Tell whether a cell says that there is nothing."""
    return text.strip().lower() in MISSING


def quick_number(text: str) -> float | None:
    """Return a number written plainly, as nearly all are; None leaves it to `read_number`."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if -HUGE < value < HUGE and "_" not in text else None


def read_number(text: str, *, decimal_comma: bool = False) -> Number | None:
    """Return the number in a cell; None where it is no number.

    Args:
        text: the cell, not a missing one.
        decimal_comma: read `1,254` as 1.254: other cells of the column show a decimal comma.
    """
    body, _, spread = text.partition("±") if "±" in text else text.partition("+/-")
    percent = body.strip().endswith("%") or spread.strip().endswith("%")
    found = _bare(body.strip().removesuffix("%"), decimal_comma=decimal_comma)
    if found is None:
        return None
    value, comma = found
    error = None
    if spread.strip():
        told = _bare(spread.strip().removesuffix("%"), decimal_comma=decimal_comma)
        if told is None:
            return None
        error = told[0]
    return Number(value, error, percent, comma)


def _bare(text: str, *, decimal_comma: bool) -> tuple[float, bool | None] | None:
    packed = _SPACES.sub("", text).replace("−", "-")
    if _PLAIN.fullmatch(packed):
        value = float(packed)
        return (value, False) if abs(value) != float("inf") else None
    if _POINTED.fullmatch(packed):
        return float(packed.replace(".", "").replace(",", ".")), True
    if _GROUPED.fullmatch(packed):
        if packed.count(",") == 1 and "." not in packed:
            return float(packed.replace(",", "." if decimal_comma else "")), None
        return float(packed.replace(",", "")), False
    if _COMMA.fullmatch(packed):
        return float(packed.replace(",", ".")), True
    return None
