"""Values that all log formats share, read into befit's own: messages, times, tokens, models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from befit.core.message import ImagePart, Message, Part, Role, TextPart, Tool, ToolCall
from befit.core.record import Json
from befit.interop.log_item import LogError

PARAMETERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "seed": "seed",
    "stop": "stop",
    "stop_sequences": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "n": "n",
    "choice.count": "n",
    "reasoning_effort": "reasoning_effort",
    "reasoning.level": "reasoning_effort",
    "response_format": "response_format",
    "tool_choice": "tool_choice",
}
"""Name of a setting in some log -> its name here."""
FINISH = {
    "tool_call": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "max_tokens": "length",
    "max_length": "length",
}
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
TEXT_KINDS = frozenset({"text", "input_text", "output_text", "reasoning", "refusal"})
_IMAGE = re.compile(r"^data:image/[a-z0-9.+-]+;base64,")
_BOUND = 32_503_680_000.0
"""The year 3000 in seconds: larger numbers are milli-, micro- or nanoseconds."""


def parsed(value: Json) -> Json:
    """Return `value`, or what it says where it is JSON inside a text."""
    if isinstance(value, str) and value[:1] in {"[", "{", '"'}:
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def without_nul(value: Json) -> tuple[Json, int]:
    """Return `value` without NUL characters, and how many there were: no sample may hold one."""
    if isinstance(value, str):
        return value.replace("\0", ""), value.count("\0")
    if isinstance(value, list):
        items = [without_nul(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(value, dict):
        pairs = [(without_nul(key), without_nul(item)) for key, item in value.items()]
        made = {key: item for (key, _), (item, _) in pairs}
        return made, sum(a + b for (_, a), (_, b) in pairs)
    return value, 0


def as_text(value: Json) -> str:
    """Return `value` as text: itself, or as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else orjson.dumps(value).decode()


def mapping(value: Json) -> dict[str, Any]:
    """Return `value` (or the JSON in it) if it is a mapping, else an empty one."""
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def listing(value: Json) -> list[Any]:
    """Return `value` (or the JSON in it) if it is a list, else an empty one."""
    value = parsed(value)
    return value if isinstance(value, list) else []


def short(value: Json) -> str | None:
    """Return a name or id as text; None where there is none."""
    return str(value) if isinstance(value, str | int) and value != "" else None


def finish(value: Json) -> str | None:
    """Return a finish reason in the words of the chat API."""
    name = short(value)
    return None if name is None else FINISH.get(name.lower(), name.lower())


def instant(value: Json) -> str:
    """Return a time of any log as ISO 8601, UTC, to the millisecond; "" where there is none."""
    if value is None or value == "" or isinstance(value, bool):
        return ""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return _from_words(str(value))
    while abs(number) > _BOUND:
        number /= 1000
    try:
        return _iso(datetime.fromtimestamp(number, tz=UTC))
    except (OverflowError, OSError, ValueError):
        raise LogError("a time that is none") from None


def _from_words(text: str) -> str:
    try:
        found = datetime.fromisoformat(text.strip().replace(" UTC", "Z"))
    except ValueError:
        raise LogError("a time that is none") from None
    return _iso(found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC))


def _iso(when: datetime) -> str:
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def elapsed(start: str, end: str) -> float | None:
    """Return the seconds between two instants; None where one is missing or they run backwards."""
    if not start or not end:
        return None
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    return seconds if seconds >= 0 else None


def listed_messages(value: Json) -> tuple[Message, ...]:
    """Return the messages of a field that is called so: a text alone is none of them.

    Raises:
        LogError: it is no list, nor JSON of one.
    """
    if isinstance(parsed(value), str):
        raise LogError("messages is no list")
    return messages(value)


def messages(value: Json) -> tuple[Message, ...]:
    """Return chat messages in the shape of the chat API (or one text as the user's)."""
    value = parsed(value)
    if isinstance(value, str):
        return (Message(role="user", content=value),) if value else ()
    if isinstance(value, dict):
        value = value.get("messages", [value])
    if value is None:
        return ()
    if not isinstance(value, list):
        raise LogError("messages is no list")
    return tuple(message(one) for one in value)


