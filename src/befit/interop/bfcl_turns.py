"""BFCL's multi-turn cases as conversations whose calls are compared turn by turn.

The leaderboard compares the final state of Python classes, which are not part of its
data and are not simulated here: each call is answered "done". So this is stricter
(another way to the same state is not accepted) and the tools offered are those that
the answers of the file use, with the parameters they use.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from befit.core.message import Tool
from befit.core.record import Json
from befit.core.sample import Provenance, Sample, ScorerSpec, Turn
from befit.core.world import ToolResult, World
from befit.errors import DataError
from befit.interop.bfcl import LICENCE, cases_of, tool_name

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
Call = tuple[str, tuple[Json, ...], dict[str, Json]]
"""Function, arguments by place, arguments by name."""


def read_bfcl_turns(cases: Path | str, answers: Path | str) -> Iterator[Sample]:
    """Yield a conversation for each case.

    Raises:
        DataError: a line that is no case, or a case without an answer.
    """
    wanted = {
        row["id"]: [[_call(text, answers) for text in turn] for turn in row["ground_truth"]]
        for row in cases_of(Path(answers))
    }
    rows = list(cases_of(Path(cases)))
    owners = {
        name: owner for row in rows for owner, _, name in (p.partition(".") for p in row["path"])
    }
    known = _parameters([call for turns in wanted.values() for turn in turns for call in turn])
    for row in rows:
        if row["id"] not in wanted:
            raise DataError(f"case '{row['id']}' has no answer", where=str(answers))
        used = {name for turn in wanted[row["id"]] for name, _, _ in turn}
        offered = sorted(
            name
            for name in known
            if (owners.get(name) in row["involved_classes"] or name in used)
            and name not in row.get("excluded_function", ())
        )
        yield _sample(row, wanted[row["id"]], offered, known)


def _sample(
    row: Mapping[str, Any],
    wanted: Sequence[Sequence[Call]],
    offered: Sequence[str],
    known: Mapping[str, Mapping[str, str]],
) -> Sample:
    turns = tuple(
        Turn(
            user="\n".join(message["content"] for message in said),
            checks=(ScorerSpec(name="tool_calls", options={"target": _target(calls, known)}),),
        )
        for said, calls in zip(row["question"], wanted, strict=False)
    )
    tools = tuple(
        Tool(
            name=tool_name(name),
            description=name.replace("_", " "),
            parameters={
                "type": "object",
                "properties": {key: {"type": kind} for key, kind in known[name].items()},
            },
        )
        for name in offered
    )
    done = (ToolResult(result="done"),)
    return Sample(
        id=row["id"],
        turns=turns,
        tools=tools,
        world=World(results={tool.name: done for tool in tools}),
        tags=("bfcl", row["id"].rpartition("_")[0]),
        provenance=Provenance(source="bfcl-eval", licence=LICENCE),
    )


def _target(calls: Sequence[Call], known: Mapping[str, Mapping[str, str]]) -> Json:
    """Return the calls of a turn, arguments by place under the names they have elsewhere."""
    return {
        "calls": [
            {
                "name": tool_name(name),
                "arguments": {**dict(zip(known[name], placed, strict=False)), **given},
            }
            for name, placed, given in calls
        ]
    }


def _parameters(calls: Sequence[Call]) -> dict[str, dict[str, str]]:
    """Return the parameters of each function by name and JSON type, as the answers use them."""
    known: dict[str, dict[str, str]] = {}
    for name, _, given in calls:
        own = known.setdefault(name, {})
        for key, value in given.items():
            own.setdefault(key, _TYPES.get(type(value), "object"))
    for name, placed, _ in calls:
        own = known[name]
        for place in range(len(own), len(placed)):
            own[f"argument_{place + 1}"] = _TYPES.get(type(placed[place]), "object")
    return known


def _call(text: str, where: Path | str) -> Call:
    what = f"'{text[:80]}' is no call"
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise DataError(what, where=str(where), why=str(error)) from error
    if not isinstance(node, ast.Call):
        raise DataError(what, where=str(where))
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    try:
        placed = tuple(ast.literal_eval(arg) for arg in node.args)
        given = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    except ValueError as error:
        raise DataError(what, where=str(where), why=str(error)) from error
    return name, placed, given
