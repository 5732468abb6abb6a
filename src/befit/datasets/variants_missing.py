"""Variants in which something is not there: nothing at all, context, a rule, a clear question."""

from __future__ import annotations

import re

from befit.datasets.variants import Made, Source
from befit.datasets.variants_right import asks_back, flags_conflict, says_absent

_AMBIGUOUS = (
    "Can you do the same for the other one?",
    "And what about that one?",
    "Please change it back to how it was before.",
    "Is that still the case?",
)
_CURRENCY = re.compile(r" ?(?:EUR|USD|GBP|CHF|€|\$|£)(?![A-Za-z])")
_SHORTEST = 12


def empty(_source: Source) -> Made | None:
    """Ask nothing at all."""
    return Made(text="", behaviour="ask-back", checks=(asks_back(),))


def whitespace(source: Source) -> Made | None:
    """Only spaces and line breaks."""
    text = "".join(source.random.choices(" \t\n", k=12))
    return Made(text=text, behaviour="ask-back", checks=(asks_back(),))


def extremely_short(source: Source) -> Made | None:
    """Keep one word of the request, none that gives the answer away."""
    words = [
        word
        for word in re.findall(r"[^\W\d_]{4,}", source.text)
        if not any(word.lower() in value.lower() for value in source.values)
    ]
    if not words or len(source.text) < _SHORTEST:
        return None
    return Made(text=source.random.choice(words), behaviour="ask-back", checks=(asks_back(),))


def ambiguous(source: Source) -> Made | None:
    """Refer to something nobody named."""
    return Made(text=source.random.choice(_AMBIGUOUS), behaviour="ask-back", checks=(asks_back(),))


def rule_unsaid(source: Source) -> Made | None:
    """Leave the currency unsaid, where the answer has a field for it: then it is not there."""
    if not isinstance(source.target, dict):
        return None
    named = {
        name: value
        for name, value in source.target.items()
        if isinstance(value, str) and _CURRENCY.fullmatch(f" {value}")
    }
    if not named:
        return None
    made = _CURRENCY.sub("", source.text)
    return _without(source, made, list(named))


def missing_context(source: Source) -> Made | None:
    """Take away the lines (or sentences) that hold one value of the answer."""
    if isinstance(source.target, dict):
        held = [n for n, v in source.target.items() if isinstance(v, str) and v in source.text]
        if not held:
            return None
        name = source.random.choice(held)
        return _without(source, _cut(source.text, str(source.target[name])), [name])
    if not isinstance(source.target, str) or source.target not in source.text:
        return None
    made = _cut(source.text, source.target)
    if source.target.lower() in made.lower() or not made.strip():
        return None
    return Made(text=made, behaviour="not-found", checks=(says_absent(),))


def _cut(text: str, value: str) -> str:
    separator = "\n" if "\n" in text else None
    parts = text.split("\n") if separator else re.split(r"(?<=[.!?])\s+", text)
    kept = [part for part in parts if value.lower() not in part.lower()]
    return (separator or " ").join(kept)


def _without(source: Source, made: str, names: list[str]) -> Made | None:
    """Return the variant whose named fields are null, if that is all that changed."""
    target = source.target
    lost = [str(target[name]) for name in names]
    if not made.strip() or any(value.lower() in made.lower() for value in lost):
        return None
    others = [
        str(value)
        for name, value in target.items()
        if name not in names and isinstance(value, str) and value in source.text
    ]
    if any(value not in made for value in others):
        return None
    numbers = [
        str(value) for value in target.values()
        if isinstance(value, int | float) and str(value) in source.text
    ]  # fmt: skip
    if any(value not in made for value in numbers):
        return None
    return Made(text=made, behaviour="not-found", target={**target, **dict.fromkeys(names)})


def contradicting_context(source: Source) -> Made | None:
    """Say another value beside the right one: nobody can know which holds."""
    if not isinstance(source.target, str) or source.text.count(source.target) != 1:
        return None
    other = changed_value(source.target, source)
    if other is None or other in source.text:
        return None
    place = source.text.index(source.target)
    start = source.text.rfind("\n", 0, place) + 1
    end = source.text.find("\n", place)
    line = source.text[start : end if end >= 0 else len(source.text)]
    again = line.replace(source.target, other)
    return Made(
        text=f"{source.text}\n{again}",
        behaviour="flag-conflict",
        checks=(flags_conflict(source.target, other),),
    )


def changed_value(value: str, source: Source) -> str | None:
    """Return a value of the same form that is another one; None where there is no digit."""
    digits = [m.start() for m in re.finditer(r"\d", value)]
    if not digits:
        return None
    at = digits[-1] if len(digits) == 1 else source.random.choice(digits[1:])
    other = str((int(value[at]) + source.random.randrange(1, 9)) % 10)
    return value[:at] + other + value[at + 1 :]
