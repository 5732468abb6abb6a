"""What pydantic found, in the words of a person who wrote the file.

`findings` turns validation errors into short sentences with the keys that lead
to the mistake. It never shows the value itself (it may be a secret), only what
was expected and the nearest known word.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from befit.core.record import Json
from befit.datasets.files_tree import kind_of
from befit.plugins import nearest

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "date_type": "a date (YYYY-MM-DD)",
    "date_parsing": "a date (YYYY-MM-DD)",
    "date_from_datetime_parsing": "a date (YYYY-MM-DD)",
}

_OF_BRANCHES = {*_EXPECTED, "literal_error"}
"""Mistakes that only say that another form was not meant."""

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mistake: the keys that lead to it (as far as they exist), what, and what to do."""

    loc: Loc
    what: str
    do: str = ""


def findings(
    error: ValidationError,
    value: Json,
    *,
    model: type[BaseModel],
    hints: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Return the mistakes of a failed validation, one per place.

    Args:
        error: what pydantic raised for `value`.
        value: the plain value that was validated.
        model: the model it was validated against (for the known keys).
        hints: unknown key -> the right key, where spelling alone would not tell.
    """
    by_place: dict[Loc, list[Any]] = {}
    for detail in error.errors(include_url=False, include_context=True):
        loc = detail["loc"]
        absent = detail["type"] in {"missing", "extra_forbidden"}
        real = _real(loc[:-1] if absent else loc, value)
        by_place.setdefault((*real, loc[-1]) if absent else real, []).append(detail)
    _drop_wrong_branches(by_place)
    return [_finding(loc, details, value, model, hints or {}) for loc, details in by_place.items()]


def _real(loc: Sequence[str | int], value: Json) -> Loc:
    """Return `loc` without the names of union branches, which no file contains."""
    kept: list[str | int] = []
    for key in loc:
        in_mapping = isinstance(key, str) and isinstance(value, dict) and key in value
        in_list = isinstance(key, int) and isinstance(value, list) and key < len(value)
        if in_mapping or in_list:
            value = value[key]
            kept.append(key)
    return tuple(kept)


def _drop_wrong_branches(by_place: dict[Loc, list[Any]]) -> None:
    """Forget "is no text" for a list where the mistake lies inside the list."""
    for loc in list(by_place):
        deeper = any(other != loc and other[: len(loc)] == loc for other in by_place)
        if deeper and all(detail["type"] in _OF_BRANCHES for detail in by_place[loc]):
            del by_place[loc]


def _finding(
    loc: Loc, details: list[Any], value: Json, model: type[BaseModel], hints: Mapping[str, str]
) -> Finding:
    detail = details[0]
    kind = detail["type"]
    if kind == "missing":
        return Finding(loc=loc[:-1], what=f"'{loc[-1]}' is missing", do=f"add '{loc[-1]}'")
    if kind == "extra_forbidden":
        return _unknown_key(loc, model, hints)
    expected = [_EXPECTED[d["type"]] for d in details if d["type"] in _EXPECTED]
    literals = [d["ctx"]["expected"] for d in details if d["type"] == "literal_error"]
    if literals:
        known = [word.strip(" '") for word in literals[0].replace(" or ", ",").split(",")]
        guess = nearest(str(_at(value, loc)), known)
        wanted = " or ".join([*literals, *dict.fromkeys(expected)])
        return Finding(loc=loc, what=f"must be {wanted}", do=guess.strip())
    if expected:
        got = kind_of(_at(value, loc))
        wanted = " or ".join(dict.fromkeys(expected))
        quotes = wanted == "text" and got != "a mapping"
        do = "put it in quotes" if quotes else f"write {wanted}"
        return Finding(loc=loc, what=f"must be {wanted}, not {got}", do=do)
    message = str(detail["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")
    do = "" if kind == "value_error" else "give a value that fits"
    return Finding(loc=loc, what=message[:1].lower() + message[1:], do=do)


def _unknown_key(loc: Loc, model: type[BaseModel], hints: Mapping[str, str]) -> Finding:
    key = str(loc[-1])
    known = known_keys(model, loc[:-1])
    guess = f"did you mean '{hints[key]}'?" if key in hints else nearest(key, known).strip()
    listed = f"known: {', '.join(known)}" if known and not guess else ""
    return Finding(loc=loc, what=f"unknown key '{key}'", do=guess or listed)


def _at(value: Json, loc: Loc) -> Json:
    for key in loc:
        value = value[key]
    return value


def known_keys(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """Return the keys that `model` knows at `loc`."""
    types_here: list[Any] = [model]
    for key in loc:
        types_here = [found for kind in types_here for found in _inside(kind, key)]
    models = [m for kind in types_here for m in _models(kind)]
    return list(dict.fromkeys(name for found in models for name in found.model_fields))


def misplaced_bools(value: Json, *, model: type[BaseModel], loc: Loc = ()) -> Iterator[Finding]:
    """Yield each `true` or `false` that stands where a number is due; 1 and 0 are not meant."""
    if isinstance(value, bool):
        kinds = {leaf for kind in _types_at(model, loc) for leaf in _leaves(kind)}
        if kinds & {int, float, Decimal} and not kinds & {bool, Any}:
            yield Finding(loc=loc, what="must be a number, not true or false")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from misplaced_bools(item, model=model, loc=(*loc, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from misplaced_bools(item, model=model, loc=(*loc, at))


def _types_at(model: type[BaseModel], loc: Loc) -> list[Any]:
    found: list[Any] = [model]
    for key in loc:
        found = [inner for kind in found for inner in _inside(kind, key)]
    return found


def _leaves(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in {Union, types.UnionType}:
        for branch in get_args(annotation):
            yield from _leaves(branch)
    elif get_origin(annotation) is Annotated:
        yield from _leaves(get_args(annotation)[0])
    else:
        yield annotation


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in {Union, types.UnionType, Annotated}:
        for branch in get_args(annotation):
            yield from _models(branch)


def _inside(annotation: Any, key: str | int) -> Iterator[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {Union, types.UnionType, Annotated}:
        for branch in arguments:
            yield from _inside(branch, key)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(key))
        if field is not None:
            yield field.annotation
    elif origin in {tuple, list} and isinstance(key, int) and arguments:
        yield arguments[0]
    elif origin is dict and len(arguments) > 1:
        yield arguments[1]