def role_of(value: Json, default: Role = "user") -> Role:
    """Return the role of a name in any log; `default` for none and for one nobody knows."""
    return _ROLES.get(str(value or default).lower(), default)


def message(value: Json) -> Message:
    """Return one message in the shape of the chat API.

    Raises:
        LogError: it has no role anybody knows.
    """
    if not isinstance(value, dict):
        raise LogError("a message that is no mapping")
    role = _ROLES.get(str(value.get("role", "")).lower())
    if role is None:
        raise LogError("a message without a known role")
    return Message(
        role=role,
        content=content(value.get("content") if "content" in value else value.get("parts")),
        tool_calls=tool_calls(value.get("tool_calls"), value.get("function_call")),
        tool_call_id=short(value.get("tool_call_id")),
        name=short(value.get("name")),
    )


def content(value: Json) -> str | tuple[Part, ...]:
    """Return the content of a message: text, or parts where it holds pictures."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return as_text(value)
    parts = [_part(part) for part in value]
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return tuple(parts)


def _part(value: Json) -> Part:
    if isinstance(value, str):
        return TextPart(text=value)
    if not isinstance(value, dict):
        return TextPart(text=as_text(value))
    kind = str(value.get("type", "text"))
    text = value.get("text", value.get("content", value.get("refusal")))
    if kind in TEXT_KINDS and isinstance(text, str):
        return TextPart(text=text)
    url = value.get("image_url", value.get("url"))
    url = url.get("url") if isinstance(url, dict) else url
    if isinstance(url, str) and _IMAGE.match(url):
        return ImagePart(url=url)
    # What befit does not send (a link, audio, a file) leaves its trace, never its content.
    return TextPart(text=f"[{kind}]")


def tool_calls(value: Json, single: Json = None) -> tuple[ToolCall, ...]:
    """Return tool calls in the shape of the chat API, the old single form included."""
    entries = listing(value)
    if not entries and isinstance(single, dict):
        entries = [{"id": "", "function": single}]
    found = []
    for entry in entries:
        inner = entry.get("function", entry) if isinstance(entry, dict) else {}
        name = inner.get("name") if isinstance(inner, dict) else None
        if not isinstance(name, str):
            raise LogError("a tool call without a name")
        arguments = as_text(inner.get("arguments", inner.get("input")))
        found.append(ToolCall(id=str(entry.get("id") or ""), name=name, arguments=arguments))
    return tuple(found)


def tools(value: Json) -> tuple[Tool, ...]:
    """Return the tools that were offered, of any known shape."""
    found = []
    for entry in listing(value):
        inner = entry.get("function", entry) if isinstance(entry, dict) else {}
        name = inner.get("name") if isinstance(inner, dict) else None
        if isinstance(name, str):
            parameters = mapping(inner.get("parameters", inner.get("input_schema")))
            about = as_text(inner.get("description"))
            found.append(Tool(name=name, description=about, parameters=parameters))
    return tuple(found)


def parameters(value: Mapping[str, Json]) -> dict[str, Json]:
    """Return the settings of a call under befit's names; what is not set is left out."""
    found = {
        own: value[name] for name, own in PARAMETERS.items() if value.get(name) not in (None, [])
    }
    if isinstance(found.get("stop"), str):
        found["stop"] = [found["stop"]]
    form = found.get("response_format")
    if isinstance(form, dict) and set(form) == {"type"}:
        found["response_format"] = form["type"]  # as the conventions for spans write it
    return found


def counts(value: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, int]:
    """Return token counts under befit's names; `names` maps dotted paths of the log to them."""
    found: dict[str, int] = {}
    for path, own in names.items():
        number = dig(value, path.split("."))
        if isinstance(number, int | float) and not isinstance(number, bool) and number >= 0:
            found.setdefault(own, int(number))
    return found


def dig(value: Json, path: Iterable[str]) -> Json:
    """Return what stands at a path of keys; None where it ends early."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
