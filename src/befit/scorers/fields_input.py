"""Reading the fields out of an output: a JSON object, or lines `name: value`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from befit.core.record import Json
from befit.scorers.evidence import Span
from befit.scorers.fields_options import FieldsOptions
from befit.scorers.normalise import normalised
from befit.scorers.parsing import find_json

MAX_PLACES = 20
"""Occurrences of a key that are looked at to find the place of its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One field as the answer gives it: the raw value and where it stands."""

    raw: Json
    span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What an output gives: fields by name (those left out are not there), and its form."""

    given: dict[str, Given]
    form: str
    """bare, fenced, embedded, lines, or unparsed."""
    error: str | None = None
    unknown: tuple[str, ...] = ()
    """Names the answer gives that nobody asked for."""
    span: Span | None = None
    """Where the object stands, or the lines from the first to the last that were read."""


def extract(output: str, options: FieldsOptions) -> Extracted:
    """Return the fields of an output."""
    error = "no 'name: value' lines with a field that was asked for"
    if options.input != "lines":
        found = find_json(output)
        if isinstance(found.value, dict) and found.span is not None:
            return _from_object(output, found.value, found.span, found.form, options)
        if options.input == "json" or _STARTS_JSON.search(output):
            # Half a JSON object is no list of lines: reading it as one would be a repair.
            error = found.error or "JSON, but no object"
            return Extracted(given={}, form="unparsed", error=error)
    lines = _from_lines(output, options)
    if lines.given:
        return lines
    return Extracted(given={}, form="unparsed", error=error)


_STARTS_JSON = re.compile(r"^[ \t]*+[{\[]", re.MULTILINE)


def _names(options: FieldsOptions) -> dict[str, Sequence[str]]:
    return {name: (name, *spec.aliases) for name, spec in options.fields.items()}


def _from_object(
    output: str, value: dict[str, Json], span: Span, form: str, options: FieldsOptions
) -> Extracted:
    given: dict[str, Given] = {}
    used: set[str] = set()
    for name, keys in _names(options).items():
        key = next((key for key in keys if key in value), None)
        if key is not None:
            used.add(key)
            given[name] = Given(raw=value[key], span=_place(output, span, key, value[key]))
    unknown = tuple(key for key in value if key not in used)
    return Extracted(given=given, form=form, unknown=unknown, span=span)


_DECODER = json.JSONDecoder()


def _place(output: str, span: Span, key: str, value: Json) -> Span | None:
    """Return where the value of `key` stands; None if the key is written with escapes."""
    pattern = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:\s*")
    for tries, found in enumerate(pattern.finditer(output, *span)):
        if tries == MAX_PLACES:
            break
        try:
            read, end = _DECODER.raw_decode(output, found.end())
        except (ValueError, RecursionError):
            continue
        if read == value:
            return found.end(), end
    return None


_LINE = re.compile(
    r"^[ \t]*+(?:[-*•][ \t]++)?[*_`\"]{0,3}"
    r"(?P<name>[^\s:：=|*`\"][^\n:：=|*`\"]{0,79}?)[*_`\"]{0,3}[ \t]{0,9}"
    r"[:：=][*_]{0,3}[ \t]*+(?P<value>[^\n]*)$",
    re.MULTILINE,
)
_SEPARATORS = re.compile(r"[\s_\-]+")


def _from_lines(output: str, options: FieldsOptions) -> Extracted:
    wanted = {_label(key): name for name, keys in _names(options).items() for key in keys}
    given: dict[str, Given] = {}
    unknown: list[str] = []
    read: list[Span] = []
    for line in _LINE.finditer(output):
        name = wanted.get(_label(line["name"]))
        if name is None:
            unknown.append(line["name"].strip())
            continue
        text = line["value"].strip().rstrip("\\").strip()
        start = output.find(text, line.start("value")) if text else line.start("value")
        if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
            text, start = text[1:-1], start + 1
        given[name] = Given(raw=text, span=(start, start + len(text)))
        read.append(line.span())
    span = (read[0][0], read[-1][1]) if read else None
    return Extracted(given=given, form="lines", unknown=tuple(unknown[:20]), span=span)


def _label(name: str) -> str:
    return _SEPARATORS.sub(" ", normalised(name)).strip()
