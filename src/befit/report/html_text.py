"""Hostile text for the page: escaped, hidden characters visible, matched spans marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup

from befit.charts.text import hidden, name_of, plain
from befit.core.record import Json
from befit.report.document import Quote


def shown(value: object) -> Markup:
    """Return any value that a template prints as safe markup; markup made here stays as it is.

    Every expression of every template passes through here, so that no text
    from a file or a model reaches the page with a hidden character.
    """
    if isinstance(value, Markup):
        return value
    return Markup.escape(plain(str(value)))


def quoted(text: str) -> Markup:
    """Return a model's text for a `<pre>`: hidden characters as marked numbers."""
    if text.isascii() and text.isprintable():
        return Markup.escape(text)
    parts: list[Markup] = []
    start = 0
    for at, char in enumerate(text):
        if not hidden(char):
            continue
        parts.append(Markup.escape(text[start:at]))
        parts.append(Markup('<span class="hid">{}</span>').format(name_of(char)))
        start = at + 1
    parts.append(Markup.escape(text[start:]))
    return Markup().join(parts)


def as_text(value: Json) -> str:
    """Return a JSON value as one would write it in a sentence."""
    if isinstance(value, str):
        return value
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(as_text(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {as_text(one)}" for key, one in value.items())
    return str(value)


def _spans(quotes: Iterable[Quote], *, size: int) -> list[tuple[int, int, Quote]]:
    """Return the spans inside the shown text, without overlaps, the earlier and longer first."""
    found: list[tuple[int, int, Quote]] = []
    known = [(q.span[0], q.span[1], q) for q in quotes if q.span is not None]
    for start, end, quote in sorted(known, key=lambda s: (s[0], -s[1])):
        last = found[-1][1] if found else 0
        if last <= start < min(end, size):
            found.append((start, min(end, size), quote))
    return found


def highlighted(text: str, quotes: Sequence[Quote]) -> Markup:
    """Return an output with every matched span marked and its rule as the title."""
    spans = _spans(quotes, size=len(text))
    cuts = [0, *(edge for start, end, _ in spans for edge in (start, end)), len(text)]
    by_start = {start: quote for start, _, quote in spans}
    parts: list[Markup] = []
    for start, end in pairwise(cuts):
        piece, quote = quoted(text[start:end]), by_start.get(start)
        if quote is None or start == end:
            parts.append(piece)
            continue
        rule = plain(quote.rule or quote.name)
        face = "hit" if quote.value is not None and quote.value >= 1 else "miss"
        parts.append(Markup('<mark class="{}" title="{}">{}</mark>').format(face, rule, piece))
    return Markup().join(parts)
