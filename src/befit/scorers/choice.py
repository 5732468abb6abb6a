"""Reading a multiple-choice letter out of an answer in words; robust, and it says by which rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from befit.scorers.evidence import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The letter read (None: none, or several and no way to tell), its place and the rule."""

    letter: str | None
    span: Span | None
    rule: str
    ambiguous: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    alone: re.Pattern[str]
    announced: re.Pattern[str]
    heading: re.Pattern[str]
    bracketed: re.Pattern[str]
    standing: re.Pattern[str]


@lru_cache(maxsize=16)
def _rules(letters: str) -> _Rules:
    upper = f"[{re.escape(letters.upper())}]"
    either = f"[{re.escape(letters.upper() + letters.lower())}]"
    opening, closing = r"[(\[{\"'*_`$]*", r"[)\]}.:,;!\"'*_`$]*"
    words = (
        r"answer|option|choice|letter|select|choose|pick|antwort|lösung|respuesta|opción|réponse|"
        r"resposta|risposta|正解|答え|答案|选项"
    )
    joint = r"(?:\s|:|：|=|は|是|\*|_|is|would|be|ist|lautet|es|est|option|choice|letter|the)"
    return _Rules(
        alone=re.compile(rf"\s*{opening}\s*(?P<x>{either})\s*{closing}\s*\Z"),
        # A lower-case letter counts only where nothing but punctuation follows ("is a bit ...").
        announced=re.compile(
            rf"(?:{words}){joint}{{1,12}}\s*{opening}"
            rf"(?P<x>{upper}(?![\w'’])(?!\s+[a-z]{{2,}})|{upper}(?=[)\].:*])"
            rf"|{either}(?=[)\]]|[.*]*\s*$))",
            re.IGNORECASE | re.MULTILINE,
        ),
        heading=re.compile(rf"^\s*{opening}(?P<x>{upper})(?:[)\].:]|\*\*)(?=\W|$)", re.MULTILINE),
        bracketed=re.compile(rf"[(\[](?P<x>{upper})[)\]]|\*\*\(?(?P<y>{upper})[).]?\*\*"),
        # "A" and "I" are words too: not where a small word follows.
        standing=re.compile(rf"(?<![\w'’])(?P<x>{upper})(?![\w'’])(?!\s+[a-z])"),
    )


def read_choice(text: str, letters: str) -> Choice:
    """Return the chosen letter of `text`.

    In this order: the text is the letter alone; the last letter announced as the answer
    ("The answer is (B)."); the only option written as a heading ("B) Paris"); the only
    one in brackets or bold; the only capital standing alone.
    """
    rules = _rules(letters)
    found = rules.alone.match(text)
    if found:
        return _one(found, "the letter alone")
    said = [
        place
        for place in rules.announced.finditer(text)
        if place["x"].isupper() or place["x"].islower()
    ]
    if said:
        return _one(said[-1], "the last letter announced as the answer")
    ambiguous = False
    for pattern, rule in (
        (rules.heading, "the only option written as a heading"),
        (rules.bracketed, "the only letter in brackets or bold"),
        (rules.standing, "the only capital standing alone"),
    ):
        places = list(pattern.finditer(text))
        distinct = {_letter(place) for place in places}
        if len(distinct) == 1:
            return _one(places[0], rule)
        ambiguous = ambiguous or len(distinct) > 1
    why = "several letters, none announced as the answer" if ambiguous else "no letter found"
    return Choice(letter=None, span=None, rule=why, ambiguous=ambiguous)


def _letter(place: re.Match[str]) -> str:
    return str(place[place.lastgroup or "x"]).upper()


def _one(place: re.Match[str], rule: str) -> Choice:
    group = place.lastgroup or "x"
    return Choice(letter=_letter(place), span=place.span(group), rule=rule)
