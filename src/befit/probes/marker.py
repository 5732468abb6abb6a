"""Texts that begin with a marker which is asked for at their end: is the beginning still seen?

Texts of one seed hold the same kind of sentences at every length, so that tokens grow
with characters in a line. What is billed can then be compared with what was sent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from befit.core.sample import Sample, ScorerSpec
from befit.probes.wording import filler

CHARS_PER_TOKEN = 4
_LETTERS = "ABCDEFHKLMNPRTXY"
LENGTH = "tokens:"
"""The tag of a text's length."""


def marked_texts(lengths: Sequence[int], *, each: int, seed: int) -> Iterator[Sample]:
    """Yield `each` texts of every length (tokens, at about 4 characters each), all different."""
    for tokens in lengths:
        for number in range(each):
            rng = random.Random(f"{seed}/{tokens}/{number}")  # noqa: S311 - a probe, no secret
            marker = "".join(rng.sample(_LETTERS, 4)) + str(rng.randint(1000, 9999))
            text = " ".join(filler(rng, tokens * CHARS_PER_TOKEN))
            yield Sample(
                id=f"marker-{tokens}-{number}",
                input=f"The marker of this text is {marker}.\n\n{text}\n\n"
                "Which marker does this text begin with? Give the marker alone.",
                target=marker,
                tags=(f"{LENGTH}{tokens}",),
                checks=(ScorerSpec(name="match", options={"contains": True, "where": "whole"}),),
            )
