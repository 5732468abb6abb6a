"""The part of `structure` about fields of a JSON object: there, of its type, of its values."""

from __future__ import annotations

from befit.core.fingerprint import canonical_json, fingerprint
from befit.core.record import Json
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, quoted, storable_json
from befit.scorers.structure_options import Part

MAX_STORED = 4000
"""Characters of canonical JSON that are stored as the answer; more becomes a hash."""


def stored(value: Json) -> Json:
    """Return a parsed value as it is stored: equal values equal, not larger than `MAX_STORED`."""
    clean = storable_json(value)
    if len(canonical_json(clean)) <= MAX_STORED:
        return clean
    return f"JSON #{fingerprint(value)}"


def check_fields(
    fields: dict[str, Part], value: Json, span: Span | None, *, parsed: bool
) -> list[Check]:
    """Return `fields_ok` (whole) and `has_field`, `field_type`, `enum_value` per field."""
    by_field = {
        name: _check_field(name, part, value, parsed=parsed) for name, part in fields.items()
    }
    wrong = [name for name, checks in by_field.items() if any(check.value != 1 for check in checks)]
    whole = Check(
        name="fields_ok",
        value=float(not wrong),
        label=("wrong" if wrong else "right") if parsed else "unparsed",
        rule=f"all {len(fields)} fields are as expected",
        answer=stored(value) if parsed else None,
        span=span,
        explanation=f"not as expected: {', '.join(wrong)}" if wrong else None,
    )
    return [whole, *(check for checks in by_field.values() for check in checks)]


def _check_field(name: str, part: Part, value: Json, *, parsed: bool) -> list[Check]:
    there, found = look_up(value, name) if parsed else (False, None)
    checks = [
        Check(
            name="has_field",
            value=float(there or (parsed and not part.required)),
            label=("present" if there else "absent") if parsed else "unparsed",
            rule=f"'{name}' is there" if part.required else f"'{name}' may be left out",
            part=name,
        )
    ]
    if not there:
        return checks
    if part.type is not None:
        wanted = (part.type,) if isinstance(part.type, str) else part.type
        good = any(_is_type(found, kind) for kind in wanted)
        checks.append(
            Check(
                name="field_type",
                value=float(good),
                label="right" if good else "wrong_type",
                rule=f"'{name}' is {' or '.join(wanted)}",
                part=name,
                answer=json_type(found),
            )
        )
    if part.values is not None:
        good = any(_same(found, allowed) for allowed in part.values)
        checks.append(
            Check(
                name="enum_value",
                value=float(good),
                label="right" if good else "not_allowed",
                rule=f"'{name}' is one of {quoted(list(part.values))}",
                part=name,
                answer=stored(found),
            )
        )
    return checks


def look_up(value: Json, path: str) -> tuple[bool, Json]:
    """Return whether `path` is in `value`, and what is there; a key with a dot goes first."""
    if isinstance(value, dict) and path in value:
        return True, value[path]
    for step in path.split("."):
        if not isinstance(value, dict) or step not in value:
            return False, None
        value = value[step]
    return True, value


def json_type(value: Json) -> str:
    """Return JSON's name for the type of a parsed value; 5.0 is an integer too, true is none."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _is_type(value: Json, wanted: str) -> bool:
    found = json_type(value)
    return found == wanted or (wanted == "number" and found == "integer")


def _same(value: Json, allowed: Json) -> bool:
    """JSON equality: numbers by value, but true is not 1."""
    if isinstance(value, bool) != isinstance(allowed, bool):
        return False
    return bool(value == allowed)
