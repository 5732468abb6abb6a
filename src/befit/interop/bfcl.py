"""Berkeley Function Calling Leaderboard files (version 4) as samples for `tool_calls`.

A case names functions with a loose type system ("dict", "float", Java's "HashMap")
and accepts lists of values, where `""` marks a parameter that may be left out.
Names with dots are no names to most providers, so dots become underscores in
tools and targets alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from befit.core.message import Message, Tool
from befit.core.record import Json
from befit.core.sample import Provenance, Sample
from befit.errors import DataError
from befit.interop.json_lines import objects

LICENCE = "Apache-2.0"
_TYPES = {
    "dict": "object", "hashmap": "object", "object": "object",
    "float": "number", "double": "number", "number": "number",
    "integer": "integer", "long": "integer", "int": "integer",
    "short": "integer", "byte": "integer",
    "array": "array", "arraylist": "array", "tuple": "array", "list": "array", "set": "array",
    "string": "string", "char": "string", "boolean": "boolean", "null": "null",
}  # fmt: skip
_KEPT = ("description", "enum", "default", "minimum", "maximum", "format", "pattern")


def read_bfcl(cases: Path | str, answers: Path | str | None = None) -> Iterator[Sample]:
    """Yield the samples of a case file and its answer file (none: no call is due).

    Raises:
        DataError: a line that is no case, or a case without an answer.
    """
    wanted: dict[str, Json] | None = None
    if answers is not None:
        wanted = {row["id"]: row["ground_truth"] for row in cases_of(Path(answers))}
    for row in cases_of(Path(cases)):
        if wanted is not None and row["id"] not in wanted:
            raise DataError(f"case '{row['id']}' has no answer", where=str(answers))
        yield bfcl_sample(row, [] if wanted is None else wanted[row["id"]])


def bfcl_sample(case: Mapping[str, Any], answer: Sequence[Mapping[str, Any]]) -> Sample:
    """Return one single-turn case as a sample; `answer` is its `ground_truth`."""
    said = case["question"][0]
    return Sample(
        id=case["id"],
        input=tuple(Message(role=m["role"], content=m["content"]) for m in said),
        tools=tuple(bfcl_tool(function) for function in case["function"]),
        target={"calls": [_call(one) for one in answer]},
        tags=("bfcl", case["id"].rpartition("_")[0]),
        provenance=Provenance(source="bfcl-eval", licence=LICENCE),
    )


def bfcl_tool(function: Mapping[str, Any]) -> Tool:
    """Return a function's description as a tool with a JSON Schema."""
    return Tool(
        name=tool_name(function["name"]),
        description=str(function.get("description", "")),
        parameters=_schema(function["parameters"]),
    )


def tool_name(name: str) -> str:
    """Return a function's name as providers take it: letters, digits, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _schema(node: Mapping[str, Any]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    declared = _TYPES.get(str(node.get("type", "")).lower())
    if declared is not None:  # "any" has no type
        made["type"] = declared
    made.update({key: node[key] for key in _KEPT if key in node})
    if isinstance(node.get("properties"), Mapping):
        made["properties"] = {
            str(name): _schema(inner)
            for name, inner in node["properties"].items()
            if isinstance(inner, Mapping)
        }
        made["required"] = list(node.get("required", ()))
    if isinstance(node.get("items"), Mapping):
        made["items"] = _schema(node["items"])
    return made


def _call(answer: Mapping[str, Any]) -> Json:
    name, arguments = next(iter(answer.items()))
    return {
        "name": tool_name(name),
        "arguments": {key: accepted(values) for key, values in arguments.items()},
    }


def accepted(values: Json) -> Json:
    """Return a list of accepted values in the target's own grammar."""
    if not isinstance(values, list):
        values = [values]
    if not values:
        values = [[]]  # two cases give no alternative where an empty list is meant
    made: dict[str, Json] = {"accepted": [_alternative(value) for value in values]}
    if "" in values:
        made["optional"] = True
    return made


def _alternative(value: Json) -> Json:
    if isinstance(value, dict):
        return {
            key: accepted(inner) if isinstance(inner, list) else inner
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_alternative(item) for item in value]
    return value


def cases_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of cases or answers, each with its id.

    Raises:
        DataError: a line that is none.
    """
    for where, row in objects(path, what="case"):
        if "id" not in row:
            raise DataError("a line is no case", where=where)
        yield row
