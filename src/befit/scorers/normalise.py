"""When two texts are called the same; one code for gold and answer alike.

Normalised means: Unicode NFKC, case folded, one kind of quotes and dashes,
single spaces, no decoration around (quotes, Markdown emphasis, closing
punctuation). Inner punctuation, signs and digits stay: `-5` is not `5`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_DASHES_AND_QUOTES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—−", "-"),
    }
)
_LEADING = " \t\r\n\"'`*_"
_TRAILING = " \t\r\n\"'`*_.,;:!?。！？"


def folded(text: str) -> str:
    """Return `text` in NFKC, case folded, with plain quotes and dashes; its spaces are kept."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text).translate(_DASHES_AND_QUOTES)


def normalised(text: str) -> str:
    """Return the normalised form; texts that are the same answer have the same form."""
    plain = " ".join(folded(text).split())
    return plain.lstrip(_LEADING).rstrip(_TRAILING) or plain


def narrow(text: str) -> str:
    """Return `text` with full-width digits, signs and colons as plain ones, each in its place.

    A full-width comma is plain between full-width digits only, where it groups them:
    elsewhere it lists.
    """
    return text if text.isascii() else _WIDE_COMMA.sub(",", text).translate(_WIDE)


_WIDE_COMMA = re.compile(r"(?<=[\uff10-\uff19])\uff0c(?=[\uff10-\uff19]{3}(?![\uff10-\uff19]))")
_WIDE = {ord(char) + 0xFEE0: char for char in "0123456789+-.%:=#"}


def squeezed(text: str) -> str:
    """Return `text` in NFKC with single spaces, its case kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A folded text that knows where each of its characters came from."""

    text: str
    starts: tuple[int, ...] | None
    """Per folded character the start of its source in the raw text; None: the same place."""
    ends: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the raw text of `text[start:end]` (not empty)."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def folded_with_places(text: str) -> Folded:
    """Fold `text` cluster by cluster (a base and its combining marks), keeping the places."""
    if text.isascii():
        return Folded(text=text.lower(), starts=None, ends=None)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place < len(text) and _continues(text[place]):
            continue
        piece = folded(text[start:place])
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [place] * len(piece)
        start = place
    return Folded(text="".join(pieces), starts=tuple(starts), ends=tuple(ends))


def _continues(char: str) -> bool:
    """Whether `char` belongs to the character before it: a mark, or a joining Hangul part."""
    return char > "\u02ff" and (unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff")


# Scripts written without spaces (or, Hangul, with particles joined to the word).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)


def word_pattern(wanted: str) -> re.Pattern[str] | None:
    """Return a pattern finding `wanted` as whole words in a folded text; None if it is blank.

    A number is not found inside a longer number, a date or a time: `20` is neither
    in `2025-01-01` nor in `1.20`, `20:15` or `20-01`.
    """
    words = folded(wanted).split()
    if not words:
        return None
    body = r"\s+".join(re.escape(word) for word in words)
    return re.compile(_before(words[0][0]) + body + _after(words[-1][-1]))


def _before(char: str) -> str:
    if char.isdigit():
        return r"(?<!\w)(?<!\d[.,:/\-])(?<!\w-)"
    return r"(?<!\w)" if _bounded(char) else ""


def _after(char: str) -> str:
    if char.isdigit():
        return r"(?!\w)(?![.,:/\-]\d)"
    return r"(?!\w)" if _bounded(char) else ""


def _bounded(char: str) -> bool:
    return (char.isalnum() or char == "_") and not _UNSPACED.match(char)
