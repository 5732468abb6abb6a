"""Reading one field's value by its declared type, and comparing two readings.

Target and answer go through the same code. What cannot be read has no value
and a reason; it is never repaired.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from befit.core.record import Json
from befit.scorers.anls import similarity
from befit.scorers.dates import order_of, read_date
from befit.scorers.evidence import quoted, storable
from befit.scorers.fields_options import FieldSpec
from befit.scorers.matching import best_pairs
from befit.scorers.normalise import normalised, squeezed
from befit.scorers.numerals import Number, as_decimal, close, plain
from befit.scorers.patterns import compiled

MAX_LIST = 1000
"""Longer lists are not read."""
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_BOOLEANS = {"true": ("yes",), "false": ("no",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A value as read: `value` None means unreadable, for the reason in `problem`."""

    value: object
    canonical: Json = None
    """For the record: equal values have equal canonical forms."""
    problem: str | None = None
    format_ok: bool = True


def read(raw: Json, spec: FieldSpec) -> Reading:
    """Return the reading of a value that is there (not one of the not-found tokens)."""
    reading = _read_list(raw, spec) if spec.type == "list" else _read_one(raw, spec, spec.type)
    if spec.format is None or reading.value is None:
        return reading
    pattern = compiled(spec.format)
    written = raw if isinstance(raw, str) else _written(raw)
    good = pattern is not None and pattern.fullmatch(written) is not None
    return Reading(value=reading.value, canonical=reading.canonical, format_ok=good)


def same(answer: Reading, target: Reading, spec: FieldSpec) -> bool:
    """Whether two readings of one field are the same value; both are readable."""
    if spec.type != "list":
        return _same_one(answer.value, target.value, spec)
    mine, wanted = answer.value, target.value
    if not isinstance(mine, list) or not isinstance(wanted, list) or len(mine) != len(wanted):
        return False
    if spec.order:
        return all(_same_one(a, b, spec) for a, b in zip(mine, wanted, strict=True))
    return _same_items(mine, wanted, spec)


def _same_items(mine: Sequence[object], wanted: Sequence[object], spec: FieldSpec) -> bool:
    """Whether the items can be paired; each is used once."""
    if (
        all(isinstance(item, str | date | bool) for item in (*mine, *wanted))
        and not spec.similarity
    ):
        return sorted(map(str, mine)) == sorted(map(str, wanted))
    table = [[float(_same_one(a, b, spec)) for b in wanted] for a in mine]
    return all(table[row][column] == 1 for row, column in best_pairs(table))


def _same_one(answer: object, target: object, spec: FieldSpec) -> bool:
    if isinstance(answer, Number) and isinstance(target, Number):
        if answer.unit and target.unit and answer.unit != target.unit:
            return False
        return close(
            answer.value,
            target.value,
            absolute=Decimal(str(spec.tolerance.absolute)),
            relative=Decimal(str(spec.tolerance.relative)),
        )
    if isinstance(answer, str) and isinstance(target, str) and spec.similarity is not None:
        return similarity(answer, target) >= spec.similarity
    return type(answer) is type(target) and answer == target


def _read_one(raw: Json, spec: FieldSpec, kind: str) -> Reading:
    if isinstance(raw, list | dict):
        return _unreadable(f"{quoted(raw)} is no single value")
    if kind in {"number", "integer"}:
        return _read_number(raw, spec, kind)
    if kind == "date":
        return _read_date(raw, spec)
    if kind in {"enum", "boolean"}:
        return _read_word(raw, spec, kind)
    text = raw if isinstance(raw, str) else _written(raw)
    form = squeezed(text) if spec.case else normalised(text)
    return Reading(value=form, canonical=storable(form))


def _read_number(raw: Json, spec: FieldSpec, kind: str) -> Reading:
    number = as_decimal(raw, locale=spec.locale or "en")
    if number is None:
        return _unreadable(f"{quoted(raw)} is no number in locale {spec.locale or 'en'}")
    if kind == "integer" and number.value != number.value.to_integral_value():
        return _unreadable(f"{quoted(raw)} is no whole number")
    unit = f" {number.unit}" if number.unit else ""
    written = _PLAIN_NUMBER.fullmatch(raw.strip()) if isinstance(raw, str) else True
    return Reading(
        value=number, canonical=plain(number.value) + unit, format_ok=written is not None
    )


def _read_date(raw: Json, spec: FieldSpec) -> Reading:
    if not isinstance(raw, str):
        return _unreadable(f"{quoted(raw)} is no date")
    found, why = read_date(raw.strip(), order_of(spec.locale))
    if found is None:
        return _unreadable(f"{quoted(raw)}: {why}")
    iso = _ISO_DATE.fullmatch(raw.strip()) is not None
    return Reading(value=found, canonical=found.isoformat(), format_ok=iso)


def _read_word(raw: Json, spec: FieldSpec, kind: str) -> Reading:
    values = {**_BOOLEANS, **spec.values} if kind == "boolean" else spec.values
    text = raw if isinstance(raw, str) else _written(raw)
    form = normalised(text)
    for value, synonyms in values.items():
        if any(form == normalised(word) for word in (value, *synonyms)):
            canonical: Json = value == "true" if kind == "boolean" else value
            return Reading(value=canonical, canonical=canonical, format_ok=text.strip() == value)
    return _unreadable(f"{quoted(raw)} is none of {', '.join(values)}")


def _read_list(raw: Json, spec: FieldSpec) -> Reading:
    is_list = isinstance(raw, list)
    pieces: list[Json] = raw if isinstance(raw, list) else []
    if isinstance(raw, str):
        pieces = [piece.strip() for piece in raw.split(spec.separator) if piece.strip()]
    elif not is_list:
        pieces = [raw]
    if len(pieces) > MAX_LIST:
        return _unreadable(f"more than {MAX_LIST} items")
    readings = [_read_one(piece, spec, spec.items) for piece in pieces]
    problem = next((reading.problem for reading in readings if reading.value is None), None)
    if problem is not None:
        return _unreadable(problem)
    canonical = [reading.canonical for reading in readings]
    if not spec.order:
        canonical.sort(key=str)
    good = is_list and all(reading.format_ok for reading in readings)
    return Reading(
        value=[reading.value for reading in readings], canonical=canonical, format_ok=good
    )


def _unreadable(problem: str) -> Reading:
    return Reading(value=None, problem=problem, format_ok=False)


def _written(raw: Json) -> str:
    """Return a JSON value that is no text as JSON writes it."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    return str(raw)
