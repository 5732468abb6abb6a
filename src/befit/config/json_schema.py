"""JSON Schemas for editors: of the project file and of one sample.

They come from the same models that read the files, plus what the reader allows
beyond them: short forms of scorers, `${NAME}` in place of numbers, `file:`
includes, keys that a section of defaults may supply.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from befit import plugins
from befit.config.schema import ProjectFile
from befit.core.dimension import known_dimensions
from befit.core.prompt_variant import RULES
from befit.core.record import Json
from befit.core.sample import Sample
from befit.errors import PluginError

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VARIABLE: dict[str, Json] = {"type": "string", "pattern": r"\$\{"}
_INCLUDE: dict[str, Json] = {"type": "string", "description": "A file of values to start from."}
_INCLUDABLE = {
    "Candidate": ["name"],
    "FileScenario": ["name"],
    "FileTier": [],
    "Policy": [],
    "RunSettings": [],
}
"""Definitions that a `file:` or defaults may complete -> what stays required."""


def project_schema() -> dict[str, Json]:
    """Return the JSON Schema of `befit.yaml`, with the options of every installed scorer."""
    schema = ProjectFile.model_json_schema()
    definitions: dict[str, Json] = schema["$defs"]
    for definition in definitions.values():
        _allow_variables(definition)
    for name, required in _INCLUDABLE.items():
        definition = definitions[name]
        kept = [key for key in required if key in definition.get("required", [])]
        definition.pop("required", None)
        definition["properties"]["file"] = {
            "type": "string",
            "description": "Values to start from.",
        }
        if kept:
            definition["anyOf"] = [{"required": kept}, {"required": ["file"]}]
    dimension = definitions["FileScenario"]["properties"]["dimension"]
    dimension["enum"] = list(known_dimensions())
    _add_scorers(definitions)
    written = definitions["PromptVariant"]
    definitions["PromptVariant"] = {"anyOf": [{"enum": list(RULES)}, written]}
    for key in ("candidates", "scenarios"):
        include = {"type": "string", "pattern": "^file:"}
        schema["properties"][key] = {"anyOf": [schema["properties"][key], include]}
    return {
        "$schema": DIALECT,
        **schema,
        "title": "befit project",
        "required": ["project", "scenarios"],
        "patternProperties": {"^x-": {}},
    }


def sample_schema() -> dict[str, Json]:
    """Return the JSON Schema of one sample as written in a sample file."""
    schema = Sample.model_json_schema()
    definitions: dict[str, Json] = schema["$defs"]
    _add_scorers(definitions)
    properties = schema["properties"]
    properties["turns"]["items"] = {"anyOf": [{"type": "string"}, properties["turns"]["items"]]}
    attachment = definitions["Attachment"]
    attachment["properties"]["path"] = {
        "type": "string",
        "description": "A file relative to the sample file, in place of 'url'.",
    }
    attachment["required"] = []
    items = properties["attachments"]["items"]
    properties["attachments"]["items"] = {"anyOf": [{"type": "string"}, items]}
    image = definitions["ImagePart"]
    image["properties"]["path"] = {"type": "string"}
    image["required"] = []
    return {"$schema": DIALECT, **schema, "title": "befit sample"}


def _allow_variables(definition: dict[str, Json]) -> None:
    """Let `${NAME}` stand where a number or a yes or no is due."""
    for key, inner in definition.get("properties", {}).items():
        if inner.get("type") in {"integer", "number", "boolean"}:
            about = {k: inner.pop(k) for k in ("title", "description", "default") if k in inner}
            definition["properties"][key] = {"anyOf": [inner, _VARIABLE], **about}
        elif "anyOf" in inner and not any(b.get("type") == "string" for b in inner["anyOf"]):
            inner["anyOf"].append(_VARIABLE)


def _add_scorers(definitions: dict[str, Json]) -> None:
    """Replace the definition of a scorer by its short forms, one per installed scorer."""
    names = list(plugins.available("befit.scorers"))
    properties = {name: _options(name, definitions) for name in names}
    definitions["ScorerSpec"] = {
        "description": "A scorer by name, or {name: {options}}.",
        "anyOf": [
            {"enum": names},
            {
                "type": "object",
                "properties": properties,
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ],
    }


def _options(name: str, definitions: dict[str, Json]) -> Json:
    try:
        model: type[BaseModel] | None = getattr(
            plugins.load("befit.scorers", name), "Options", None
        )
    except PluginError:
        return {}
    if model is None:
        return {}
    schema: dict[str, Any] = model.model_json_schema(
        ref_template=f"#/$defs/{name}.{{model}}", by_alias=True
    )
    for inner, definition in schema.pop("$defs", {}).items():
        definitions[f"{name}.{inner}"] = _with_short_forms(definition)
    return {"anyOf": [_with_short_forms(schema), {"type": "null"}]}


def _with_short_forms(schema: dict[str, Json]) -> dict[str, Json]:
    """Let options take the short forms that only their own reader knows (`numeric: true`).

    An editor then completes and explains; what is wrong, `befit plan` tells.
    """
    if "properties" not in schema:
        return schema
    short: Json = {"type": ["boolean", "number", "string", "array", "object"]}
    schema["properties"] = {
        key: inner
        if "const" in inner
        else {"anyOf": [inner, short], "description": inner.get("description", "")}
        for key, inner in schema["properties"].items()
    }
    schema["additionalProperties"] = True
    return {k: v for k, v in schema.items() if k != "required"}
