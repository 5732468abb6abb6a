"""Text read from a picture, by ANLS, and facts read from several of its regions."""

from __future__ import annotations

from befit.core.record import Json
from befit.scorers.anls import anls
from befit.scorers.answer import announced
from befit.scorers.evidence import storable, trimmed
from befit.scorers.vision_read import BAD, Seen
from befit.scorers.written import found_in, texts_of


def text_of(target: Json, output: str, *, least: float) -> Seen:
    """Return the ANLS of the answer against the best reference.

    The answer is what follows "the answer is" or the like, else the line that
    fits best: a text read off a picture often comes with a sentence around it.
    """
    references = texts_of(target)
    if not references:
        return BAD
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


def regions_of(target: Json, output: str) -> Seen:
    """Return whether the facts of all regions are there; one alone is no answer."""
    if not isinstance(target, list | tuple) or not target:
        return BAD
    parts: list[tuple[str, float]] = []
    for place, entry in enumerate(target):
        texts = texts_of(entry)
        held = bool(texts) and found_in(texts, output) is not None
        parts.append((f"region {place + 1}", float(held)))
    found = sum(value == 1.0 for _, value in parts)
    whole = found == len(parts)
    return Seen(
        value=float(whole),
        label="right" if whole else "one_region_only" if found else "wrong",
        rule=f"{found} of {len(parts)} regions",
        answer=[name for name, value in parts if value == 1.0],
        parts=tuple(parts),
    )
