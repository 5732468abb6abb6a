"""Answers that say who they are: found by a lexicon, then masked, left out or flagged.

Two sources: words any model may use of itself (vendors, families, "developed
by", special tokens, tags around thoughts), and the names of this study's own
candidates. What a reviewer still recognises is reported by pressing "identity
visible", and measured by asking "which model is it?".

Answers are long and nearly all of them name nobody, so every pattern is tried only
where its first letters stand, which a plain search finds at the speed of memory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from befit.review.masking_words import FAMILIES, ORDINARY, PLAIN_WORDS, SPECIAL, VENDORS

HIDDEN = "[hidden]"
_SELF = re.compile(
    r"(?=(\bI\s?(?:'|\u2019)?m\b|\bI am\b|\bmy name is\b|\bcall me\b|\bas an?\b|"
    r"\b(?:developed|created|trained|made|built|designed|served|hosted|powered|provided) by\b|"
    r"\bmodel (?:from|by|of)\b|"
    r"\u6211\u662f|\u6211\u53eb|\u7531.{0,12}(?:\u5f00\u53d1|\u8bad\u7ec3)|"
    r"\bsoy\b|\bje suis\b|\bich bin\b))",
    re.IGNORECASE,
)
"""Where an answer begins to speak of itself, overlaps included."""
_ENDS = re.compile(r"[.\n\u3002]")
_SAME_LETTERS = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))
"""Letters that patterns without case take for others, and `str.lower` does not."""
_WIDE = {0xFF01 + n: 0x21 + n for n in range(94)}
_WIDE_LETTER = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
"""Letters as wide as Chinese ones: names written with them are names as well."""
_BEFORE = 60
"""Characters between the words in which an answer speaks of itself and a name, at most."""
_LEAST, _LEAST_IDEOGRAPHS = 4, 2
"""Letters a word of a candidate's name needs, to be looked for alone."""
_EDGE = "0-9A-Za-z_\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
"""Letters that would make another word of a name; scripts without spaces have none."""
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One place in a text that tells who wrote it."""

    start: int
    end: int
    kind: str


class Lexicon:
    """Finds self-identification.

    Args:
        own: names, model ids and vendors of this study's candidates.
    """

    def __init__(self, own: Iterable[str] = ()) -> None:
        words = [(re.escape(word), word) for word in VENDORS] + [(word, word) for word in FAMILIES]
        self._names = [
            *(_name(re.escape(word), word, ordinary=_is_ordinary(word), kind="own name")
              for word in sorted(own_words(own), key=len, reverse=True)),
            *(_name(pattern, _beginning(word), ordinary=word in ORDINARY, kind="model or vendor")
              for pattern, word in words),
        ]  # fmt: skip

    def find(self, text: str, *, strict: bool = False) -> list[Found]:
        """Return all places, without overlaps, in order.

        `strict`: a name that may be a word of the language counts wherever it stands.
        """
        told = text.translate(_WIDE) if _WIDE_LETTER.search(text) else text
        low = _low(told)
        found = [
            (m.start(), -m.end(), kind)
            for kind, beginnings, pattern in SPECIAL
            for beginning in beginnings
            for m in _matches(pattern, told, low, beginning)
        ]
        told_of_itself = _OfItself(told)
        for name in self._names:
            found += [
                (m.start(), -m.end(), name.kind)
                for m in _matches(name.pattern, told, low, name.beginning)
                if strict or not name.ordinary or told_of_itself.before(m.start())
            ]
        return _apart(sorted(found))

    def mask(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the text with every place hidden, and the kinds that were found."""
        found = self.find(text)
        parts, place = [], 0
        for one in found:
            parts += [text[place : one.start], HIDDEN]
            place = one.end
        parts.append(text[place:])
        return "".join(parts), tuple(dict.fromkeys(one.kind for one in found))


class _OfItself:
    """Whether an answer speaks of itself before a place; looked for at the first question."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _places(self) -> list[int]:
        """Return where the words end in which it speaks of itself."""
        return sorted(found.end(1) for found in _SELF.finditer(self._text))

    def before(self, start: int) -> bool:
        """Whether such words stand in the same sentence, shortly before."""
        last = bisect_right(self._places, start) - 1
        if last < 0 or start - self._places[last] > _BEFORE:
            return False
        return _ENDS.search(self._text, self._places[last], start) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    beginning: str
    pattern: re.Pattern[str]
    ordinary: bool
    kind: str


def _name(pattern: str, beginning: str, *, ordinary: bool, kind: str) -> _Name:
    return _Name(
        beginning=_low(beginning),
        pattern=re.compile(rf"(?<![{_EDGE}]){pattern}(?![{_EDGE}])", re.IGNORECASE),
        ordinary=ordinary,
        kind=kind,
    )


def _beginning(word: str) -> str:
    """Return the letters every match of a family's pattern begins with."""
    found = re.match(r"[\w. -]+", word)
    plain = found.group() if found else ""
    optional = word[len(plain) : len(plain) + 1] in {"?", "*", "{"}
    return plain[:-1] if optional else plain


def _low(text: str) -> str:
    """Return the text in lower case, as long as it was, as patterns that ignore case see it."""
    for letter, plain in _SAME_LETTERS:
        text = text.replace(letter, plain)
    return text.lower()


def _matches(
    pattern: re.Pattern[str], text: str, low: str, beginning: str
) -> Iterator[re.Match[str]]:
    """Yield the matches that begin with these letters."""
    place = low.find(beginning)
    while place >= 0:
        found = pattern.match(text, place)
        if found is not None:
            yield found
        place = low.find(beginning, place + 1 if found is None else max(found.end(), place + 1))


def _is_ordinary(word: str) -> bool:
    """Whether a name may be a word of the language: letters of one case, as in "careful"."""
    return word.isalpha() and (word.islower() or word.istitle()) and word.lower() not in FAMILIES


def _long_enough(word: str) -> bool:
    return len(word) >= (_LEAST_IDEOGRAPHS if _IDEOGRAPH.search(word) else _LEAST)


def own_words(names: Iterable[str]) -> set[str]:
    """Return what of candidates' names is looked for: whole names, and telling parts of them."""
    found: set[str] = set()
    for name in names:
        whole = name.strip()
        if _long_enough(whole):
            found.add(whole)
        for part in (*re.split(r"[\s/:@_()]+", whole), *re.split(r"[\s/:@_().-]+", whole)):
            bare = part.strip("-.")
            if _long_enough(bare) and bare.lower() not in PLAIN_WORDS and not bare.isdigit():
                found.add(bare)
    return {word for word in found if word.lower() not in PLAIN_WORDS}


def _apart(found: Sequence[tuple[int, int, str]]) -> list[Found]:
    """Return the places (start, minus end, kind; in order), those that overlap as one."""
    kept: list[tuple[int, int, str]] = []
    for start, less, kind in found:
        if kept and start < kept[-1][1]:
            first, end, own = kept[-1]
            kept[-1] = first, max(end, -less), own
            continue
        kept.append((start, -less, kind))
    return [Found(start=start, end=end, kind=kind) for start, end, kind in kept]
