"""Short forms in the JSON Schema of options, so that editors accept what the reader accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from befit.core.record import Json

BOOLEAN: dict[str, Json] = {"type": "boolean"}
NUMBER: dict[str, Json] = {"type": "number", "minimum": 0}
COUNT: dict[str, Json] = {"type": "integer", "minimum": 0}
TEXT: dict[str, Json] = {"type": "string"}
NAMES: dict[str, Json] = {"type": "array", "items": {"type": "string"}}


def also(*forms: dict[str, Json]) -> Callable[[dict[str, Any]], None]:
    """Return a `json_schema_extra` which lets a property have these forms too."""

    def widen(schema: dict[str, Any]) -> None:
        words = ("title", "description", "default")
        kept: dict[str, Any] = {key: schema[key] for key in words if key in schema}
        full = {key: value for key, value in schema.items() if key not in words}
        schema.clear()
        schema["anyOf"] = [full, *forms]
        schema.update(kept)

    return widen


def with_keys(**keys: dict[str, Json]) -> Callable[[dict[str, Any]], None]:
    """Return a `json_schema_extra` of a model which has these short keys too."""

    def add(schema: dict[str, Any]) -> None:
        schema.setdefault("properties", {}).update(keys)

    return add
