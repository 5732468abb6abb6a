"""The names of a study's own candidates: which words are looked for, and where they count.

A name that is nobody else's word (`polaris`, `acme7`) counts wherever it stands, with
any sign or none between its parts and with a number after it. A word of the language
(`careful`) counts where an answer speaks of itself; what half of all configurations are
called (`fast`, `large`) only where it is used as a name. A name of two or three letters
(`o3`, `R1`) counts as a whole word and in its own case only; one of a single letter, or of
digits only, is in every text and cannot be looked for (`too_short`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from befit.review.masking_words import COMMON_WORDS, FAMILIES, ORDINARY, PLAIN_WORDS

Rank = Literal["name", "word", "plain"]
"""Counts anywhere; where an answer speaks of itself; where it is used as a name."""
_LEAST, _LEAST_SHORT, _LEAST_IDEOGRAPHS = 4, 2, 2
"""Letters a word of a candidate's name needs, to be looked for alone."""
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"\d+|[^\W\d_]+")
_SPLIT, _FINE = re.compile(r"[\s/:@_()]+"), re.compile(r"[\s/:@_().-]+")
_ENDINGS = re.compile(
    r".{3,}(?:ful|less|ness|able|ible|ous|ly|ing|tion|sion|ment|ish|ive|ised|ized)"
)
"""How words of the language end, and names hardly ever."""
_LOOSE, _TIGHT = "[-\u2010-\u2015_./:@ ]{0,2}", "[-_./:@]?"
_NUMBER = r"(?:[-_. ]?v?\d+(?:\.\d+)*[a-z]?)?"
_MADE_BY = (
    r"(?:,?\s+(?:an?\s[\w -]{0,40}?)?"
    r"(?:made|built|developed|created|trained|designed|served|hosted) by "
    r"(?-i:[A-Z][\w&'-]*(?: [A-Z][\w&'-]*){0,2}))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnName:
    """A word to look for: its pattern without edges, the letters every match begins with."""

    word: str
    beginning: str
    pattern: str
    rank: Rank


def own_names(names: Iterable[str]) -> list[OwnName]:
    """Return what of candidates' names is looked for: whole names, and telling parts of them."""
    found: dict[str, OwnName] = {}
    for name in names:
        whole = name.strip()
        if not _long_enough(whole):
            if not _is_too_short(whole):
                found[whole.lower()] = _short(whole)
            continue
        found[whole.lower()] = _own(whole)
        for part in (*_SPLIT.split(whole), *_FINE.split(whole)):
            bare = part.strip("-.")
            head = re.match(r"[^\W\d_]+", bare)
            stem = head.group() if head and head.end() < len(bare) and bare.isalnum() else ""
            if _telling(bare):
                found.setdefault(bare.lower(), _own(bare))
            if _telling(stem) and not is_common(stem):
                found.setdefault(stem.lower(), _own(stem))
    return sorted(found.values(), key=lambda one: len(one.word), reverse=True)


def too_short(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that cannot be looked for: whoever runs the study has to know."""
    told = dict.fromkeys(name.strip() for name in names)
    return tuple(name for name in told if name and not _long_enough(name) and _is_too_short(name))


def _is_too_short(word: str) -> bool:
    letters = [letter for letter in word if letter.isalnum()]
    return len(letters) < _LEAST_SHORT or all(letter.isdigit() for letter in letters)


def _short(word: str) -> OwnName:
    """Return a name of two or three letters: as it is written, a whole word."""
    usual = word.isalpha() and (not word.isupper() or len(word) == _LEAST_SHORT)
    return OwnName(
        word=word,
        beginning=word,
        pattern=f"(?-i:{re.escape(word)})",
        rank="word" if usual or is_common(word) else "name",
    )


def _telling(part: str) -> bool:
    return _long_enough(part) and part.lower() not in PLAIN_WORDS and not part.isdigit()


def _long_enough(word: str) -> bool:
    return len(word) >= (_LEAST_IDEOGRAPHS if _IDEOGRAPH.search(word) else _LEAST)


def is_common(word: str) -> bool:
    """Whether a name may be a word of the language, as in "careful"."""
    low = word.lower()
    if low in FAMILIES or not word.isalpha() or not (word.islower() or word.istitle()):
        return False
    return (
        low in COMMON_WORDS
        or low in PLAIN_WORDS
        or low in ORDINARY
        or (low.endswith("s") and low[:-1] in COMMON_WORDS)
        or _ENDINGS.fullmatch(low) is not None
        # of other languages no words are known
        or not (low.isascii() or _IDEOGRAPH.search(low))
    )


def _own(word: str) -> OwnName:
    runs = _RUN.findall(word)
    if not runs:
        return OwnName(word=word, beginning=word, pattern=re.escape(word), rank="name")
    usual = all(run.isdigit() or len(run) < _LEAST - 1 or is_common(run.lower()) for run in runs)
    rank: Rank = "name"
    if len(runs) == 1 and is_common(word):
        rank = "plain" if word.lower() in PLAIN_WORDS else "word"
    elif usual and re.search(r"\s", word):
        rank = "word"
    between = _LOOSE if not usual or rank == "word" else _TIGHT
    pattern = between.join(re.escape(run) for run in runs)
    if rank == "name":
        pattern += ("" if usual else _NUMBER) + _MADE_BY
    else:
        pattern += r"(?:[-_]v?\d+(?:\.\d+)*)?"
    return OwnName(word=word, beginning=runs[0], pattern=pattern, rank=rank)
