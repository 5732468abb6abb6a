"""Whether a text says that it does not know, whether it hedges, whether it answers all the same.

Abstaining is saying that there is no answer to give. Hedging is giving one with
doubt ("probably", "my best guess"), or after saying that it is not known: "I don't
know, but it is 7" has given a guess. What a text tells of other things ("only the
red one is given: 12") is no guess. The words are listed in `stance_words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from befit.scorers.evidence import Span
from befit.scorers.normalise import Folded, folded, folded_with_places
from befit.scorers.patterns import compiled
from befit.scorers.stance_words import (
    ABSTAINS,
    ALONE,
    BUT,
    HEDGES,
    REFUSES,
    REPORTS,
    VALUE,
    joined,
)

LANGUAGES = tuple(ABSTAINS)
_LONGEST = 20_000
"""Characters of a text that are read."""
_SENTENCES = 200
"""Sentences of a text that are looked at for an answer beside the words that abstain."""
_ANNOUNCED = r"(?:final )?(?:answer|antwort|réponse|respuesta|答案|回答|答え|الجواب|الإجابة)\s?[:=]"
_ALONE = re.compile(
    rf"^[^\w\n]*(?:{_ANNOUNCED}\W*)?(?:(?:sorry|leider|désolée?|lo siento)\W+)?(?:{ALONE})"
    r"(?=[^\w\n]*$|[.。!;](?:\s|$))",
    re.MULTILINE,
)
_SAYS = re.compile(rf"^[^\w\n]*{_ANNOUNCED}\W*\w", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?。؟;\n]|\.(?!\s|$))+[.!?。؟;]*")
_BUT = re.compile(BUT)
_VALUE = re.compile(VALUE)
_REPORTS = re.compile(REPORTS)
_REFUSES = re.compile(REFUSES)
_NUMBER_ALONE = re.compile(r"^\W*\d[\d.,:/ -]*(?:[^\W\d]{1,8})?\W*$")
_COMMA = re.compile(r"(?<!\d)[,、،:(]|[,、،:(](?!\d)|\s-\s")
_NOUNS_HAVE_CAPITALS = ("es ", "das ", "die ", "der ")
_NUMBER_NEXT = re.compile(r"\W*(?:[^\W\d]+\s){0,1}(?:the\s)?\W{0,2}\d")
_NEAR = 100
"""Characters before a phrase in which its "if" stands."""
_IF = re.compile(
    r"(?:\b(?:if|unless|whenever|wenn|falls|sofern|si|s'il|indien|если)\b"
    r"|如果|若|إذا)[^.!?。؟;,،\n]*$"
)
_IN_CASE = re.compile(r"[^\W\d_]{0,3}(?:場合|なら|ければ|的话|时，|时,)")
_FEW = 4
"""Words of a phrase that abstains without naming a thing."""
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]{3,}")
_PLAIN_WORDS = (
    "the its this that text document passage article answer value code number date name total",
    "here there given stated mentioned still exact and for was are der die das den dem des ist",
    "ein eine text dokument wert zahl les des une est texte document réponse valeur las los una",
    "del texto documento respuesta valor هذا هذه النص هو هي",
    "可 能 应 该 大 概 也 许 文 中 我 您 你 它 这 那 的 是 为 答 案 但 值 は が の で す を に も",
)
_PLAIN = frozenset(word for line in _PLAIN_WORDS for word in line.split())
"""Words that name no thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """What a text says of its own knowledge, and where it says so."""

    abstains: bool
    """It says that it does not know, and gives no answer beside that."""
    hedges: bool
    """It gives an answer with doubt, or after saying that it does not know."""
    span: Span | None
    """Of the words that abstain, else of those that hedge."""
    refuses: bool = False
    doubts: bool = False
    """It has words of doubt."""


def stance(
    text: str,
    *,
    language: str | None = None,
    also: tuple[str, ...] = (),
    alone: bool = True,
    asked: str = "",
) -> Stance:
    """Return the stance of `text`.

    Args:
        text: the answer.
        language: of the answer; its list is tried with the English one. None: all lists.
        also: further patterns that abstain (searched for in the folded text).
        alone: a text that is "None" or "unknown" and nothing else abstains as well.
        asked: the question; what is said of things that it does not name is no guess.
    """
    shown = folded_with_places(text[:_LONGEST])
    known = language.split("-")[0].lower() if language else ""
    own = known if known in ABSTAINS else ""
    said = list(_abstaining(shown.text, own, also=also, alone=alone))
    doubts = list(_pattern(own, hedging=True).finditer(shown.text))
    beside = bool(said) and _gives(
        shown, text, _Known(shown.text, said, asked=asked), said=said, doubts=doubts
    )
    abstains = bool(said) and not beside
    found = next(iter(said or doubts), None)
    span = None if found is None or found.start() == found.end() else shown.span(*found.span())
    return Stance(
        abstains=abstains,
        hedges=beside or bool(doubts and not said),
        span=span,
        refuses=not said and _REFUSES.search(shown.text) is not None,
        doubts=bool(doubts),
    )


def _abstaining(
    text: str, language: str, *, also: Sequence[str], alone: bool
) -> Iterator[re.Match[str]]:
    for phrase in _pattern(language, hedging=False).finditer(text):
        if not _is_condition(text, phrase):
            yield phrase
    for extra in also:
        found = _searched(extra, text)
        if found is not None:
            yield found
    if alone:
        yield from _ALONE.finditer(text)


