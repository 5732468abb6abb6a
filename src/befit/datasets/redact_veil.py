r"""Texts as a reader of them would see them: escapes, entities and look-alike signs undone.

Logs hold JSON inside texts (`J\u00fcrgen`), addresses inside URLs (`anna%40...`),
digits of a Chinese keyboard, spaces of a word processor and signs without width.
Personal data is looked for in what they stand for, and replaced where they stand.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_HIDDEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_VEIL = re.compile(
    rf"""\\+u[0-9A-Fa-f]{{4}}|\\+[nrt"'/\\]|(?:%[0-9A-Fa-f]{{2}})+|&#?\w{{2,8}};|[{_HIDDEN}]"""
)
_BREAKS = {"n": "\n", "r": "\n", "t": " ", "\\": " "}
_WIDE = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B),
         0xFF20, 0xFF0E, 0xFF0D, 0xFF0B, 0xFF3F, 0xFF0F, 0xFF1D)  # fmt: skip
"""Digits, letters and `@.-+_/=` as wide as a Chinese character."""
_ALIKE = str.maketrans(
    {
        **{chr(code): chr(code - 0xFEE0) for code in _WIDE},
        **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
                        "\u200a\u202f\u205f\u3000", " "),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    }
)  # fmt: skip
_ODD = re.compile(
    "[\u00a0\u2000-\u200a\u2010-\u2013\u202f\u205f\u2212\u3000\uff0b-\uff1d\uff20-\uff5a]"
)
_RUN = re.compile(r"[A-Za-z0-9+/_-]{16}")
_ENCODED = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,}={0,2}(?![\w+/=-])")
_LONGEST = 100_000
"""Characters of an encoded piece that is looked into."""
_URL_SAFE = bytes.maketrans(b"-_", b"+/")


@dataclass(frozen=True, slots=True)
class View:
    """A text as it is read, and where each of its characters stands in the source."""

    text: str
    starts: tuple[int, ...] = ()
    """Empty where both are the same, character by character; else one more than characters."""
    ends: tuple[int, ...] = ()

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the source behind a range of the view."""
        if not self.starts:
            return start, end
        return self.starts[start], self.ends[end - 1]


def unveiled(text: str) -> View:
    """Return a text as it is read."""
    plain = text.isascii()
    if not plain and _ODD.search(text):
        text = text.translate(_ALIKE)
    if plain and "\\" not in text and "%" not in text and "&" not in text:
        return View(text)
    first = _VEIL.search(text)
    return View(text) if first is None else _undone(text)


def _undone(text: str) -> View:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in _VEIL.finditer(text):
        left, right = match.span()
        parts.append(text[at:left])
        starts += range(at, left)
        ends += range(at + 1, left + 1)
        shown = _meant(match.group())
        parts.append(shown)
        starts += [left] * len(shown)
        ends += [right] * len(shown)
        at = right
    parts.append(text[at:])
    starts += range(at, len(text))
    ends += range(at + 1, len(text) + 1)
    return View("".join(parts), tuple(starts), tuple(ends))


def _meant(veiled: str) -> str:
    if veiled[0] == "%":
        return bytes.fromhex(veiled.replace("%", "")).decode("utf-8", "replace").translate(_ALIKE)
    if veiled[0] == "&":
        return html.unescape(veiled).translate(_ALIKE)
    if veiled[0] != "\\":
        return ""
    sign = veiled.lstrip("\\")
    if len(sign) > 1:
        return chr(int(sign[1:], 16)).translate(_ALIKE)
    return _BREAKS.get(sign, sign) if sign else " "


def encoded(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield pieces of base64 that are text: start, end, and what they say."""
    if _RUN.search(text) is None:
        return
    for match in _ENCODED.finditer(text):
        piece = match.group().rstrip("=")
        if len(piece) > _LONGEST or len(piece) % 4 == 1:
            continue
        raw = piece.encode().translate(_URL_SAFE) + b"=" * (-len(piece) % 4)
        try:
            said = base64.b64decode(raw, validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if said.replace("\n", "").replace("\r", "").replace("\t", "").isprintable():
            yield *match.span(), said
