"""Finding the payload (JSON, a table) in an output: bare, in a code fence, or among prose.

Whether a program could have read the answer as it came is a finding of its own,
so the form is told apart and nothing is repaired. Limits: `MAX_DEPTH` levels,
`MAX_STARTS` places tried among prose, so that no output costs more than a few
readings of its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn

import orjson

from befit.core.record import Json
from befit.scorers.evidence import Span, trimmed

MAX_DEPTH = 64
MAX_STARTS = 20

Form = Literal["bare", "fenced", "embedded", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A piece of the output, where it stands and in which form it came."""

    span: Span
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFound:
    """What was read: the value and its form, or `invalid` with the reason."""

    value: Json
    form: Form
    span: Span | None
    error: str | None = None


_FENCE_LINE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<rest>[^\n`]*)$", re.MULTILINE)
MAX_BLOCKS = 20
"""The last so many fenced blocks are looked at."""


def payloads(text: str) -> list[Payload]:
    """Return where a payload may stand: the fenced blocks if there are any, else the whole.

    A block that is all of the output is `fenced`, one with prose around it
    `embedded`. A fence that is never closed runs to the end.
    """
    start, end = trimmed(text)
    blocks: list[tuple[int, Span, int]] = []
    opened: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(text):
        if opened is None:
            opened = line
        elif line["mark"].startswith(opened["mark"]) and not line["rest"].strip():
            blocks.append((opened.start(), (opened.end(), line.start()), line.end()))
            opened = None
    if opened is not None:
        blocks.append((opened.start(), (opened.end(), end), end))
    found: list[Payload] = []
    for first, inner, last in blocks[-MAX_BLOCKS:]:
        alone = len(blocks) == 1 and first <= start and not text[last:end].strip()
        span = trimmed(text, inner[0], max(inner))
        found.append(Payload(span=span, form="fenced" if alone else "embedded"))
    return found or [Payload(span=(start, end), form="bare")]


def find_json(text: str) -> JsonFound:
    """Return the JSON value of an output; of several fenced ones the last that parses."""
    start, end = trimmed(text)
    value, first_error = parse_json(text[start:end])
    if first_error is None:
        return JsonFound(value=value, form="bare", span=(start, end))
    for place in reversed(payloads(text)):
        if place.form == "bare":
            continue
        value, error = parse_json(text[place.span[0] : place.span[1]])
        if error is None:
            return JsonFound(value=value, form=place.form, span=place.span)
        first_error = error
    return _among_prose(text) or JsonFound(value=None, form="invalid", span=None, error=first_error)


def parse_json(text: str) -> tuple[Json, str | None]:
    """Return (value, None), or (None, why it is not JSON). Strict: no NaN, no comments."""
    if not text:
        return None, "empty"
    try:
        if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
            return None, f"nested deeper than {MAX_DEPTH} levels"
        # orjson reads integers beyond 64 bits as floats; an account number must keep its digits.
        value = _DECODER.decode(text) if _LONG_INTEGER.search(text) else orjson.loads(text)
    except (ValueError, RecursionError) as error:
        return None, str(error)[:200]
    return value, None


def json_values(text: str, *, most: int) -> Iterator[tuple[Span, Json]]:
    """Yield the objects and lists that stand one behind the other in a text, each once.

    Yields:
        (where it stands, value); at most `most`, and after `MAX_STARTS` places at which none
        could be read there are no more.
    """
    place, tries, found = 0, 0, 0
    while tries < MAX_STARTS and found < most:
        opener = _OPENERS.search(text, place)
        if opener is None:
            return
        start = opener.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            tries, place = tries + 1, start + 1
            continue
        found += 1
        if _depth(text[start:place]) <= MAX_DEPTH:
            yield (start, place), value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_LONG_INTEGER = re.compile(r"(?<![\d.])\d{18,}")
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_OPENERS = re.compile(r"[{\[]")


def _depth(text: str) -> int:
    deepest = depth = 0
    for found in _STRUCTURE.finditer(text):
        mark = found.group()
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest


def _among_prose(text: str) -> JsonFound | None:
    """Return the longest object or list that stands somewhere in the text."""
    best: JsonFound | None = None
    place, tries = 0, 0
    while tries < MAX_STARTS:
        opener = _OPENERS.search(text, place)
        if opener is None:
            break
        tries += 1
        start = opener.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
            continue
        place = end
        if best is None or best.span is None or end - start > best.span[1] - best.span[0]:
            best = JsonFound(value=value, form="embedded", span=(start, end))
    if best is None or best.span is None:
        return None
    # Read again by the strict way, which knows the depth and keeps long integers.
    value, error = parse_json(text[best.span[0] : best.span[1]])
    return JsonFound(value=value, form="embedded", span=best.span) if error is None else None
