"""The options of `structure`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from befit.core.record import Json, Record
from befit.scorers.schema import compile_schema
from befit.scorers.short_forms import COUNT, NAMES, also

JsonType = Literal["string", "number", "integer", "boolean", "object", "array", "null"]


class Part(Record):
    """What is expected of one field of a JSON object."""

    type: JsonType | tuple[JsonType, ...] | None = Field(
        default=None, description="JSON type, or several of which one must hold."
    )
    values: tuple[Json, ...] | None = Field(
        default=None, min_length=1, description="The only values allowed (an enum)."
    )
    required: bool = Field(default=True, description="Whether its absence is a failure.")


class Rows(Record):
    """How many rows a table may have, its header not counted."""

    min: int = Field(default=0, ge=0, description="At least so many.")
    max: int | None = Field(default=None, ge=0, description="At most so many.")


class StructureOptions(Record):
    """What form the answer must have.

    With `schema` the schema decides whether a trial passes; with `fields`,
    `columns` or `rows` these do; else parsing alone.
    """

    format: Literal["json", "csv", "markdown"] = Field(
        default="json", description="json, csv, or markdown (a table)."
    )
    bare_only: bool = Field(
        default=False, description="Only bare output counts: a code fence around it fails."
    )
    embedded: bool = Field(
        default=False, description="Whether a payload with prose around it counts as parsed."
    )
    json_schema: dict[str, Json] | bool | None = Field(
        default=None,
        alias="schema",
        description="JSON Schema, draft 2020-12. References outside of it are refused.",
    )
    formats: bool = Field(default=False, description="Whether the schema's `format` is checked.")
    fields: dict[str, Part] = Field(
        default_factory=dict,
        description="Fields that must be there, as a list of names or {name: {type, values}};"
        " a.b is field b of object a.",
        json_schema_extra=also(NAMES),
    )
    columns: tuple[str, ...] | None = Field(
        default=None, min_length=1, description="The columns a table must have, no more."
    )
    column_order: bool = Field(default=True, description="Whether the order of columns counts.")
    rows: Rows | None = Field(
        default=None,
        description="Number of rows: a number, or {min, max}. No header.",
        json_schema_extra=also(COUNT),
    )
    delimiter: str = Field(default=",", min_length=1, max_length=1, description="Of CSV.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        fields = data.get("fields")
        if isinstance(fields, list | tuple) and all(isinstance(name, str) for name in fields):
            data["fields"] = {name: {} for name in fields}
        rows = data.get("rows")
        if isinstance(rows, int) and not isinstance(rows, bool):
            data["rows"] = {"min": rows, "max": rows}
        return data

    @field_validator("delimiter")
    @classmethod
    def _usable_delimiter(cls, delimiter: str) -> str:
        if delimiter in '"\r\n':
            raise ValueError("the delimiter is a character other than quotes and line ends")
        return delimiter

    @model_validator(mode="after")
    def _consistent(self) -> StructureOptions:
        if self.json_schema is not None:
            compile_schema(self.json_schema, formats=self.formats)
        if self.format != "json" and (self.json_schema is not None or self.fields):
            raise ValueError(f"'schema' and 'fields' are about json, not {self.format}")
        if self.format == "json" and (self.columns is not None or self.rows is not None):
            raise ValueError("'columns' and 'rows' are about tables, not json")
        if self.bare_only and self.embedded:
            raise ValueError("'bare_only' and 'embedded' exclude each other")
        return self
