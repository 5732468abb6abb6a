"""Where in an output the answer stands: whole, a line, after a marker, in a box."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from befit.scorers.evidence import Span, trimmed
from befit.scorers.normalise import narrow

Where = Literal["auto", "whole", "first_line", "last_line", "last_number", "after", "boxed"]

_ANNOUNCED = re.compile(
    r"####|(?<!\w)(?:final\s+answer|answer|antwort|respuesta|réponse|resposta|risposta|答え|答案)"
    r"\s?(?:\*\*)?\s?(?:is|lautet|ist|es|est|:|=|は|是|：)\s*(?::\s*)?",
    re.IGNORECASE,
)
_DECORATION = " \t*_`:：="


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A stretch of the output in which the answer is looked for, and the rule that chose it."""

    span: Span
    rule: str


def locate(text: str, where: Where, marker: str | None = None) -> Region | None:
    """Return the region that `where` names (not blank), or None where the output has none."""
    if where == "after":
        return after(text, marker or "")
    if where == "boxed":
        return boxed(text)
    if where in {"first_line", "last_line"}:
        return _line(text, last=where == "last_line")
    return _region(text, 0, len(text), "the whole output")


def announced(text: str) -> Region | None:
    """Return what follows the last box, `####` or "the answer is", if anything does."""
    found = boxed(text)
    if found is not None:
        return found
    places = list(_ANNOUNCED.finditer(text))
    for place in reversed(places):
        region = _rest_of_line(text, place.end(), f"after '{place.group().strip()}'")
        if region is not None:
            return region
    return None


def after(text: str, marker: str) -> Region | None:
    """Return what follows the last `marker`: the rest of its line, else the next line with text.

    A full-width colon is a colon, and a space may stand before it, as is usual in French.
    """
    places = [found.end() for found in _marker(narrow(marker)).finditer(narrow(text))]
    return _rest_of_line(text, places[-1], f"after '{marker}'") if places else None


def boxed(text: str) -> Region | None:
    r"""Return the content of the last `\boxed{...}`, its braces matched."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    start += len("\\boxed{")
    depth = 1
    for place in _BRACES.finditer(text, start):
        depth += 1 if place.group() == "{" else -1
        if depth == 0:
            return _region(text, start, place.start(), "in \\boxed{}")
    return None


_BRACES = re.compile(r"[{}]")


@lru_cache(maxsize=64)
def _marker(marker: str) -> re.Pattern[str]:
    bound = r"(?<!\w)" if marker[:1].isalnum() else ""
    words = re.escape(marker)
    if marker.endswith(":"):
        words = rf"{re.escape(marker[:-1].rstrip())}\s?:"
    return re.compile(bound + words, re.IGNORECASE)


def _line(text: str, *, last: bool) -> Region | None:
    start, end = trimmed(text)
    if start == end:
        return None
    if last:
        return _region(text, text.rfind("\n", start, end) + 1 or start, end, "the last line")
    stop = text.find("\n", start, end)
    return _region(text, start, end if stop < 0 else stop, "the first line")


def _rest_of_line(text: str, start: int, rule: str) -> Region | None:
    while start < len(text) and (text[start].isspace() or text[start] in _DECORATION):
        start += 1
    stop = text.find("\n", start)
    return _region(text, start, len(text) if stop < 0 else stop, rule)


def _region(text: str, start: int, end: int, rule: str) -> Region | None:
    span = trimmed(text, start, end)
    return Region(span=span, rule=rule) if span[0] < span[1] else None
