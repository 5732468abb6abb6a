"""Does another wording ask for the same? What can be checked without a person.

A rewording by a model drops a constraint, rounds a number or answers the prompt more
often than one thinks. Checked here: placeholders, numbers, quoted literals, names of
formats and languages, and the constraints that words state. A wording that passes is
not proven to mean the same: a person reads it before it is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_PLACEHOLDER = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“\n]+)“|«([^»\n]+)»|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)"
)
_LITERAL = re.compile(r"\b[A-Z]{2,}\b|\b\w+_\w+\b|https?://\S+")
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905 - read as text
    )
}
_CONCEPTS = {
    "only what is asked": r"\b(only|just|solely|alone|exclusively|nothing (else|but)|no other)\b",
    "at most": r"\b(at most|no more than|not more than|maximum|up to|or fewer|or less|limit)\b",
    "at least": r"\b(at least|no fewer than|no less than|minimum|or more)\b",
    "exactly": r"\b(exactly|precisely)\b",
    "not": r"\b(not|never|avoid|without|refrain|omit|skip|leave out)\b|n't\b",
    "step by step": r"\bstep[- ]by[- ]step\b|\bshow (your|the) (work|reasoning|steps)\b",
    "lower case": r"\blower ?-?case\b",
    "upper case": r"\b(upper ?-?case|capitals?|capital letters)\b",
    "one word": r"\b(one|single|1)[- ]word\b",
    "a sentence": r"\bsentences?\b",
    "words": r"\bwords\b",
    "lines": r"\blines?\b",
    "paragraphs": r"\bparagraphs?\b",
    "a list": r"\b(list|bullets?|bullet points|enumerate)\b",
    "a table": r"\btables?\b",
}  # fmt: skip
_NAMES = frozenset(
    {
        *("json", "csv", "yaml", "xml", "markdown", "html", "latex", "sql", "python", "iso"),
        *("english", "german", "french", "spanish", "chinese", "japanese", "arabic"),
        *("italian", "portuguese", "dutch"),
    }
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """One thing that a wording has lost, or brings in."""

    what: str
    """`placeholder`, `number`, `literal`, `format or language`, `constraint` or `wording`."""
    text: str


def doubts(original: str, other: str) -> tuple[Doubt, ...]:
    """Return why `other` may not ask for what `original` asks for; () where nothing is found."""
    return tuple(_doubts(original, other))


def _doubts(original: str, other: str) -> Iterator[Doubt]:
    if plain(original) == plain(other):
        yield Doubt(what="wording", text="it is the prompt as it is")
    places = Counter(_PLACEHOLDER.findall(original)), Counter(_PLACEHOLDER.findall(other))
    for name in sorted(places[0] | places[1]):
        if places[0][name] != places[1][name]:
            times = f"{places[1][name]} times instead of {places[0][name]}"
            yield Doubt(what="placeholder", text=f"{{{name}}} stands there {times}")
    yield from _compared("number", _numbers(original), _numbers(other))
    held = other.casefold()
    for literal in sorted(_literals(original)):
        if literal.casefold() not in held:
            yield Doubt(what="literal", text=f"'{literal}' is lost")
    for literal in sorted(_literals(other)):
        if literal.casefold() not in original.casefold():
            yield Doubt(what="literal", text=f"'{literal}' is new")
    yield from _compared("format or language", _named(original), _named(other))
    yield from _compared("constraint", _concepts(original), _concepts(other))


def _compared(what: str, before: set[str], after: set[str]) -> Iterator[Doubt]:
    for one in sorted(before - after):
        yield Doubt(what=what, text=f"'{one}' is lost")
    for one in sorted(after - before):
        yield Doubt(what=what, text=f"'{one}' is new")


def plain(text: str) -> str:
    """Return a wording without what does not matter for being the same one."""
    return _SPACE.sub(" ", text.casefold()).strip()


def _numbers(text: str) -> set[str]:
    bare = _PLACEHOLDER.sub(" ", text)
    spelt = {_NUMBER_WORDS[w] for w in re.findall(r"[a-z]+", bare.casefold()) if w in _NUMBER_WORDS}
    # "one" is an article as often as a number; it counts where the other wording has a 1.
    return {*_NUMBER.findall(bare), *(spelt - {"1"})}


def _literals(text: str) -> set[str]:
    bare = _PLACEHOLDER.sub(" ", text)
    quoted = {next(filter(None, found)) for found in _QUOTED.findall(bare) if any(found)}
    return {*quoted, *_LITERAL.findall(bare)} - {"I"}


def _named(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.casefold())) & _NAMES


def _concepts(text: str) -> set[str]:
    held = _QUOTED.sub(" ", text).casefold()
    found = {name for name, pattern in _CONCEPTS.items() if re.search(pattern, held)}
    if "nothing" in held or "without" in held:
        # "without any comment" and "nothing else" both say "only"; neither is a ban of its own.
        found = (
            (found - {"not"}) | {"only what is asked"} if "only what is asked" in found else found
        )
    return found
