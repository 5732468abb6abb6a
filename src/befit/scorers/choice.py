"""Reading a multiple-choice letter out of an answer in words; robust, and it says by which rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from befit.scorers.answer import boxed
from befit.scorers.evidence import Span, trimmed


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
    lower = f"[{re.escape(letters.lower())}]"
    opening, closing = r"[(\[{\"'*_`$]*", r"[)\]}.:,;!\"'*_`$]*"
    words = (
        r"answer|option|choice|letter|select|choose|pick|antwort|lösung|respuesta|opción|réponse|"
        r"resposta|risposta|正解|答え|答案|选项"
    )
    joint = (
        r"\s|[:：=は是*_]|is|would|must|be|ist|lautet|es|est|option|choice|letter|the"
        r"|correct[ae]?"
    )
    # Whole letters only; "A" and "I" are words too where a small word follows
    # ("A cat"), unless it is one that speaks of options ("A or B").
    link = r"(?:or|and|is|was|because|since|as|oder|und|ist|o|y|es|ou|et|est)(?!\w)"
    whole = rf"(?![A-Za-z0-9_'’])(?!(?<=[AI])\s+(?!{link})[a-z])"
    return _Rules(
        alone=re.compile(rf"\s*{opening}\s*(?P<x>{upper}|{lower})\s*{closing}\s*"),
        # A lower-case letter counts only where nothing but punctuation follows ("is a bit ...").
        announced=re.compile(
            rf"(?i:(?:{words})(?:{joint}){{1,12}})\s*{opening}"
            rf"(?P<x>{upper}{whole}|{lower}(?=[)\]]|[.*]*\s*$))",
            re.MULTILINE,
        ),
        heading=re.compile(
            rf"^[ \t]*{opening}(?P<x>{upper})(?:[)\].:]|\*\*)(?=\W|$)", re.MULTILINE
        ),
        bracketed=re.compile(rf"[(\[](?P<x>{upper})[)\]]|\*\*\(?(?P<y>{upper})[).]?\*\*"),
        standing=re.compile(rf"(?<![A-Za-z0-9_'’])(?P<x>{upper}){whole}"),
    )


def read_choice(text: str, letters: str) -> Choice:
    """Return the chosen letter of `text`.

    In this order: the text is the letter alone; the letter in a box; the last letter
    announced as the answer ("The answer is (B)."); the only option written as a heading
    ("B) Paris"); the only one in brackets or bold; the only capital standing alone.
    """
    rules = _rules(letters)
    left, right = trimmed(text)
    found = _alone(text, left, right, rules)
    if found is not None:
        return Choice(letter=found[0], span=found[1], rule="the letter alone")
    region = boxed(text)
    if region is not None:
        found = _alone(text, *region.span, rules)
        if found is not None:
            return Choice(letter=found[0], span=found[1], rule=f"the letter {region.rule}")
    said = list(rules.announced.finditer(text))
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


def _alone(text: str, start: int, end: int, rules: _Rules) -> tuple[str, Span] | None:
    """Return the letter which, decoration aside, is all of `text[start:end]`."""
    if end - start > _MAX_ALONE:
        return None
    found = rules.alone.fullmatch(text[start:end])
    if found is None:
        return None
    return _letter(found), (start + found.start("x"), start + found.end("x"))


_MAX_ALONE = 20
"""A letter with more decoration than so many characters is not alone."""


def _letter(place: re.Match[str]) -> str:
    return str(place[place.lastgroup or "x"]).upper()


def _one(place: re.Match[str], rule: str) -> Choice:
    group = place.lastgroup or "x"
    return Choice(letter=_letter(place), span=place.span(group), rule=rule)
