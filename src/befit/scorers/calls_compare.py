"""One call made against one call wanted: the first thing that is wrong, named.

The rules are those of the Berkeley Function Calling Leaderboard's syntax check
(Patil et al. 2025, gorilla repository), written anew: types exact (an integer
passes for a number, a boolean is no integer), strings compared without spaces,
case and `,./-_*^`, lists in order, no parameter beyond those wanted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from befit.core.message import Tool
from befit.core.record import Json
from befit.scorers.calls_read import Made
from befit.scorers.calls_wanted import Accepted, Keys, Wanted
from befit.scorers.evidence import quoted

Fault = Literal[
    "wrong_function",
    "unknown_function",
    "invalid_arguments",
    "missing_parameter",
    "missing_optional",
    "unexpected_parameter",
    "wrong_type",
    "wrong_value",
]
_IGNORED = re.compile(r"[ ,./\-_*^]")
_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with a call; `share` is how much of it is right (for pairing)."""

    fault: Fault | None
    where: str | None = None
    """The parameter, with the way into it: `filters.city`, `days[2]`."""
    text: str | None = None
    share: float = 0.0


def standard(text: str) -> str:
    """Return a string as it is compared: "April 1, 2024" and "april-1-2024" are one."""
    return _IGNORED.sub("", text).lower().replace("'", '"')


def check(made: Made, wanted: Wanted, tools: Mapping[str, Tool]) -> Finding:
    """Return the first fault of `made` as an answer to `wanted`."""
    if made.name != wanted.name:
        known = not tools or made.name in tools
        return Finding(
            fault="wrong_function" if known else "unknown_function",
            text=f"{quoted(made.name)} called, {quoted(wanted.name)} due",
        )
    if made.arguments is None:
        return Finding(fault="invalid_arguments", text=made.why, share=0.1)
    schema = tools[made.name].parameters if made.name in tools else {}
    faults = _faults(made.arguments, wanted.arguments, schema)
    size = len(set(made.arguments) | set(wanted.arguments)) or 1
    if not faults:
        return Finding(fault=None, share=1.0)
    fault, where, text = faults[0]
    share = 0.1 + 0.8 * max(0.0, 1 - len(faults) / size)
    return Finding(fault=fault, where=where, text=text, share=share)


_Found = tuple[Fault, str, str]


def _faults(
    given: Mapping[str, Json], wanted: Mapping[str, Accepted], schema: Mapping[str, Json]
) -> list[_Found]:
    required = schema.get("required") or ()
    properties = schema.get("properties") or {}
    faults: list[_Found] = []
    for name, want in wanted.items():
        if name in given:
            continue
        if name in required:
            faults.append(("missing_parameter", name, f"required parameter {quoted(name)} missing"))
        elif not want.optional:
            faults.append(("missing_optional", name, f"parameter {quoted(name)} missing"))
    faults += [
        ("missing_parameter", name, f"required parameter {quoted(name)} missing")
        for name in required
        if name not in given and name not in wanted
    ]
    for name, value in given.items():
        if name not in wanted:
            faults.append(("unexpected_parameter", name, f"parameter {quoted(name)} is not due"))
            continue
        inner = properties.get(name)
        found = _value(value, wanted[name], inner if isinstance(inner, Mapping) else {}, name)
        if found is not None:
            faults.append(found)
    return faults


def _value(given: Json, want: Accepted, schema: Mapping[str, Json], where: str) -> _Found | None:
    declared = schema.get("type")
    if (
        isinstance(declared, str)
        and not _has_type(given, declared)
        # A value of an accepted answer's own type passes: a variable's name for a number.
        and not any(_kind(given) == _kind(value) for value in want.values if value != "")
    ):
        return "wrong_type", where, f"{quoted(given)} is no {declared}"
    if want.any or any(same(given, value, declared=declared) for value in want.values):
        return None
    if declared is None and not any(
        _alike(_kind(given), _kind(value)) for value in want.values if value != ""
    ):
        return "wrong_type", where, f"{quoted(given)} has another type than the accepted values"
    inner = _inner_fault(given, want, where)
    if inner is not None:
        return inner
    shown = ", ".join(quoted(_plain(value), limit=40) for value in want.values[:3])
    return "wrong_value", where, f"{quoted(given)} is not among {shown}"


def _inner_fault(given: Json, want: Accepted, where: str) -> _Found | None:
    """Name what is wrong inside an object, where only one object is accepted."""
    objects = [value for value in want.values if isinstance(value, Keys)]
    if not isinstance(given, dict) or len(objects) != 1:
        return None
    for name, fault in ((key, _key_fault(given, key, objects[0])) for key in given):
        if fault is not None:
            return fault[0], f"{where}.{name}", fault[1]
    for name, inner in objects[0].keys.items():
        if name not in given and not inner.optional:
            return "missing_parameter", f"{where}.{name}", f"key {quoted(name)} missing"
    return None


def _key_fault(given: Mapping[str, Json], key: str, want: Keys) -> tuple[Fault, str] | None:
    if key not in want.keys:
        return "unexpected_parameter", f"key {quoted(key)} is not due"
    inner = want.keys[key]
    if inner.any or any(same(given[key], value) for value in inner.values):
        return None
    return "wrong_value", f"{quoted(given[key])} under {quoted(key)} is not accepted"


def same(given: Json, want: Json | Keys, *, declared: Json = None, depth: int = 0) -> bool:
    """Whether a value given is the accepted value `want`."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(want, Keys):
        return isinstance(given, dict) and _same_object(given, want, depth)
    if isinstance(want, list | tuple):
        return (
            isinstance(given, list)
            and len(given) == len(want)
            and all(same(a, b, depth=depth + 1) for a, b in zip(given, want, strict=True))
        )
    if isinstance(given, bool) or isinstance(want, bool):
        return given is want
    if isinstance(given, str) and isinstance(want, str):
        return standard(given) == standard(want)
    if isinstance(given, int | float) and isinstance(want, int | float):
        whole = declared == "integer" and isinstance(given, float) and isinstance(want, int)
        return given == want and not whole
    return given is None and want is None


def _same_object(given: Mapping[str, Json], want: Keys, depth: int) -> bool:
    if any(key not in want.keys for key in given):
        return False
    for key, inner in want.keys.items():
        if key not in given:
            if not inner.optional:
                return False
        elif not inner.any and not any(
            same(given[key], value, depth=depth + 1) for value in inner.values
        ):
            return False
    return True


def _plain(value: Json | Keys) -> Json:
    if isinstance(value, Keys):
        return {k: [_plain(v) for v in want.values] for k, want in value.keys.items()}
    return value


def _kind(value: Json | Keys) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, Keys | dict):
        return "object"
    if isinstance(value, list | tuple):
        return "array"
    if value is None:
        return "null"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def _alike(a: str, b: str) -> bool:
    numbers = {"integer", "number"}
    return a == b or (a in numbers and b in numbers)


def _has_type(value: Json, declared: str) -> bool:
    kind = _kind(value)
    return kind == declared or (declared == "number" and kind == "integer")
