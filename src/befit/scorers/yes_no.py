"""Whether an answer says yes or no: the first clear statement; what is both or hedged is neither.

A word is a statement where a sentence begins with it ("Yes, no doubt") or where a clause ends
with it ("So I say no."). It is none in a question, behind a negation ("not a yes"), beside the
other word ("yes or no"), or in a sentence that hedges or says that it cannot be told.
A sentence that says that it is true or false, and a bare `y` or `n`, are statements, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from befit.scorers.abstaining import stance
from befit.scorers.answer import announced
from befit.scorers.evidence import Span
from befit.scorers.parsing import parse_json
from befit.scorers.truth_words import bare_letter, says_true

Said = Literal["yes", "no"]
YES = (
    *("yes", "yep", "yeah", "ja", "jawohl", "oui", "sí", "si", "sì", "sim", "да"),
    *("是", "是的", "对", "はい", "네", "예", "نعم", "أجل"),
)
NO = (
    *("no", "nope", "nah", "nein", "nee", "non", "não", "нет"),
    *("不", "不是", "否", "不对", "いいえ", "아니요", "아니오", "아니", "لا"),
)
"""English, German, Dutch, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese, ..."""
_LOOKED_AT = 20_000
_ALSO_NOT = frozenset(("no", "non", "não", "нет", "不", "لا"))
"""These begin other sentences, too: "No way to tell", "No se sabe"."""
_CJK = "\u3040-\u30ff\u4e00-\u9fff"


def _any_of(words: tuple[str, ...]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word) for word in ordered)


_WORD = re.compile(
    rf"(?<![^\W{_CJK}])(?:(?P<yes>{_any_of(YES)})|(?P<no>{_any_of(NO)}))(?![^\W{_CJK}])",
    re.IGNORECASE,
)
_PAIR = re.compile(
    rf"(?:{_WORD.pattern.replace('?P<yes>', '?:').replace('?P<no>', '?:')})\W{{0,4}}"
    r"(?:(?:or|and|oder|und|ou|et|o|y|e|и|или)\W{1,4}|/\W{0,3})"
    rf"(?:{_any_of(YES + NO)})(?!\w)",
    re.IGNORECASE,
)
"""Both words as a pair: neither is said."""
_NEAR = 60
"""Characters before a word in which a negation of it is looked for."""
_MOST = 50
"""Words of one sentence that are looked at."""
_CLOSE = 2
"""Words between a word and its opposite within which the one takes the other back."""
_SENTENCE = re.compile(r"[^.!?？。！\n;]+[.!?？。！;]*")
_OPENING = re.compile(
    r"[\W_]*(?:(?:well|so|ok|okay|sure|hmm|thus|therefore|hence|sorry|also|donc|entonces|quindi)"
    r"[,:]?\s+)*[\W_]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[*_\"'”’»)\]\s]*(?:[.,;:!。，、！：—–-]|$)")
_GOES_ON = re.compile(
    r"\s+(?:it|this|that|these|the|there|they|he|she|i|we|because|since|as|not|your|its)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|n't|cannot|never|nicht|kein\w*|pas|nunca)|不)\s*(?:\w+\s+){0,2}$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo:
    """What was said; `unclear` where both words, or one in doubt, are all there is."""

    said: Said | None
    span: Span | None
    unclear: bool = False


def read_yes_no(output: str) -> YesNo:
    """Return what `output` says: as JSON of one value, in its announced answer, else anywhere."""
    value, _ = parse_json(output.strip())
    if isinstance(value, dict) and len(value) == 1:
        (only,) = value.values()
        place = output.rfind(only) if isinstance(only, str) else -1
        if place >= 0 and only:
            return _read(output, place, place + len(only))
    region = announced(output)
    if region is not None:
        found = _read(output, *region.span)
        if found.said is not None:
            return found
    return _read(output, 0, min(len(output), _LOOKED_AT))


def _read(output: str, start: int, end: int) -> YesNo:
    letter = bare_letter(output[start:end])
    if letter is not None:
        return _told(letter, start)
    clear: YesNo | None = None
    seen: Span | None = None
    for sentence in _SENTENCE.finditer(output, start, end):
        words = list(islice(_WORD.finditer(output, *sentence.span()), _MOST))
        found = _statement(output, sentence.span(), words) if words else None
        found = found or _truth(output, sentence.span())
        if words:
            seen = seen or words[0].span()
        if found is None:
            continue
        if clear is None:
            clear = found
        elif clear.said != found.said and _bare(output, sentence.span(), found):
            return YesNo(said=None, span=found.span, unclear=True)
    return clear or YesNo(said=None, span=seen, unclear=seen is not None)


def _told(told: tuple[bool, Span], start: int) -> YesNo:
    true, (first, last) = told
    return YesNo(said="yes" if true else "no", span=(start + first, start + last))


def _truth(output: str, sentence: Span) -> YesNo | None:
    """Return what a sentence without either word says."""
    text = output[slice(*sentence)]
    told = says_true(text)
    if told is None or text.rstrip().endswith(("?", "？")):
        return None
    said = stance(text)
    return None if said.hedges or said.abstains else _told(told, sentence[0])


def _statement(output: str, sentence: Span, words: Sequence[re.Match[str]]) -> YesNo | None:
    """Return what a sentence says clearly."""
    start, end = sentence
    text = output[start:end]
    if text.rstrip().endswith(("?", "？")):
        return None
    opening = _OPENING.match(output, start, end)
    begins = start if opening is None else opening.end()
    made = [word for word in words if _is_statement(output, sentence, word, begins=begins)]
    paired = [place.span() for place in _PAIR.finditer(output, start, end)]
    made = [word for word in made if not any(a <= word.start() < b for a, b in paired)]
    if not made:
        return None
    first = made[0]
    other = next((word for word in made if word.lastgroup != first.lastgroup), None)
    opens = first.start() == begins
    if other is not None:
        between = re.findall(r"\w+", output[first.end() : other.start()])
        if not opens or len(between) <= _CLOSE:
            return None
    said = stance(text)
    if not opens and (said.hedges or said.abstains):
        return None
    return YesNo(said="yes" if first.lastgroup == "yes" else "no", span=first.span())


def _is_statement(output: str, sentence: Span, word: re.Match[str], *, begins: int) -> bool:
    start, end = sentence
    if _DENIED.search(output[max(start, word.start() - _NEAR) : word.start()]):
        return False
    if _ENDS.match(output, word.end(), end):
        return True
    if word.start() != begins:
        return False
    goes_on = _GOES_ON.match(output, word.end(), end) is not None
    return goes_on or word.group().lower() not in _ALSO_NOT


def _bare(output: str, sentence: Span, found: YesNo) -> bool:
    """Whether a sentence is the word alone."""
    start, end = sentence
    left, right = found.span or (start, end)
    around = output[start:left] + output[right:end]
    return not re.search(r"\w", around)
