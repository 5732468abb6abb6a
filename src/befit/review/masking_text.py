"""A text as names are looked for in it: without what cannot be seen, letters in their plain form.

A name in letters as wide as Chinese ones, in bold mathematical ones, in Cyrillic letters
that look Latin, or with a space of no width inside reads like the name; the places of
all letters are kept, so that what was written can be hidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from befit.review.masking_letters import without_lookalikes

_ODD = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2070-\u209c\u2100-\u214f\u2460-\u24ff\u3164\ufe00-\ufe0f\ufeff"
    "\uff01-\uff5e\uffa0\U0001d400-\U0001d7ff\U0001f130-\U0001f189\U000e0000-\U000e0fff]"
)
"""What is not seen, and letters that stand for others: wide, bold, in circles."""
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_MARKS = frozenset("-_.' /:@")


def folded(text: str) -> tuple[str, Sequence[int]]:
    """Return the text to look for names in, and the place each of its letters had."""
    if text.isascii():
        return text, range(len(text))
    if _ODD.search(text) is None:
        return without_lookalikes(text), range(len(text))
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        plain = _plain(letter) if _ODD.match(letter) else letter
        letters.append(plain)
        places += [place] * len(plain)
    return without_lookalikes("".join(letters)), places


def _plain(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind == "Cf" or letter in _UNSEEN or "\ufe00" <= letter <= "\ufe0f" or kind == "Mn":
        return ""
    plain = unicodedata.normalize("NFKC", letter)
    return plain if plain.isalnum() or plain in _MARKS else letter
