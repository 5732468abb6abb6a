"""Instruction following: so many verifiable constraints at once, none against another.

From each family (length, keywords, form, case and so on) at most one constraint is
drawn, and families that exclude each other are never drawn together, so every
combination can be met; the topic is free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from befit.core.record import Json
from befit.core.sample import Sample
from befit.probes.pack import Draw, Knob, Pack, check

Rule = tuple[str, dict[str, Json]]
"""What is said, and the instruction of the scorer 'constraints'."""
_TOPICS = (
    "a lighthouse", "a railway station at night", "how bread is baked", "the first snow",
    "a lost key", "an old bicycle", "a market in the morning", "learning to swim",
    "a garden in autumn", "a long queue", "the sound of rain", "a broken clock",
)  # fmt: skip
_WORDS = (
    "harbour", "lantern", "velvet", "compass", "thunder", "orchard", "mirror", "pebble", "canvas",
    "whistle",
)  # fmt: skip
_FORBIDDEN = ("very", "nice", "really", "beautiful", "thing", "always")
_ENDINGS = ("That is all.", "So it stays.", "Good night.", "This is the end.")


def _length(rng: Random) -> Rule:
    low = rng.randrange(20, 61, 10)
    text = f"Write at least {low} and at most {low + 40} words."
    return text, {"kind": "words", "at_least": low, "at_most": low + 40}


def _keywords(rng: Random) -> Rule:
    words = rng.sample(_WORDS, 2)
    text = f"Use the words '{words[0]}' and '{words[1]}'."
    return text, {"kind": "keywords", "words": list(words), "whole_words": True}


def _forbidden(rng: Random) -> Rule:
    words = rng.sample(_FORBIDDEN, 2)
    text = f"Do not use the words '{words[0]}' and '{words[1]}'."
    return text, {"kind": "forbidden", "words": list(words)}


def _no_comma(_: Random) -> Rule:
    return "Use no commas.", {"kind": "no_comma"}


def _lowercase(_: Random) -> Rule:
    return "Write in lower case only.", {"kind": "all_lowercase"}


def _paragraphs(rng: Random) -> Rule:
    count = rng.randint(2, 4)
    text = f"Write exactly {count} paragraphs, with a blank line between them."
    return text, {"kind": "paragraphs", "exactly": count}


def _ending(rng: Random) -> Rule:
    end = rng.choice(_ENDINGS)
    return f"End with exactly these words: {end}", {"kind": "ends_with", "phrase": end}


def _title(_: Random) -> Rule:
    return "Give it a title in double angular brackets, such as <<My Title>>.", {"kind": "title"}


def _no_digits(_: Random) -> Rule:
    return "Use no digits.", {"kind": "no_digits"}


def _question(_: Random) -> Rule:
    return "Ask exactly one question.", {"kind": "questions", "exactly": 1}


RULES: tuple[Callable[[Random], Rule], ...] = (
    _length,
    _keywords,
    _forbidden,
    _no_comma,
    _paragraphs,
    _title,
    _no_digits,
    _question,
    _ending,
    _lowercase,
)
_APART = ((_lowercase, _ending), (_title, _paragraphs))
"""Rules that exclude each other: the ending has capitals, a title may count as a paragraph."""
KNOBS = (Knob(name="constraints", default=3, low=1, high=8, meaning="constraints at once"),)


def make(draw: Draw) -> Sequence[Sample]:
    """Return one text to be written."""
    rng = draw.rng
    order = rng.sample(RULES, len(RULES))
    for first, second in _APART:
        order.remove(rng.choice((first, second)))
    drawn = [rule(rng) for rule in order[: draw.whole("constraints")]]
    lines = "\n".join(f"- {said}" for said, _ in drawn)
    text = f"Write a short text about {rng.choice(_TOPICS)}.\n{lines}\nGive the text alone."
    return [
        Sample(
            id=draw.id,
            input=text,
            checks=(check("constraints", instructions=[rule for _, rule in drawn]),),
            tags=(f"constraints:{len(drawn)}", *(f"rule:{rule['kind']}" for _, rule in drawn)),
        )
    ]


PACK = Pack(
    name="instructions",
    dimension="instruction-following",
    what="combinations of constraints that a rule can check",
    knobs=KNOBS,
    make=make,
)
