"""Is a model's wording a prompt at all? What is refused before anyone asks what it means.

A model that is asked to word a prompt anew sometimes does not end, goes round in a
circle, answers instead, or leaves its marks in the text. One reason is given, the
first that holds: whoever reads it needs no list of what else such a text lacks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

MOST = 4
LEAST = 0.15
ROOM = 200
"""Characters that a wording may have beyond `MOST` times the prompt: short prompts grow most."""
LONGEST_WORD = 100
SENTENCES = 3
RUNS = 5
"""So often the same sentence, or the same four words in a row, is a circle."""
_PLACEHOLDER = re.compile(r"\{+\w+\}+")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_MARKS = re.compile(r"</?prompt>", re.IGNORECASE)
_PREFACE = re.compile(
    r"(?:sure|certainly|of course|okay|here(?:'s| is| are)|hier ist|voici|aquí)"
    r"\b[^\n{]{0,80}:\s*\n",
    re.IGNORECASE,
)


def unusable(original: str, other: str) -> str | None:
    """Return why `other` is no wording of the prompt `original`, None where it may be one."""
    most = MOST * len(original) + ROOM
    if not other.strip():
        return "it is empty"
    if len(other) > most:
        return (
            f"it has {len(other):,} characters, and at most {most:,} are taken for a prompt of"
            f" {len(original):,}"
        )
    bare, own = _PLACEHOLDER.sub(" ", other), _PLACEHOLDER.sub(" ", original)
    if _WORD.search(own) and not _WORD.search(bare):
        return "it asks nothing: only placeholders are left"
    least = int(LEAST * len(own.strip()))
    if len(bare.strip()) < least:
        return (
            f"it has {len(bare.strip())} characters beside the placeholders, and a prompt of"
            f" {len(own.strip())} needs at least {least}"
        )
    if _MARKS.search(other) and not _MARKS.search(original):
        return "it was cut off, or holds the marks of the answer: <prompt>"
    if _PREFACE.match(other.lstrip()) and not _PREFACE.match(original.lstrip()):
        return "it begins with words to you, which the candidates would be shown"
    strange = _controls(other) - _controls(original)
    if strange:
        return f"it holds characters that are no text (U+{ord(min(strange)):04X})"
    return _circle(own, bare)


def _controls(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in {"Cc", "Co", "Cn"} and c not in "\n\t\r"}


def _circle(own: str, bare: str) -> str | None:
    """Return what is said over and over, or runs on without a space."""
    longest = max(_WORD.findall(bare), key=len, default="")
    if len(longest) > LONGEST_WORD and longest not in own and longest.isascii():
        return f"it holds a word of {len(longest)} letters: '{longest[:20]}...'"
    for parts, most in ((_sentences, SENTENCES), (_runs, RUNS)):
        before, after = parts(own), parts(bare)
        for part, count in after.most_common(1):
            if count >= most and count > max(before.values(), default=0) + 1:
                return f"it says the same {count} times: '{part[:60]}'"
    return None


def _sentences(text: str) -> Counter[str]:
    parts = (" ".join(_WORD.findall(part.casefold())) for part in _SENTENCE.split(text))
    return Counter(part for part in parts if part)


def _runs(text: str) -> Counter[str]:
    """Count the runs of four words."""
    words = _WORD.findall(text.casefold())
    runs = zip(*(words[shift:] for shift in range(4)), strict=False)
    return Counter(" ".join(run) for run in runs)
