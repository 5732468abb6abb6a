"""Names spelled out, letter by letter: "p-o-l-a-r-i-s", "v e g a", "s.i.r.i.u.s".

Only letters that stand alone are looked at, four or more in a row with one to three
signs or blanks between them. Texts hardly ever hold any, so a text is searched once for
such rows, and for names only inside them.
"""

from __future__ import annotations

import re

_LEAST = 4
"""Letters of a name that is looked for spelled out; three in a row happen by chance."""
_BETWEEN = r"[\W_]{1,3}"
_ALONE = r"(?<![^\W_])[^\W_](?![^\W_])"
_ROW = re.compile(rf"{_ALONE}(?:{_BETWEEN}[^\W_](?![^\W_])){{{_LEAST - 1},}}")
"""A sign is never a letter, so each row is read once: time grows with the text only."""
_OPTIONAL = re.compile(r"\\s\?")
_STEM = re.compile(r"([a-z]+)(?:\Z|[(\[?])")
_NOT_A_STEM = frozenset({"command"})
"""Words a family's pattern begins with that name no family alone."""


def rows(text: str) -> list[tuple[int, int]]:
    """Return where letters stand alone in a row: start and end."""
    return [found.span() for found in _ROW.finditer(text)]


def spelled(word: str) -> re.Pattern[str] | None:
    """Return the pattern of a name spelled out; None where it has too few letters."""
    letters = [letter for letter in word if letter.isalnum()]
    if len(letters) < _LEAST or all(letter.isdigit() for letter in letters):
        return None
    row = _BETWEEN.join(re.escape(letter) for letter in letters)
    return re.compile(rf"(?<![^\W_]){row}(?![^\W_])", re.IGNORECASE)


def stem(family: str) -> str:
    """Return the letters of a family's pattern that name it; "" where there are none."""
    found = _STEM.match(_OPTIONAL.sub("", family))
    return found[1] if found and found[1] not in _NOT_A_STEM else ""
