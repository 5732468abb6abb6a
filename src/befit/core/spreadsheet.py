"""Text on its way to a spreadsheet and back: what it would take for a formula is marked as text."""

from __future__ import annotations

import csv
from collections.abc import Iterator

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARK = "'"


def marked(text: str) -> str:
    """Return a cell's text that no spreadsheet calculates; `unmarked` takes it back."""
    return _MARK + text if text.startswith((*_FORMULA, _MARK)) else text


def unmarked(text: str) -> str:
    """Return what `marked` was given."""
    return text[1:] if text[:1] == _MARK and text[1:2] in {*_FORMULA, _MARK} else text


def next_row(reader: Iterator[list[str]], *, longest: int) -> list[str] | None:
    """Return the next row of a CSV reader, None behind the last.

    Args:
        reader: what `csv.reader` made.
        longest: how many characters a cell may have; the limit of the process stays as it was.

    Raises:
        csv.Error: no row, or a longer cell.
    """
    before = csv.field_size_limit(longest)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)
