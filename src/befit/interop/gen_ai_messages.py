"""What was said, out of `gen_ai` attributes and events of any generation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from befit.core.message import Message, Role, ToolCall
from befit.core.record import Json
from befit.interop import gen_ai_names as names
from befit.interop.log_values import (
    as_text,
    content,
    finish,
    listing,
    mapping,
    parsed,
    role_of,
    short,
    tool_calls,
    tools,
)

Event = tuple[str, Mapping[str, Any]]
_INDEXED = re.compile(r"^gen_ai\.(prompt|completion)\.(\d+)\.(.+)$")


def content_facts(held: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
    """Return messages, output, tool calls, tools and finish reason, as far as they are there."""
    found: dict[str, Any] = {}
    details = [event for name, event in events if name == names.DETAILS_EVENT]
    for source in (held, *details):
        found = found or _structured(source)
    found = found or _indexed(held) or _content_events(events) or _message_events(events)
    offered = held.get("gen_ai.tool.definitions") or held.get("gen_ai.request.tools")
    if offered:
        found["tools"] = tools(offered)
    return {key: value for key, value in found.items() if value not in (None, ())}


def _structured(held: Mapping[str, Any]) -> dict[str, Any]:
    """Since 1.37: JSON with parts, as text or as structured values."""
    shown = listing(held.get("gen_ai.input.messages"))
    said = listing(held.get("gen_ai.output.messages"))
    told = held.get("gen_ai.system_instructions")
    if not shown and not said:
        return {}
    found = [made for one in shown for made in _parts_message(one)]
    if told and not any(message.role == "system" for message in found):
        text = told if isinstance(parsed(told), str) else content(listing(told))
        found.insert(0, Message(role="system", content=text))
    answer = _parts_message(said[0])[0] if said else None
    return {
        "messages": tuple(found),
        "output": answer.text if answer and _has_text(said[0]) else None,
        "tool_calls": answer.tool_calls if answer else (),
        "finish_reason": finish(said[0].get("finish_reason")) if said else None,
    }


def _has_text(value: Json) -> bool:
    parts = listing(value.get("parts")) if isinstance(value, dict) else []
    return any(part.get("type", "text") == "text" for part in parts if isinstance(part, dict))


def _parts_message(value: Json) -> list[Message]:
    """Return the message; an answer of a tool stands in a part and becomes its own message."""
    value = mapping(value)
    role = role_of(value.get("role"))
    parts = [part for part in listing(value.get("parts")) if isinstance(part, dict)]
    if not parts and "content" in value:
        return [Message(role=role, content=content(value["content"]))]
    answers = [part for part in parts if part.get("type") == "tool_call_response"]
    if answers:
        return [
            Message(
                role="tool",
                content=as_text(part.get("response", part.get("result"))),
                tool_call_id=short(part.get("id")),
            )
            for part in answers
        ]
    shown = [part for part in parts if part.get("type") not in {"tool_call", "reasoning"}]
    calls = [
        ToolCall(
            id=str(part.get("id") or ""),
            name=str(part.get("name") or ""),
            arguments=as_text(part.get("arguments")),
        )
        for part in parts
        if part.get("type") == "tool_call"
    ]
    return [Message(role=role, content=content(shown) if shown else "", tool_calls=tuple(calls))]


def _indexed(held: Mapping[str, Any]) -> dict[str, Any]:
    """Up to 1.27: `gen_ai.prompt.0.role`, one attribute per piece."""
    sides: dict[str, dict[int, dict[str, Any]]] = {"prompt": {}, "completion": {}}
    for key, value in held.items():
        place = _INDEXED.match(key)
        if place:
            sides[place[1]].setdefault(int(place[2]), {})[place[3]] = value
    if not sides["prompt"] and not sides["completion"]:
        return {}
    shown = tuple(_flat_message(one) for _, one in sorted(sides["prompt"].items()))
    if not sides["completion"]:
        return {"messages": shown}
    first = sides["completion"][min(sides["completion"])]
    answer = _flat_message({"role": "assistant", **first})
    return {
        "messages": shown,
        "output": as_text(first["content"]) if "content" in first else None,
        "tool_calls": answer.tool_calls,
        "finish_reason": finish(first.get("finish_reason")),
    }


def _flat_message(pieces: Mapping[str, Any]) -> Message:
    calls: dict[str, dict[str, Any]] = {}
    for key, value in pieces.items():
        if key.startswith("tool_calls."):
            _, number, name = key.split(".", 2)
            calls.setdefault(number, {})[name.removeprefix("function.")] = value
    return Message(
        role=role_of(pieces.get("role")),
        content=content(parsed(pieces.get("content"))
                        if str(pieces.get("content", ""))[:1] == "[" else pieces.get("content")),
        tool_calls=tool_calls([calls[number] for number in sorted(calls, key=int)]),
        tool_call_id=short(pieces.get("tool_call_id")),
    )  # fmt: skip


def _content_events(events: Sequence[Event]) -> dict[str, Any]:
    """Up to 1.27, the other way: two span events with JSON in one attribute each."""
    held = {
        names.CONTENT_EVENTS[name]: event.get(names.CONTENT_EVENTS[name])
        for name, event in events
        if name in names.CONTENT_EVENTS
    }
    if not held:
        return {}
    shown = [_event_message(one, "user") for one in listing(held.get("gen_ai.prompt"))]
    said = listing(held.get("gen_ai.completion"))
    answer = _event_message(said[0], "assistant") if said else None
    return {
        "messages": tuple(shown),
        "output": answer.text if answer and mapping(said[0]).get("content") is not None else None,
        "tool_calls": answer.tool_calls if answer else (),
    }


def _message_events(events: Sequence[Event]) -> dict[str, Any]:
    """1.28 to 1.36: one event for each message, and one for each choice."""
    shown: list[Message] = []
    found: dict[str, Any] = {}
    for name, event in events:
        if name in names.MESSAGE_EVENTS:
            shown.append(_event_message(event, names.MESSAGE_EVENTS[name]))
        elif name == names.CHOICE_EVENT and not found and event.get("index", 0) in {0, None}:
            said = mapping(event.get("message")) or dict(event)
            answer = _event_message(said, "assistant")
            found = {
                "output": None if said.get("content") is None else answer.text,
                "tool_calls": answer.tool_calls,
                "finish_reason": finish(event.get("finish_reason")),
            }
    return {"messages": tuple(shown), **found} if shown or found else {}


def _event_message(value: Json, role: Role) -> Message:
    value = mapping(value)
    shown = value.get("content")
    calls = [
        {**entry, "function": {**inner, "arguments": _arguments(inner)}}
        for entry in listing(value.get("tool_calls"))
        if isinstance(entry, dict)
        for inner in [mapping(entry.get("function")) or entry]
    ]
    return Message(
        role=role_of(value.get("role"), role),
        content=content(shown),
        tool_calls=tool_calls(calls),
        tool_call_id=short(
            value.get("tool_call_id") or (value.get("id") if role == "tool" else None)
        ),
    )


def _arguments(inner: Mapping[str, Any]) -> str:
    value = inner.get("arguments")
    return value if isinstance(value, str) else orjson.dumps(value).decode()
