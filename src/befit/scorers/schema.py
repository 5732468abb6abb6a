"""JSON Schema (draft 2020-12), compiled once, closed to the outside.

The library behind it would fetch `http:` and read `file:` references; here
every reference that leaves the schema is refused when the options are read.
"""

from __future__ import annotations

from typing import NoReturn

import jsonschema_rs

from befit.core.record import Json
from befit.scorers.evidence import storable

Validator = jsonschema_rs.Draft202012Validator


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"refused: a schema never reads '{uri}' from outside")


def compile_schema(schema: Json, *, formats: bool = False) -> Validator:
    """Return the validator of `schema`; `formats` makes `format` an assertion.

    Raises:
        ValueError: no valid schema of draft 2020-12, or a reference leads outside of it.
    """
    try:
        return Validator(schema, retriever=_refuse, validate_formats=formats)
    except (ValueError, jsonschema_rs.ReferencingError, RecursionError) as error:
        raise ValueError(f"no usable JSON Schema: {str(error).partition(chr(10))[0]}") from error


def problems(validator: Validator, value: Json, *, limit: int = 3) -> list[str]:
    """Return the first `limit` violations as `$.path: message`; an empty list means valid."""
    found: list[str] = []
    try:
        for error in validator.iter_errors(value):
            path = "".join(
                f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path
            )
            found.append(storable(f"${path}: {error.message}")[:300])
            if len(found) == limit:
                break
    except ValueError as error:  # a value the validator cannot take
        return [str(error)[:200]]
    return found
