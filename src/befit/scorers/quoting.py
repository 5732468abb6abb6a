"""An answer that gives the prompt back: which of its words are its own.

A copy of the prompt holds the words for "not stated" as well as every value, so it
would be right whatever was asked. A run of eight words (16 characters of Chinese or
Japanese) that stands in the prompt as well is quoted. Quoting is no fault: only where
an answer is mostly quoted, and at length or nearly a whole message, do its own words
speak alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from befit.core.trial import Trial
from befit.scorers.normalise import folded, folded_with_places

PARROTED = "parroted"
"""The label of an answer that is only what was shown, given back."""
RUN = 8
"""Words in a row that are quoted, and no chance."""
LONG = 50
"""Quoted words from which on a quotation singles nothing out."""
_EXPECTED = 3
"""A quotation may have this many times the words of the answer expected."""
WHOLE = 0.8
"""Share of one message from which on it was given back whole."""
_MOST = 0.5
_SIZE = 2
_FEWEST = 4
"""Words of an answer that can be told to be quoted."""
_LONGEST_END = 400
_NOTHING_OWN = 0.9
_SETS_OFF = re.compile(r"(?:[\n:\uff1a>`\"'\[({\u300c]|: *[*_]+)[ \t]*\Z")
_CHARACTER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CHARACTER}]|[^\W{_CHARACTER}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    start: int
    end: int
    weight: float
    """A character of an unspaced script is about half a word."""


def shown_to(trial: Trial) -> list[str]:
    """Return the texts that the candidate was given; its own earlier answers are none."""
    return [message.text for message in trial.transcript if message.role != "assistant"]


def own_words(
    output: str,
    shown: Iterable[str],
    *,
    expected: str = "",
    pieces: float = 1,
    whole: float = WHOLE,
) -> str | None:
    """Return `output` with what it quotes blanked out (places kept), where it is mostly quotation.

    Args:
        output: the answer.
        shown: the texts of the messages that the candidate was given.
        expected: the answer that is due; a long one may be quoted at length.
        pieces: of the answer, each of which may be quoted by its own `LONG` words; without
            end, where quoting is right at any length and only a whole message is no answer.
        whole: the share of one message from which on it was given back whole.

    Returns:
        None where the answer stands for itself: too little of it is quoted.
    """
    place = folded_with_places(output)
    found = list(_TOKEN.finditer(place.text))
    if len(found) < RUN:
        return None
    words = [_Word(start=m.start(), end=m.end(), weight=_weight(m.group())) for m in found]
    texts = [m.group() for m in found]
    if sum(word.weight for word in words) <= LONG:
        # Too short for a long quotation, it can only give back a message of its own size; the
        # documents of a long context need not be looked through.
        shown = [text for text in shown if len(text) <= _SIZE * len(output)]
    own = set(_grams(texts))
    messages = [_TOKEN.findall(folded(text)) for text in shown]
    # The grams of a long prompt are many, those of an answer few.
    known = {gram for one in messages for gram in _grams(one) if gram in own}
    quoted = _runs(words, _stand_in(texts, known))
    copied = sum(words[at].weight for at in quoted)
    if copied < _MOST * sum(word.weight for word in words):
        return None
    due = sum(_weight(text) for text in _TOKEN.findall(folded(expected)))
    long = copied > max(LONG * pieces, _EXPECTED * due)
    if not long and not any(_given_back(message, own, whole) for message in messages):
        return None
    blanked = list(output)
    for at in sorted(quoted):
        start, end = place.span(words[at].start, words[at].end)
        blanked[start:end] = "\n" * (end - start)
    return "".join(blanked)


def end_given_back(output: str, shown: Iterable[str]) -> bool:
    """Whether `output` is the end of a message and nothing else: what was to be done, not a text.

    What a line break, a colon or an opening quote sets off is a text that was to be worked on;
    who gives that back unchanged may be right.
    """
    tokens = _own_tokens(output)
    if not _FEWEST <= len(tokens) <= _LONGEST_END:
        return False
    end = re.compile(r"\W*".join(map(re.escape, tokens)) + r"\W*\Z")
    tails = (folded(text)[-3 * len(output) - _LONGEST_END :] for text in shown)
    found = ((text, end.search(text)) for text in tails)
    return any(at is not None and _goes_on(text[: at.start()]) for text, at in found)


def _goes_on(before: str) -> bool:
    return bool(before.strip()) and not _SETS_OFF.search(before)


def nothing_own(output: str, shown: Iterable[str]) -> bool:
    """Whether (nearly) every word of `output` stands in runs that were shown, too."""
    texts = _own_tokens(output)
    if len(texts) < _FEWEST:
        return False
    size = min(RUN, len(texts))
    own = set(_grams(texts, size))
    known = {gram for text in shown for gram in _grams(_own_tokens(text), size) if gram in own}
    return sum(_stand_in(texts, known, size)) >= _NOTHING_OWN * len(texts)


def _own_tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(folded(text)) if not token.isdigit()]


def _weight(word: str) -> float:
    return 0.5 if word >= "\u3040" and re.fullmatch(f"[{_CHARACTER}]", word) else 1.0


def _grams(tokens: Sequence[str], size: int = RUN) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[shift:] for shift in range(size)), strict=False)


def _stand_in(tokens: Sequence[str], known: set[tuple[str, ...]], size: int = RUN) -> list[bool]:
    """Return which tokens are part of a run that is `known`."""
    covered = [False] * len(tokens)
    for start, gram in enumerate(_grams(tokens, size)):
        if gram in known:
            covered[start : start + size] = [True] * size
    return covered


def _runs(words: Sequence[_Word], covered: Sequence[bool]) -> set[int]:
    """Return the places in covered runs that weigh as much as `RUN` words."""
    kept: set[int] = set()
    run: list[int] = []
    for at, quoted in enumerate([*covered, False]):
        if quoted:
            run.append(at)
            continue
        if sum(words[i].weight for i in run) >= RUN:
            kept.update(run)
        run = []
    return kept


def _given_back(message: Sequence[str], own: set[tuple[str, ...]], whole: float) -> bool:
    if sum(_weight(token) for token in message) < RUN:
        return False
    return sum(_stand_in(message, own)) >= whole * len(message)
