"""The options of `fields`: what is to be extracted, and how each field is read and compared."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from befit.core.record import Record
from befit.scorers.dates import order_of
from befit.scorers.match_options import Tolerance
from befit.scorers.numerals import check_locale
from befit.scorers.patterns import check_pattern
from befit.scorers.short_forms import NAMES, NUMBER, also

ItemType = Literal["text", "number", "integer", "date", "enum", "boolean"]
FieldType = Literal["text", "number", "integer", "date", "enum", "boolean", "list"]
DEFAULT_NOT_FOUND: tuple[str | None, ...] = (
    None,
    "not found",
    "n/a",
    "none",
    "null",
    "unknown",
    "not stated",
    "not given",
    "not specified",
    "not available",
)


def _named_types(schema: dict[str, Any]) -> None:
    """Let the JSON Schema take a list of names, and a type alone for a field."""
    field = schema.get("additionalProperties")
    types = {"enum": list(get_args(FieldType))}
    schema["additionalProperties"] = {"anyOf": [field, types]}
    also(NAMES)(schema)


class FieldSpec(Record):
    """One field of the document. The same reading is used for target and answer."""

    type: FieldType = Field(default="text", description="How the value is read and compared.")
    locale: str | None = Field(
        default=None,
        description="How numbers and dates are written, for instance de or en-US. Numbers without"
        " it: 1,234.50. Dates without it: 03/04/2025 cannot be read (nothing is guessed).",
    )
    tolerance: Tolerance = Field(
        default=Tolerance(),
        description="For numbers; a number alone is an absolute tolerance.",
        json_schema_extra=also(NUMBER),
    )
    similarity: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="For text: right from this similarity on (1 - edit distance / length);"
        " without it the normalised texts have to be equal.",
    )
    case: bool = Field(default=False, description="For text: whether upper and lower case differ.")
    values: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="For enum and boolean: {value: [synonyms]}, or a list of values."
        " Anything else is wrong.",
        json_schema_extra=also(NAMES),
    )
    items: ItemType = Field(default="text", description="For list: the type of its items.")
    order: bool = Field(default=False, description="For list: whether the order counts.")
    separator: str = Field(
        default=",", min_length=1, description="For list written as text: what separates items."
    )
    format: str | None = Field(
        default=None,
        description="Regular expression the value must match as it is written. Without it: date"
        " YYYY-MM-DD, number a plain number, enum one of the values, list a JSON list.",
    )
    aliases: tuple[str, ...] = Field(
        default=(), description="Other names under which the answer may give the field."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"type": data}
        if not isinstance(data, dict):
            return data
        data = dict(data)
        tolerance = data.get("tolerance")
        if isinstance(tolerance, int | float) and not isinstance(tolerance, bool):
            data["tolerance"] = {"absolute": tolerance}
        values = data.get("values")
        if isinstance(values, list | tuple):
            data["values"] = {str(value): () for value in values}
        elif isinstance(values, dict):
            data["values"] = {
                str(name): (words,) if isinstance(words, str) else words
                for name, words in values.items()
            }
        return data

    @field_validator("format")
    @classmethod
    def _is_pattern(cls, pattern: str | None) -> str | None:
        return pattern if pattern is None else check_pattern(pattern)

    @model_validator(mode="after")
    def _consistent(self) -> FieldSpec:
        kind = self.items if self.type == "list" else self.type
        if self.locale is not None:
            if kind == "date" and order_of(self.locale) is None:
                raise ValueError(
                    f"locale '{self.locale}' does not tell the order of day and month;"
                    " write for instance en-GB or en-US"
                )
            check_locale(self.locale)
        if kind == "enum" and not self.values:
            raise ValueError("an enum needs its 'values'")
        if self.values and kind not in {"enum", "boolean"}:
            raise ValueError("'values' belongs to enum and boolean")
        if kind == "boolean" and not set(self.values) <= {"true", "false"}:
            raise ValueError("the values of a boolean are 'true' and 'false'")
        return self


class FieldsOptions(Record):
    """Extraction; the target is an object in which null means "not in the document"."""

    fields: dict[str, FieldSpec] = Field(
        min_length=1,
        description="Name of each field, with its type or {type, locale, ...}.",
        json_schema_extra=_named_types,
    )
    not_found: tuple[str | None, ...] = Field(
        default=DEFAULT_NOT_FOUND,
        description="What marks a field as not found; compared in normalised form.",
    )
    omitted: Literal["right", "wrong"] = Field(
        default="right",
        description="Whether leaving out a field that the document does not have counts as right."
        " The label tells it from a marked one either way.",
    )
    input: Literal["auto", "json", "lines"] = Field(
        default="auto",
        description="Form of the answer: a JSON object, or lines 'name: value'."
        " auto: JSON if there is an object, else lines.",
    )
    format_counts: bool = Field(
        default=False, description="Whether a right value in a wrong format is wrong."
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("fields"), list | tuple):
            return {**data, "fields": {str(name): {} for name in data["fields"]}}
        return data