def _is_condition(text: str, phrase: re.Match[str]) -> bool:
    """Whether a phrase is what a question is bound to: "If the text does not say, say so."."""
    before = text[max(0, phrase.start() - _NEAR) : phrase.start()]
    return bool(_IF.search(before) or _IN_CASE.match(text, phrase.end()))


def _searched(source: str, text: str) -> Any:
    pattern = compiled(source, ignore_case=True)
    return None if pattern is None else pattern.search(text)


@lru_cache(maxsize=64)
def _pattern(language: str, *, hedging: bool) -> re.Pattern[str]:
    lists = HEDGES if hedging else ABSTAINS
    chosen = [language, "en"] if language else list(lists)
    return joined(tuple(part for name in dict.fromkeys(chosen) for part in lists[name]))


def _gives(
    shown: Folded,
    raw: str,
    known: _Known,
    *,
    said: Sequence[re.Match[str]],
    doubts: Sequence[re.Match[str]],
) -> bool:
    """Whether an answer is given beside the words that abstain."""
    for clause in _beside(shown.text, said):
        text = shown.text[clause.start : clause.end]
        value = _VALUE.search(text)
        if clause.asks or _REPORTS.search(text) or (value is None and known.is_other(text)):
            continue
        doubted = clause.touches(doubts) and not _ALONE.search(text)
        if doubted or _NUMBER_ALONE.match(text) or _SAYS.search(text):
            return True
        if clause.contrary and any(char.isdigit() for char in text):
            return True
        if clause.start > known.first and known.is_same(text):
            return True
        if value is None:
            continue
        name = shown.text[clause.start + value.end() :][:1].isspace()
        place = clause.start + value.end() + 1
        if clause.contrary or _NUMBER_NEXT.match(text, value.end()):
            return True
        if name and place < clause.end and not value.group().startswith(_NOUNS_HAVE_CAPITALS):
            # A capital follows "it is": a name.
            return raw[shown.span(place, place + 1)[0]].isupper()
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    """A part of a sentence, up to the next "but"."""

    start: int
    end: int
    contrary: bool
    """It begins with "but"."""
    asks: bool

    def touches(self, found: Sequence[re.Match[str]]) -> bool:
        return any(one.start() < self.end and one.end() > self.start for one in found)


def _clauses(text: str) -> Iterator[_Clause]:
    for sentence in islice(_SENTENCE.finditer(text), _SENTENCES):
        asks = sentence.group().rstrip().endswith(("?", "؟"))
        start, contrary = sentence.start(), False
        for but in _BUT.finditer(text, sentence.start(), sentence.end()):
            yield _Clause(start=start, end=but.start(), contrary=contrary, asks=asks)
            start, contrary = but.end(), True
        yield _Clause(start=start, end=sentence.end(), contrary=contrary, asks=asks)


def _beside(text: str, said: Sequence[re.Match[str]]) -> Iterator[_Clause]:
    """Yield the clauses without words that abstain; of those with them, the parts without."""
    for clause in _clauses(text):
        if not clause.touches(said):
            yield clause
            continue
        start = clause.start
        for comma in (*_COMMA.finditer(text, clause.start, clause.end), None):
            part = replace(clause, start=start, end=clause.end if comma is None else comma.start())
            start = part.end if comma is None else comma.end()
            if not part.touches(said):
                yield part


class _Known:
    """What the sentence that abstains is about, so that a word on another thing is told apart."""

    def __init__(self, text: str, said: Sequence[re.Match[str]], *, asked: str) -> None:
        first = min(said, key=lambda found: found.start(), default=None)
        self.first = 0 if first is None else first.start()
        before = re.split(r"\. |[!?。\n;]", text[: self.first])[-1]
        after = "" if first is None else re.split(r"[.!?。\n;]", text[first.end() :])[0]
        around = _words_of(_BUT.split(f"{before} {after}")[0])
        phrase = "" if first is None else first.group()
        words = phrase.split()
        few = len(words) <= _FEW if len(words) > 1 else len(phrase) <= 3 * _FEW
        question = _words_of(folded(asked))
        self.bare = few and not around and not question
        self.about = around | _words_of(phrase) | question

    def is_other(self, clause: str) -> bool:
        """Whether `clause` is about a thing that neither it nor the question names."""
        subject = self._subject(clause)
        return bool(not self.bare and subject and subject - self.about)

    def is_same(self, clause: str) -> bool:
        """Whether `clause` says a number of the thing that is not known."""
        found = _IS_NUMBER.search(clause)
        return found is not None and not found["between"] and not self.is_other(clause)

    def _subject(self, clause: str) -> set[str] | None:
        """Return the words before "is 7", None where no number is said of anything."""
        found = _IS_NUMBER.search(clause)
        return None if found is None else _words_of(clause[: found.start()])


def _words_of(text: str) -> set[str]:
    # "Not stated directly" names no thing either.
    return {word for word in _TOKEN.findall(text) if not word.endswith("ly")} - _PLAIN


_IS_NUMBER = re.compile(
    r"(?:\b(?:is|was|are|ist|lautet|beträgt|est|es|son)\b|'s\b|は|是|为|هو|هي|:|=)\W{0,3}"
    r"(?P<between>(?:\w+ ){0,2})[^\w\s]?\d"
)
