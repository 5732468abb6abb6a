"""Langfuse exports (JSONL): observations of type GENERATION, and scores as outcomes.

`latency` and `time_to_first_token` are in seconds or milliseconds, depending on
when the integration was set up, so both are computed from the timestamps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from befit.core.interaction import Interaction, Outcome, OutcomeEvent
from befit.core.message import Message
from befit.core.record import Json
from befit.interop.log_item import Item
from befit.interop.log_openai import answered, tags
from befit.interop.log_values import (
    as_text,
    content,
    counts,
    elapsed,
    finish,
    instant,
    listing,
    mapping,
    messages,
    parameters,
    parsed,
    short,
    tool_calls,
    tools,
)

USAGE = {
    "input": "input",
    "output": "output",
    "input_cached_tokens": "cache_read",
    "input_cache_read": "cache_read",
    "input_cache_creation": "cache_write",
    "output_reasoning_tokens": "reasoning",
    "input_audio_tokens": "audio_in",
    "input_image_tokens": "image_in",
}
_EVENTS: dict[str, OutcomeEvent] = {
    "human_takeover": "takeover", "takeover": "takeover", "thumb": "thumb", "thumbs": "thumb",
    "user-feedback": "thumb", "resolved": "resolved", "edit": "edit", "regenerate": "regenerate",
}  # fmt: skip


def read_observation(line: dict[str, Any]) -> Iterator[Item]:
    """One observation; only generations are exchanges."""
    if str(line.get("type", "GENERATION")).upper() != "GENERATION":
        return
    start, end = instant(_of(line, "start_time")), instant(_of(line, "end_time"))
    timing = {
        "end": elapsed(start, end),
        "first_token": elapsed(start, instant(_of(line, "completion_start_time"))),
    }
    asked = parsed(line.get("input"))
    settings = mapping(_of(line, "model_parameters"))
    offered = mapping(asked).get("tools") or settings.get("tools")
    name, version = short(_of(line, "prompt_name")), short(_of(line, "prompt_version"))
    cost = _of(line, "total_cost")
    labels = listing(line.get("tags"))
    facts = _output(parsed(line.get("output")))
    facts["finish_reason"] = facts.get("finish_reason") or finish(settings.get("finish_reason"))
    yield Interaction(
        id=short(line.get("id")) or "",
        ts=start,
        messages=messages(asked),
        tools=tools(offered),
        requested_model=short(_of(line, "provided_model_name")) or short(line.get("model")),
        conversation_id=short(_of(line, "session_id")) or short(_of(line, "trace_id")),
        route=short(_of(line, "trace_name")),
        config_id=f"{name}@{version}" if name and version else name,
        channel=short(line.get("environment")),
        usage=counts(mapping(_of(line, "usage_details")), USAGE),
        timing={key: value for key, value in timing.items() if value is not None},
        cost_usd=None if cost is None else str(cost),
        error_class="server" if line.get("level") == "ERROR" else None,
        parameters=parameters(settings),
        tags={**tags(line.get("metadata")),
              **({"tags": ",".join(map(str, labels))} if labels else {})},
        source="langfuse",
        **facts,
    )  # fmt: skip


def _of(line: dict[str, Any], name: str) -> Json:
    """Return a field under its name, or under the legacy export's camel case."""
    if name in line:
        return line[name]
    head, *rest = name.split("_")
    return line.get(head + "".join(word.capitalize() for word in rest))


def _output(said: Json) -> dict[str, Any]:
    if isinstance(said, list) and said:
        said = said[0]
    if not isinstance(said, dict):
        return {"output": None if said is None else as_text(said)}
    if "choices" in said:
        found = answered(said)
        return {key: found[key] for key in ("output", "tool_calls", "finish_reason")}
    if "role" not in said and "content" not in said:
        return {"output": as_text(said)}
    inner = Message(role="assistant", content=content(said.get("content")))
    return {
        "output": None if said.get("content") is None else inner.text,
        "tool_calls": tool_calls(said.get("tool_calls")),
        "finish_reason": finish(said.get("finish_reason")),
    }


def read_score(line: dict[str, Any]) -> Iterator[Item]:
    """One score: a rating, a check, or what a person did."""
    value, label = line.get("value"), as_text(line.get("name"))
    human = str(line.get("source", "")).upper() == "ANNOTATION"
    default: OutcomeEvent = "rating" if human else "check"
    yield Outcome(
        ref=short(_of(line, "observation_id")) or short(_of(line, "trace_id")) or "",
        ts=instant(line.get("timestamp")),
        event=_EVENTS.get(label, default),
        value=float(value) if isinstance(value, int | float) else None,
        label=short(_of(line, "string_value")) or label or None,
        actor="human" if human else None,
        comment=short(line.get("comment")),
    )
