"""Token counts that cannot be right: what a candidate costs follows what its provider counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from befit.analysis.frame import Frame
from befit.analysis.results import Finding

CHARS_PER_TOKEN = 20.0
"""Characters of a token on average: English has about 4, and no tokenizer comes near this many."""
LEAST_CHARS = 200
"""Characters of all answers below which nothing is said of their tokens."""
LEAST = 5
"""Answers below which nothing is said of them."""


def odd_counts(frame: Frame) -> Iterator[Finding]:
    """Say whose output tokens are too few for the text, or more than the request allowed.

    Of answers by one call: there the text and the tokens are of the same answer.
    """
    tokens, chars = frame.numbers["output_tokens"], frame.numbers["output_chars"]
    alone = (frame.numbers["calls"] == 1) & ~np.isnan(tokens) & ~np.isnan(chars)
    for code, entry in enumerate(frame.manifest.candidates):
        candidate = entry.candidate
        here = alone & (frame.candidate == code)
        if here.sum() < LEAST:
            continue
        counted, said = float(tokens[here].sum()), float(chars[here].sum())
        if said >= LEAST_CHARS and said > CHARS_PER_TOKEN * counted:
            yield Finding(
                severity="weak",
                text=f"{candidate.name}: its provider counts {counted:,.0f} output tokens for"
                f" {said:,.0f} characters: the counts cannot be right, nor the cost that follows.",
                do="ask the provider, and do not decide by this cost",
            )
        most = candidate.sampling.max_tokens
        middle = float(np.median(tokens[here]))
        if most is not None and middle > most + 1:
            yield Finding(
                severity="weak",
                text=f"{candidate.name}: half of its answers count {middle:,.0f} output tokens or"
                f" more where max_tokens is {most:,}: the provider does not keep to it, or counts"
                " otherwise. The cost follows its counts; a spend cap can be passed by them.",
                do="look at one with `befit show --raw`; thinking may be counted that is not shown",
            )
