"""Sentences that say yes or no without either word: "It is true.", "That's wrong.", and a bare "y".

Asked whether a caption fits, people and models also say that it is true. Only a sentence that
says hardly anything else counts, or one that goes on with the reason: "the true value" says
nothing, and neither does "it may be true".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ABOUT = r"(?:statement|claim|caption|sentence|description|assertion|label|text)"
_STARTS = (
    r"(?:\A|:\s)[\s*_\"'“”#>-]*(?:(?:so|thus|therefore|hence|well|also|donc|entonces|quindi),?\s+)?"
)
_ENDS = (
    r"[\s.!。*_\"'“”)]*(?:\Z|,?\s+(?:because|since|as|that|weil|da|denn|dass|car|parce que|que"
    r"|porque|perché|omdat|want)\b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Ways to say in a language that something is so, or that it is not."""

    true: re.Pattern[str]
    false: re.Pattern[str]


def _ways(true: Sequence[str], false: Sequence[str]) -> _Language:
    def pattern(ways: Sequence[str]) -> re.Pattern[str]:
        return re.compile(rf"{_STARTS}(?P<said>{'|'.join(ways)}){_ENDS}", re.IGNORECASE)

    return _Language(true=pattern(true), false=pattern(false))


_IT = rf"(?:it|that|this|(?:the|this|that|your) {_ABOUT})"
_SURELY = r"(?:indeed |definitely |clearly |simply |absolutely )?"
_GOOD = r"(?:true|correct|right|accurate)"
_BAD = r"(?:false|incorrect|wrong|untrue|inaccurate)"
_DE = r"(?:(?:das|es|dies|(?:die|diese) (?:aussage|behauptung|beschreibung)) )"
_WAYS = (
    _ways(
        [
            rf"(?:{_IT}(?: is|['’]s) )?{_SURELY}{_GOOD}",
            rf"{_IT}(?: is|['’]s) {_SURELY}(?:the case|so)",
        ],
        [
            rf"(?:{_IT}(?: is|['’]s) )?{_SURELY}(?:{_BAD}|not {_GOOD})",
            rf"{_IT}(?: is|['’]s)?(?: not|n['’]t| isn['’]t) {_SURELY}(?:{_GOOD}|the case|so)",
            rf"{_IT} isn['’]t {_SURELY}(?:{_GOOD}|the case|so)",
        ],
    ),
    _ways(
        [
            rf"{_DE}?stimmt",
            rf"{_DE}ist (?:wahr|richtig|korrekt)",
            "wahr|richtig|korrekt",
            rf"{_DE}trifft zu",
        ],
        [
            rf"{_DE}?stimmt nicht",
            rf"{_DE}ist (?:nicht (?:wahr|richtig|korrekt)|falsch|unwahr)",
            "falsch|unwahr|nicht wahr",
            rf"{_DE}trifft nicht zu",
        ],
    ),
    _ways(
        [r"(?:c['’]est )?(?:vrai|exact|correct)"],
        [r"(?:c['’]est )?(?:faux|incorrect)", r"ce n['’]est pas (?:vrai|exact|correct|le cas)"],
    ),
    _ways(
        [r"(?:(?:eso |esto )?es )?(?:verdad|verdadero|cierto|correcto)"],
        [
            r"(?:(?:eso |esto )?es )?(?:falso|incorrecto)",
            r"(?:eso |esto )?no es (?:verdad|verdadero|cierto|correcto)",
        ],
    ),
    _ways(
        [r"(?:(?:questo )?è )?(?:vero|corretto|esatto)"],
        [r"(?:(?:questo )?è )?(?:falso|sbagliato)", r"non è (?:vero|corretto|così)"],
    ),
    _ways(
        [r"(?:(?:isso |isto )?é )?(?:verdade|verdadeiro|correto)"],
        [r"(?:(?:isso |isto )?é )?(?:falso|errado|incorreto)", r"não é (?:verdade|correto)"],
    ),
    _ways(
        [r"(?:(?:dat|het|dit) )?klopt", r"(?:(?:dat|het|dit) is )?(?:waar|juist)"],
        [
            r"(?:(?:dat|het|dit) )?klopt niet",
            r"(?:(?:dat|het|dit) is )?(?:niet (?:waar|juist)|onwaar|onjuist|fout)",
        ],
    ),
)
_BARE = re.compile(r"[\W_]*(?:(?P<yes>y)|(?P<no>n))[\W_]*", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|although|aber|mais|pero|però|mas|maar)\b", re.IGNORECASE
)


def says_true(sentence: str) -> tuple[bool, tuple[int, int]] | None:
    """Return whether a sentence says that it is so, and where; None where it says neither."""
    if _TAKEN_BACK.search(sentence):
        return None
    for way in _WAYS:
        for pattern, true in ((way.false, False), (way.true, True)):
            found = pattern.search(sentence)
            if found is not None:
                return true, found.span("said")
    return None


def bare_letter(text: str) -> tuple[bool, tuple[int, int]] | None:
    """Return what a text of nothing but `y` or `n` says, and where."""
    found = _BARE.fullmatch(text) if len(text) < 100 else None  # noqa: PLR2004 - one letter
    if found is None:
        return None
    return found.lastgroup == "yes", found.span(found.lastgroup or 0)
