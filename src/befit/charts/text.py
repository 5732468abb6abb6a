"""Text in pictures and pages: hidden characters made visible, escaped, and measured.

Names and labels come from files and models, so they are hostile text. The
report uses the same functions for everything that it prints.
"""

from __future__ import annotations

import html
import unicodedata
from functools import lru_cache

ELLIPSIS = "…"
SLACK = 0.5
"""A column as wide as its longest name holds that name, whatever rounding made of the room."""
KEPT = frozenset("\n\t")
_HIDDEN_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u034f\u2800")
"""Characters that are no format characters by class, yet leave nothing to see."""
_NARROW = frozenset("iljtfrI.,:;'|!()[]{} ")
_BROAD = frozenset("mwMW@%&−+×=<>~")


def hidden(char: str) -> bool:
    """Tell whether a character leaves nothing to see or steers what stands around it."""
    if char in KEPT:
        return False
    if char in _HIDDEN_LETTERS:
        return True
    category = unicodedata.category(char)
    variation = 0xFE00 <= ord(char) <= 0xFE0F or 0xE0100 <= ord(char) <= 0xE01EF  # noqa: PLR2004 - Unicode's blocks of variation selectors
    return category in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} or variation


def name_of(char: str) -> str:
    """Return how a hidden character is shown, for instance `U+202E`."""
    return f"U+{ord(char):04X}"


def plain(text: str) -> str:
    """Return `text` with every hidden character replaced by its number in angle marks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨{name_of(char)}⟩" if hidden(char) else char for char in text)


def escape(text: str) -> str:
    """Return `text` safe between tags and inside quoted attributes."""
    return html.escape(plain(text), quote=True)


@lru_cache(maxsize=1024)
def _advance(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    if char in _NARROW:
        return 0.4
    if char in _BROAD:
        return 1.0
    return 0.72 if char.isupper() else 0.64


def width(text: str, size: float) -> float:
    """Return an upper estimate of the width of `text` at a font size, in the same unit.

    Advances are those of a wide sans-serif, so that text does not run over in
    the reader's font, whichever that is.
    """
    return size * sum(map(_advance, text))


def fit(text: str, *, room: float, size: float) -> str:
    """Return `text`, its middle cut out where it is wider than `room`.

    Names of candidates often share their beginning, so the end is kept too.
    """
    clean = " ".join(plain(text).split())
    if width(clean, size) <= room + SLACK:
        return clean
    left, right = (len(clean) + 1) // 2, len(clean) // 2
    while left + right > 2 and width(clean[:left] + ELLIPSIS + clean[-right:], size) > room:  # noqa: PLR2004 - one character each side
        if left > right:
            left -= 1
        else:
            right -= 1
    return clean[:left] + ELLIPSIS + clean[-right:]
