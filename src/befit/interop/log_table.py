"""Logs as rows of a table (CSV, or flat JSON lines): one exchange per row, by column names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from befit.core.interaction import Interaction
from befit.core.message import Message
from befit.interop.log_item import Item, LogError
from befit.interop.log_openai import tags
from befit.interop.log_values import finish, instant, listed_messages, messages, short, tool_calls

COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id", "request_id", "log_id"),
    "ts": ("ts", "timestamp", "time", "created_at", "date"),
    "messages": ("messages",),
    "system": ("system", "system_prompt"),
    "input": ("input", "prompt", "question", "request", "user", "query"),
    "output": ("output", "completion", "response", "answer", "assistant", "reply"),
    "tool_calls": ("tool_calls",),
    "finish_reason": ("finish_reason",),
    "requested_model": ("requested_model", "model"),
    "served_model": ("served_model",),
    "provider": ("provider",),
    "conversation_id": ("conversation_id", "session_id", "thread_id"),
    "turn": ("turn",),
    "route": ("route", "scenario"),
    "channel": ("channel",),
    "usage.input": ("input_tokens", "prompt_tokens"),
    "usage.output": ("output_tokens", "completion_tokens"),
    "cost_usd": ("cost", "cost_usd"),
    "error_class": ("error", "error_class"),
}
"""Field -> the columns it may stand in, the first that is there."""
_PLACED = {column for columns in COLUMNS.values() for column in columns}


def read_row(line: dict[str, Any]) -> Iterator[Item]:
    """One row; columns nobody knows become tags.

    Raises:
        LogError: there is neither a column for messages nor one for the input.
    """
    held = {str(key).strip().lower(): value for key, value in line.items()}
    found = {name: _first(held, columns) for name, columns in COLUMNS.items()}
    if found["messages"] is None and found["input"] is None:
        raise LogError("a row without 'messages' or 'input'")
    given = found["messages"]
    shown = messages(found["input"]) if given is None else listed_messages(given)
    if found["system"]:
        shown = (Message(role="system", content=str(found["system"])), *shown)
    usage = {
        name.removeprefix("usage."): int(value)
        for name, value in found.items()
        if name.startswith("usage.") and value is not None and str(value).isdigit()
    }
    output = found["output"]
    yield Interaction(
        id=short(found["id"]) or "",
        ts=instant(found["ts"]),
        messages=shown,
        output=None if output is None else str(output),
        tool_calls=tool_calls(found["tool_calls"]),
        finish_reason=finish(found["finish_reason"]),
        turn=int(found["turn"]) if str(found["turn"]).isdigit() else None,
        usage=usage,
        tags=tags({key: value for key, value in held.items() if key not in _PLACED and value}),
        source="table",
        requested_model=short(found["requested_model"]),
        served_model=short(found["served_model"]),
        provider=short(found["provider"]),
        conversation_id=short(found["conversation_id"]),
        route=short(found["route"]),
        channel=short(found["channel"]),
        cost_usd=short(found["cost_usd"]),
        error_class=short(found["error_class"]),
    )


def _first(held: Mapping[str, Any], columns: tuple[str, ...]) -> Any:
    for column in columns:
        if held.get(column) not in (None, ""):
            return held[column]
    return None
