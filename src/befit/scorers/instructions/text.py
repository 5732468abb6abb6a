"""Cutting a text into words, sentences and paragraphs, in spaced and unspaced scripts.

Small and rule-based on purpose: counts must be the same on every machine and
explainable to the person who reads the verdict. The rules that a count rests
on are stated at each function.
"""

from __future__ import annotations

import re
import unicodedata

HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\uff66-\uff6f\uff71-\uff9d"
HAN = "\u2e80-\u2fd5\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
LONG_MARK = "\u30fc\uff70"
"""The sound-lengthening mark, used with hiragana and katakana alike."""
SPACELESS = f"{HIRAGANA}{KATAKANA}{HAN}{LONG_MARK}\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts that put no spaces between words: Japanese, Chinese, Thai, Lao, Burmese, Khmer."""

_WORD = re.compile(rf"[{SPACELESS}]|[^\W{SPACELESS}]+")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_SPACELESS = re.compile(rf"[{SPACELESS}]")
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_END = re.compile(
    # A Western end: marks, closing quotes or brackets, then a space or the end of the text.
    # Possessive, and only from the first mark of a run, so that dots in a row stay linear.
    r"""(?<![.!?\u2026])[.!?\u2026\u061f\u06d4\u0964]++["'\u201d\u2019\u00bb)\]*_]*+(?=\s|$)"""
    # An East Asian end needs no space; closing brackets belong to the sentence.
    "|[\u3002\uff01\uff1f\uff0e\uff61]++[\u300d\u300f\uff09\u201d\u2019\"')]*+"
)
_BEFORE_DOT = re.compile(r"""(?:[^\W\d_]|\.|'|\u2019|-)+$""")
_LIST_NUMBER = re.compile(r"(?:^|\n)[\s*#>_-]*\d{1,3}$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")
_ENGLISH = (
    "mr mrs ms dr prof sr jr st vs etc inc ltd co corp no vol fig approx dept est jan feb mar apr "
    "jun jul aug sep sept oct nov dec u.s u.k e.g i.e a.m p.m d.c ph.d p.s p.p.s"
)
_GERMAN = "bzw ca nr str usw z.b d.h u.a o.ä vgl"
_SPANISH = "sra srta dra ud uds ej pág núm av dpto p.d"
_FRENCH = "m mme mlle p.ex p-s p.-s"
_ABBREVIATIONS = frozenset(f"{_ENGLISH} {_GERMAN} {_SPANISH} {_FRENCH}".split(" "))


def composed(text: str) -> str:
    """Return `text` in Unicode form NFC, so that é counts as one letter however it was typed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def count_words(text: str) -> int:
    """Return the number of words.

    A word is a run of letters, digits and underscores (`don't` and `well-known`
    are two each, the rule of IFEval). In scripts without spaces each character
    counts as one, the usual length of Chinese and Japanese text.
    """
    return len((_ASCII_WORD if text.isascii() else _WORD).findall(text))


def has_spaceless(text: str) -> bool:
    """Whether any character belongs to a script that puts no spaces between words."""
    return _SPACELESS.search(text) is not None


def whole_word(phrase: str) -> str:
    """Return a pattern for `phrase` that does not match inside a longer word.

    At an edge that is no word character or is of a script without spaces,
    there is no word boundary to ask for.
    """
    before = r"(?<!\w)" if _edged(phrase[:1]) else ""
    after = r"(?!\w)" if _edged(phrase[-1:]) else ""
    return f"{before}{re.escape(phrase)}{after}"


def _edged(character: str) -> bool:
    return re.match(r"\w", character) is not None and not has_spaceless(character)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences.

    A sentence ends at `.`, `!`, `?`, an ellipsis and their Arabic and Indic
    kin before a space, at `。`, `！` and `？` anywhere, and at the end of the
    text. Not at a dot after an initial, a known abbreviation or the number of
    a list item, nor after an ellipsis that goes on in lower case.
    """
    spans, start = [], 0
    for match in _END.finditer(text):
        if not _ends_sentence(text, match):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    trimmed = (_trimmed(text, *span) for span in spans)
    return [span for span in trimmed if _says_something(text, span)]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    marks = match[0]
    rest = text[match.end() : match.end() + 40].lstrip()
    if marks[0] != ".":
        return True
    if _LIST_NUMBER.search(text, max(0, match.start() - 20), match.start()):
        return False
    if marks.startswith(".."):
        return not rest[:1].islower()
    before = _BEFORE_DOT.search(text, max(0, match.start() - 20), match.start())
    if before is None or len(marks) > 1:
        return True
    word = before[0].lower().lstrip("'\u2019-")
    if word in _ABBREVIATIONS:
        return not rest or (word in {"etc", "usw"} and rest[:1].isupper())
    return _INITIALS.fullmatch(word) is None or rest[:1].isupper() is False or word == "i"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _says_something(text: str, span: tuple[int, int]) -> bool:
    return any(character.isalnum() for character in text[span[0] : span[1]])


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs: what stands between blank lines, without the empty ones."""
    return [part.strip() for part in _BLANK_LINES.split(text) if part.strip()]
