"""ToolTalk conversations (Farn and Shin 2023) as samples with scripted turns and a world.

Each turn's recorded calls become its check; free words (a task, a message) may be
any. The data holds no descriptions of the functions, so the tools are described
by the parameters that all conversations together use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from befit.core.message import Tool
from befit.core.record import Json
from befit.core.sample import Provenance, Sample, ScorerSpec, Turn
from befit.core.world import World
from befit.errors import DataError

WORLD = "befit.interop.tooltalk_world:answer"
DATABASES = (
    "Account", "Alarm", "Calendar", "Email", "HistoricWeather", "Message", "Reminder", "Weather",
)  # fmt: skip
_FREE = frozenset(
    {"task", "name", "description", "body", "subject", "message", "query", "location"}
    | {"new_description", "new_location", "event_type"}
)
_READS = ("Query", "Find", "Get", "Search", "Current", "Forecast", "Historic")
_SHARED = ("Account", "Weather", "HistoricWeather")


def read_tooltalk(folder: Path | str, *, databases: Path | str) -> Iterator[Sample]:
    """Yield the conversations of a folder as samples, in the order of their file names.

    Raises:
        DataError: a file that is no conversation, or a database that is missing.
    """
    stored = {name: _load(Path(databases) / f"{name}.json") for name in DATABASES}
    files = sorted(Path(folder).glob("*.json"))
    conversations = [(file, _load(file)) for file in files]
    tools = tooltalk_tools([conversation for _, conversation in conversations])
    for file, conversation in conversations:
        try:
            yield _sample(conversation, stored, tools)
        except (KeyError, TypeError) as error:
            raise DataError("no ToolTalk conversation", where=file.name, why=repr(error)) from error


def tooltalk_tools(conversations: Sequence[Mapping[str, Any]]) -> dict[str, Tool]:
    """Return the tools by name, described by the parameters seen in `conversations`."""
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for conversation in conversations:
        for call in recorded_calls(conversation):
            seen.setdefault(call["api_name"], []).append(call["parameters"])
    tools: dict[str, Tool] = {}
    for name, used in sorted(seen.items()):
        every = list(dict.fromkeys(key for given in used for key in given))
        types: dict[str, Json] = {
            key: {"type": "array", "items": {"type": "string"}}
            if any(isinstance(given.get(key), list) for given in used)
            else {"type": "string"}
            for key in every
        }
        required = [key for key in every if all(key in given for given in used)]
        schema: dict[str, Json] = {"type": "object", "properties": types, "required": required}
        tools[name] = Tool(name=name, parameters=schema)
    return tools


def recorded_calls(conversation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the recorded calls of a conversation in order."""
    for turn in conversation["conversation"]:
        for call in turn.get("apis") or ():
            yield call["request"]


def _sample(
    conversation: Mapping[str, Any], stored: Mapping[str, Json], tools: Mapping[str, Tool]
) -> Sample:
    turns: list[Turn] = []
    said = conversation["conversation"]
    for place, turn in enumerate(said):
        if turn["role"] != "user":
            continue
        after = said[place + 1] if place + 1 < len(said) else {}
        calls = after.get("apis") or ()
        turns.append(Turn(user=turn["text"], checks=(_check(calls),)))
    known = {key: str(value) for key, value in (conversation.get("metadata") or {}).items()}
    turns[0] = turns[0].model_copy(update={"user": _opening(known, turns[0].user)})
    return Sample(
        id=conversation["name"],
        turns=tuple(turns),
        tools=tuple(tools.values()),
        world=World(python=WORLD, state=_state(conversation, stored)),
        cluster=conversation["conversation_id"],
        tags=("tooltalk", *conversation.get("suites_used", ())),
        provenance=Provenance(source="ToolTalk", licence="MIT"),
    )


def _opening(known: Mapping[str, str], text: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in known.items())
    return f"{lines}\n{text}" if lines else text


def _check(calls: Sequence[Mapping[str, Any]]) -> ScorerSpec:
    due = [call["request"] for call in calls if not call.get("exception")]
    target = {
        "calls": [
            {
                "name": call["api_name"],
                "arguments": {
                    key: {"any": True, "optional": True} if key in _FREE else value
                    for key, value in call["parameters"].items()
                },
            }
            for call in due
        ]
    }
    # Looking something up besides does no harm; ToolTalk counts harm by actions.
    return ScorerSpec(name="tool_calls", options={"target": target, "extra": True})


def _state(conversation: Mapping[str, Any], stored: Mapping[str, Json]) -> dict[str, Json]:
    """Return the databases cut down to what the conversation can reach."""
    metadata = conversation.get("metadata") or {}
    user = conversation.get("user") or {}
    username = user.get("username")
    own = {
        name: dict(table) if name in _SHARED else {username: table.get(username, {})}
        for name, table in stored.items()
    }
    registers = any(c["api_name"] == "RegisterUser" for c in recorded_calls(conversation))
    missing = username is not None and username not in own["Account"]
    if missing and user.get("password") and not registers:
        own["Account"][username] = {k: v for k, v in user.items() if k != "session_token"}
    ids: dict[str, list[str]] = {}
    for turn in conversation["conversation"]:
        for call in turn.get("apis") or ():
            for key, value in (call.get("response") or {}).items():
                if key.endswith("_id") or key == "session_token":
                    ids.setdefault(call["request"]["api_name"], []).append(str(value))
    token = metadata.get("session_token")
    return {
        "databases": {**own, "Sent": {}},
        "user": username if token else None,
        "token": token,
        "now": str(metadata.get("timestamp", "2023-09-11 00:00:00")),
        "ids": ids,
    }


def _load(path: Path) -> Json:
    try:
        return orjson.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"'{path.name}' cannot be read", why=str(error)) from error
    except orjson.JSONDecodeError as error:
        raise DataError(f"'{path.name}' is no JSON", why=str(error)) from error
