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

from befit.review.masking_names import Rank, own_names
from befit.review.masking_spelled import rows, spelled, stem
from befit.review.masking_text import folded
from befit.review.masking_words import FAMILIES, ORDINARY, SPECIAL, VENDORS

HIDDEN = "[hidden]"
OWN, IN_QUESTION = "own name", "a name that stands in the question"
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
_BEFORE = 60
"""Characters between the words in which an answer speaks of itself and a name, at most."""
_EDGE = "0-9A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
"""Letters that would make another word of a name; scripts without spaces have none."""
_AS_A_NAME = re.compile(
    r"(?:\b(?:this is|I'm|I\u2019m|I am|call me|name is|name's|greetings from|hello from),?|"
    r"(?:\A|[.!?:\n\"'(*])\s*As)\s+[\"'*_]*\Z",
    re.IGNORECASE,
)
_AS_A_NAME_AFTER = re.compile(
    r"[\"'*_]*(?:\s*[,.;:!?)\u2013\u2014]|\s+(?:here|speaking|and|I)\b|\s*\Z)"
)
_HERE = re.compile(r"\s+(?:here|speaking)\s*(?:[,.!:\u2013\u2014-]|\Z)")
_ITS_ANSWER = re.compile(
    r"['\u2019]s\s+(?:answer|reply|response|output|turn|take|view|opinion|verdict)\b"
)
_SIGNED = re.compile(r"(?:\A|\n)\s*[-\u2013\u2014~]+\s*\Z")
_NEAR = 40
"""Characters around a name that show whether it is used as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One place in a text that tells who wrote it, or may."""

    start: int
    end: int
    kind: str
    hide: bool = True
    """False where it may as well be the question's own word: told of, not hidden."""


class Lexicon:
    """Finds self-identification.

    Args:
        own: names, model ids and vendors of this study's candidates.
    """

    def __init__(self, own: Iterable[str] = ()) -> None:
        words = [
            *((re.escape(word), word, word) for word in VENDORS),
            *((word, word, stem(word)) for word in FAMILIES),
        ]
        self._names = [
            *(_name(one.pattern, one.beginning, rank=one.rank, kind=OWN, letters=one.word)
              for one in own_names(own)),
            *(_name(pattern, _beginning(word), kind="model or vendor", letters=letters,
                    rank="word" if word in ORDINARY else "name")
              for pattern, word, letters in words),
        ]  # fmt: skip

    def find(self, text: str, *, strict: bool = False, asked: str = "") -> list[Found]:
        """Return all places, without overlaps, in order.

        `strict`: a name that may be a word of the language counts wherever it stands.
        `asked`: the question; a candidate's name that stands in it is its subject's as well.
        """
        told, places = folded(text)
        low = _low(told)
        found = [
            (m.start(), -m.end(), kind, True)
            for kind, beginnings, pattern in SPECIAL
            for beginning in beginnings
            for m in _matches(pattern, told, low, beginning)
        ]
        itself = _OfItself(told)
        subjects = self._named(asked) if asked else frozenset()
        apart = rows(told)
        for name in self._names:
            for m in _written(name, told, low, apart):
                if _tells(name, m, itself, strict=strict, subject=name in subjects):
                    found.append((m.start(), -m.end(), name.kind, True))
                elif name in subjects and name.rank == "name":
                    found.append((m.start(), -m.end(), IN_QUESTION, False))
        return [
            Found(start=places[start], end=places[end - 1] + 1, kind=kind, hide=hide)
            for start, end, kind, hide in _apart(sorted(found))
        ]

    def _named(self, question: str) -> frozenset[_Name]:
        """Return the candidates' names that stand in a question."""
        told, _ = folded(question)
        low, apart = _low(told), rows(told)
        return frozenset(
            name for name in self._names
            if name.kind == OWN and next(_written(name, told, low, apart), None) is not None
        )  # fmt: skip

    def mask(self, text: str, *, asked: str = "") -> tuple[str, tuple[str, ...]]:
        """Return the text with every place hidden, and the kinds that were found."""
        found = self.find(text, asked=asked)
        parts, place = [], 0
        for one in found:
            if one.hide:
                parts += [text[place : one.start], HIDDEN]
                place = one.end
        parts.append(text[place:])
        return "".join(parts), tuple(dict.fromkeys(one.kind for one in found))


class _OfItself:
    """Whether an answer speaks of itself before a place; looked for at the first question."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _places(self) -> list[int]:
        """Return where the words end in which it speaks of itself."""
        return sorted(found.end(1) for found in _SELF.finditer(self.text))

    def before(self, start: int) -> bool:
        """Whether such words stand in the same sentence, shortly before."""
        last = bisect_right(self._places, start) - 1
        if last < 0 or start - self._places[last] > _BEFORE:
            return False
        return _ENDS.search(self.text, self._places[last], start) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    beginning: str
    pattern: re.Pattern[str]
    rank: Rank
    kind: str
    spelled: re.Pattern[str] | None
    """The name letter by letter; None where it is too short."""


def _name(pattern: str, beginning: str, *, rank: Rank, kind: str, letters: str) -> _Name:
    return _Name(
        beginning=_low(beginning),
        pattern=re.compile(rf"(?<![{_EDGE}]){pattern}(?![{_EDGE}])", re.IGNORECASE),
        rank=rank,
        kind=kind,
        spelled=spelled(letters),
    )


def _written(
    name: _Name, text: str, low: str, apart: Sequence[tuple[int, int]]
) -> Iterator[re.Match[str]]:
    """Yield where a name stands, as a word or spelled out in a row of single letters."""
    yield from _matches(name.pattern, text, low, name.beginning)
    if name.spelled is not None:
        for start, end in apart:
            yield from name.spelled.finditer(text, start, end)


def _tells(
    name: _Name, m: re.Match[str], itself: _OfItself, *, strict: bool = False, subject: bool = False
) -> bool:
    """Whether a name where it stands tells who wrote the text."""
    if name.rank == "name" and not subject:
        return True
    if strict:
        return name.rank != "plain"
    capital = m.group()[0].isupper()
    if (capital or name.rank != "plain") and itself.before(m.start()):
        return True
    before = itself.text[max(0, m.start() - _NEAR) : m.start()]
    after = itself.text[m.end() : m.end() + _NEAR]
    if capital and _AS_A_NAME.search(before) and _AS_A_NAME_AFTER.match(after):
        return True
    if capital and _HERE.match(after):
        return True
    if name.kind != OWN:
        return False
    if m.group()[-1].isdigit() and not name.beginning[-1:].isdigit():
        return True
    return bool(_ITS_ANSWER.match(after) or (_SIGNED.search(before) and not after.strip()))


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


def _apart(
    found: Sequence[tuple[int, int, str, bool]],
) -> list[tuple[int, int, str, bool]]:
    """Return the places (start, minus end, kind, hide; in order) with their ends, none twice."""
    kept: list[tuple[int, int, str, bool]] = []
    for start, less, kind, hide in found:
        if kept and start < kept[-1][1]:
            first, end, own, hidden = kept[-1]
            kept[-1] = first, max(end, -less), own if hidden else kind, hide or hidden
            continue
        kept.append((start, -less, kind, hide))
    return kept
