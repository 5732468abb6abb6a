"""Text read from a picture, by ANLS, and facts read from several of its regions."""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.record import Json
from befit.scorers.anls import anls
from befit.scorers.answer import announced
from befit.scorers.evidence import storable, trimmed
from befit.scorers.vision_read import BAD, Seen
from befit.scorers.written import found_in, texts_of
from befit.scorers.yes_no import NO, YES, read_yes_no


def text_of(target: Json, output: str, *, least: float) -> Seen:
    """Return the ANLS of the answer against the best reference.

    The answer is what follows "the answer is" or the like, else the line that
    fits best: a text read off a picture often comes with a sentence around it.
    """
    references = texts_of(target)
    if not references:
        return BAD
    if {text.casefold() for text in references} <= {*YES, *NO}:
        return _yes_or_no(references, output)
    region = announced(output)
    spans = [region.span] if region else []
    start = 0
    for line in output[:20_000].split("\n"):
        if line.strip():
            spans.append(trimmed(output, start, start + len(line)))
        start += len(line) + 1
    spans = [*spans[:50], trimmed(output)]
    graded = [(anls(output[a:b], references), place) for place, (a, b) in enumerate(spans)]
    degree, place = max(graded, key=lambda one: (one[0], -one[1]))
    within = next((span for text in references if (span := found_in((text,), output))), None)
    span = spans[place]
    if within is not None and degree < 1.0:
        degree, span = 1.0, within
    right = degree >= least
    return Seen(
        value=float(right),
        label="right" if right else "misread" if degree else "wrong",
        rule=f"ANLS of at least {least:g}",
        measure="anls",
        degree=degree,
        answer=storable(output[span[0] : span[1]]),
        span=span,
    )


def _yes_or_no(references: Sequence[str], output: str) -> Seen:
    """Judge what is said clearly; an answer that says both, or hedges, is `unclear`."""
    read = read_yes_no(output)
    if read.said is None:
        label = "unclear" if read.unclear else "no_answer"
        return Seen(
            value=0.0, label=label, rule="yes or no", measure="anls", degree=0.0, span=read.span
        )
    wanted = {"yes" if text.casefold() in YES else "no" for text in references}
    right = read.said in wanted
    return Seen(
        value=float(right),
        label="right" if right else "wrong",
        rule="yes or no",
        measure="anls",
        degree=float(right),
        answer=read.said,
        span=read.span,
    )


def regions_of(target: Json, output: str, *, others: Json = None) -> Seen:
    """Return whether the facts of all regions are there; one alone is no answer.

    Args:
        target: the facts, each a text or a list of forms.
        output: the answer.
        others: facts of the same regions that are no part of the answer; who names one has
            told all there is instead of joining what belongs together.
    """
    if not isinstance(target, list | tuple) or not target:
        return BAD
    parts: list[tuple[str, float]] = []
    for place, entry in enumerate(target):
        texts = texts_of(entry)
        held = bool(texts) and found_in(texts, output) is not None
        parts.append((f"region {place + 1}", float(held)))
    found = sum(value == 1.0 for _, value in parts)
    spare = others if isinstance(others, list | tuple) else ()
    told = [text for one in spare for text in texts_of(one) if found_in((text,), output)]
    whole = found == len(parts) and not told
    partly = "others_too" if told and found == len(parts) else "one_region_only"
    return Seen(
        value=float(whole),
        label="right" if whole else partly if found else "wrong",
        rule=f"{found} of {len(parts)} regions" + (f", and {len(told)} others" if told else ""),
        answer=[name for name, value in parts if value == 1.0],
        parts=tuple(parts),
    )
