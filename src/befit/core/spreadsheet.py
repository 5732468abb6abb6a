"""Text on its way into a spreadsheet: what it would take for a formula is marked as text."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARK = "'"


def marked(text: str) -> str:
    """Return a cell's text that no spreadsheet calculates; `unmarked` takes it back."""
    return _MARK + text if text.startswith((*_FORMULA, _MARK)) else text


def unmarked(text: str) -> str:
    """Return what `marked` was given."""
    return text[1:] if text[:1] == _MARK and text[1:2] in {*_FORMULA, _MARK} else text
