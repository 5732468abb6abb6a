"""OpenInference spans: flattened lists under `llm.*`, annotations as outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from befit.core.interaction import Interaction, Outcome
from befit.core.record import Json
from befit.interop.log_item import Item
from befit.interop.log_otel import attributes
from befit.interop.log_values import (
    as_text,
    counts,
    dig,
    elapsed,
    finish,
    instant,
    listing,
    mapping,
    message,
    parameters,
    short,
    tools,
)

KIND = "openinference.span.kind"
USAGE = {
    "prompt": "input",
    "completion": "output",
    "prompt_details.cache_read": "cache_read",
    "prompt_details.cache_write": "cache_write",
    "prompt_details.audio": "audio_in",
    "completion_details.reasoning": "reasoning",
}
_NOTES = ("annotations", "evaluations", "trace.annotations", "session.annotations")


def read_span(line: dict[str, Any]) -> Iterator[Item]:
    """One span, flat (`attributes` a mapping) or in OTLP's form."""
    held = attributes(line.get("attributes"))
    tree = unflatten(held)
    context = mapping(line.get("context"))
    span = short(line.get("spanId") or context.get("span_id") or line.get("span_id")) or ""
    trace = short(line.get("traceId") or context.get("trace_id") or line.get("trace_id")) or ""
    key = f"{trace.removeprefix('0x')}:{span.removeprefix('0x')}"
    start = instant(line.get("startTimeUnixNano") or line.get("start_time"))
    end = instant(line.get("endTimeUnixNano") or line.get("end_time"))
    yield from _outcomes(tree, key, end)
    if str(held.get(KIND, "LLM")).upper() != "LLM" or "llm" not in tree:
        return
    llm = mapping(tree["llm"])
    shown = [_message(one) for one in _ordered(llm.get("input_messages"))]
    said = [_message(one) for one in _ordered(llm.get("output_messages"))]
    offered = [dig(one, ("tool", "json_schema")) or one for one in _ordered(llm.get("tools"))]
    timing = {"end": elapsed(start, end)}
    cost = dig(llm, ("cost", "total"))
    answer = said[0] if said else None
    yield Interaction(
        id=key,
        ts=start,
        messages=tuple(shown),
        output=answer.text if answer and (answer.content or not answer.tool_calls) else None,
        tool_calls=answer.tool_calls if answer else (),
        tools=tools([mapping(one) for one in offered]),
        finish_reason=finish(llm.get("finish_reason")),
        requested_model=short(dig(llm, ("request", "model_name"))) or short(llm.get("model_name")),
        served_model=short(dig(llm, ("response", "model_name"))) or short(llm.get("model_name")),
        provider=short(llm.get("provider")) or short(llm.get("system")),
        conversation_id=short(held.get("session.id")),
        usage=counts(mapping(llm.get("token_count")), USAGE),
        timing={name: value for name, value in timing.items() if value is not None},
        cost_usd=None if cost is None else str(cost),
        parameters=parameters(mapping(llm.get("invocation_parameters"))),
        tags={"tags": ",".join(map(str, listing(held.get("tag.tags"))))} if held.get("tag.tags")
        else {},
        source="openinference",
    )  # fmt: skip


def unflatten(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted keys as a tree; list positions stay keys (`_ordered` reads them)."""
    tree: dict[str, Any] = {}
    for key, value in held.items():
        at = tree
        *path, last = key.split(".")
        for step in path:
            inner = at.setdefault(step, {})
            at = inner if isinstance(inner, dict) else at.setdefault(f"{step}.", {})
        at[last] = value
    return tree


def _ordered(value: Json) -> list[Any]:
    if isinstance(value, list):
        return value
    held = value if isinstance(value, dict) else {}
    return [held[key] for key in sorted((k for k in held if k.isdigit()), key=int)]


def _message(value: Json) -> Any:
    held = mapping(mapping(value).get("message")) or mapping(value)
    parts = [
        {"type": inner.get("type", "text"), "text": inner.get("text"),
         "image_url": dig(inner, ("image", "image", "url"))}
        for one in _ordered(held.get("contents"))
        for inner in [mapping(mapping(one).get("message_content"))]
    ]  # fmt: skip
    calls = [mapping(mapping(one).get("tool_call")) for one in _ordered(held.get("tool_calls"))]
    shown = held.get("content")
    return message(
        {
            "role": held.get("role", "user"),
            "content": parts if parts and shown is None else shown,
            "tool_calls": calls,
            "tool_call_id": held.get("tool_call_id"),
            "name": held.get("name"),
        }
    )


def _outcomes(tree: Mapping[str, Any], key: str, when: str) -> Iterator[Item]:
    for name in _NOTES:
        for one in _ordered(dig(tree, name.split("."))):
            note = mapping(mapping(one).get("annotation") or mapping(one).get("evaluation"))
            score, label = note.get("score"), as_text(note.get("name"))
            human = str(note.get("annotator_kind", "")).upper() == "HUMAN"
            yield Outcome(
                ref=key,
                ts=when,
                event="takeover" if label == "human_takeover" else "rating" if human else "check",
                value=float(score) if isinstance(score, int | float) else None,
                label=short(note.get("label")) or label or None,
                actor="human" if human else None,
                comment=short(note.get("explanation")),
            )
