"""A world at work: it answers the calls of one trial and keeps the state they change.

Whatever goes wrong in it is an answer too (`{"error": ...}`), as with a real
service: the candidate's way out of an error is part of what is measured. One thing is
not: own code that gives what is no JSON. That is its author's mistake, and ends the trial.
"""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from befit.core.fingerprint import canonical_json
from befit.core.message import Message, Tool, ToolCall
from befit.core.record import Json
from befit.core.world import Action, ToolResult, World
from befit.plugins import OwnCode, load_object
from befit.scorers.parsing import parse_json
from befit.scorers.schema import Validator, compile_schema, problems

MAX_RESULT = 50_000
"""Characters of a result; a longer one is cut, as it would fill any context."""


class ToolError(Exception):
    """What a tool answers instead of a result."""


class NoJsonError(Exception):
    """The user's own code gave, or left behind, what no tool could send."""


class Workshop:
    """The world of one trial.

    Raises:
        PluginError: the world's Python function cannot be loaded.
    """

    def __init__(self, world: World, tools: Sequence[Tool]) -> None:
        self._world = world
        self._tools = {tool.name: tool for tool in tools}
        self._used: Counter[tuple[str, int]] = Counter()
        self._python: Callable[..., Any] | None = None
        if world.python is not None:
            self._python = load_object(world.python, where="world.python")
        self.state: dict[str, Json] = copy.deepcopy(world.state)
        self._kept = "{}" if self._python is None else orjson.dumps(world.state).decode()

    async def answer(self, call: ToolCall) -> Message:
        """Return the tool's message: its result as JSON, or `{"error": ...}`.

        Raises:
            NoJsonError: the world's Python gave no JSON, or put none into the state.
        """
        try:
            result = await self._result(call)
            content = result if isinstance(result, str) else self._json(result, "returned", call)
        except ToolError as error:
            content = orjson.dumps({"error": str(error)}).decode()
        if self._python is not None:
            self._keep(call)
        return Message(
            role="tool", content=content[:MAX_RESULT], tool_call_id=call.id, name=call.name
        )

    def _keep(self, call: ToolCall) -> None:
        """Remember the state as the user's code left it; one that is no JSON goes back."""
        try:
            self._kept = self._json(self.state, "left in the state", call)
        except NoJsonError:
            self.state = orjson.loads(self._kept)
            raise

    def _json(self, value: Json, did: str, call: ToolCall) -> str:
        try:
            return orjson.dumps(value).decode()
        except (TypeError, ValueError) as error:
            what = f"{self._world.python} {did} what is no JSON, called as '{call.name[:100]}'"
            raise NoJsonError(f"{what}: {error}"[:500]) from error

    async def _result(self, call: ToolCall) -> Json:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"there is no tool '{call.name[:100]}'")
        given = _arguments(call, tool)
        row = self._row(call.name, given)
        if row is not None:
            if row.error is not None:
                raise ToolError(row.error)
            return row.result
        action = self._world.actions.get(call.name)
        if action is not None:
            return act(action, given, self.state)
        if self._python is None:
            raise ToolError("no result for these arguments")
        try:
            with OwnCode():
                made = self._python(call.name, given, self.state)
                made = await made if inspect.isawaitable(made) else made
        except Exception as error:
            # Whatever the user's code raises is this tool's error, as a service would send it.
            raise ToolError(str(error)[:500] or type(error).__name__) from error
        return made

    def _row(self, name: str, given: Mapping[str, Json]) -> ToolResult | None:
        for number, row in enumerate(self._world.results.get(name, ())):
            if any(key not in given or given[key] != value for key, value in row.arguments.items()):
                continue
            if row.times is not None and self._used[name, number] >= row.times:
                continue
            self._used[name, number] += 1
            return row
        return None


def _arguments(call: ToolCall, tool: Tool) -> dict[str, Json]:
    value, error = parse_json(call.arguments) if call.arguments.strip() else ({}, None)
    if error is not None or not isinstance(value, dict):
        raise ToolError("the arguments are no JSON object")
    if tool.parameters:
        wrong = problems(_validator(canonical_json(tool.parameters)), value, limit=3)
        if wrong:
            raise ToolError("; ".join(wrong))
    return value


@lru_cache(maxsize=512)
def _validator(schema: str) -> Validator:
    try:
        return compile_schema(orjson.loads(schema))
    except ValueError:
        return compile_schema({})  # a schema no validator reads checks nothing


def act(action: Action, given: Mapping[str, Json], state: dict[str, Json]) -> Json:
    """Do `action` on `state` and return what the tool answers.

    Raises:
        ToolError: no such record, or it does not hold what the action requires.
    """
    table = state.setdefault(action.table, {})
    if not isinstance(table, dict):
        raise ToolError(f"'{action.table}' is no table")
    if action.op == "find":
        names = action.by or tuple(given)
        return [
            record
            for record in table.values()
            if all(_holds(record, name, given[name]) for name in names if name in given)
        ]
    if action.op == "create":
        named = action.key is not None and action.key in given
        key = str(given[action.key or ""]) if named else _free_key(action.table, table)
        if key in table:
            raise ToolError(f"'{key}' is in {action.table} already")
        table[key] = {"id": key, **given, **action.set}
        return table[key]
    key = str(given.get(action.key or ""))
    if key not in table:
        raise ToolError(f"there is no '{key[:100]}' in {action.table}")
    record = table[key]
    for name, value in action.require.items():
        if not _holds(record, name, value):
            raise ToolError(f"not possible: {name} is not {value}")
    if action.op == "delete":
        del table[key]
        return {"deleted": key}
    if action.op == "update":
        new = {name: value for name, value in given.items() if name != action.key}
        record = {**record, **new, **action.set} if isinstance(record, dict) else action.set
        table[key] = record
    return record


def _holds(record: Json, name: str, value: Json) -> bool:
    return isinstance(record, Mapping) and record.get(name) == value


def _free_key(table: str, records: Mapping[str, Json]) -> str:
    number = len(records) + 1
    while f"{table}-{number}" in records:
        number += 1
    return f"{table}-{number}"
