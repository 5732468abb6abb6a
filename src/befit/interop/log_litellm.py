"""LiteLLM: rows of the spend log, and the callback's logging payload.

Traps: prompt and answer are empty unless the proxy stores prompts; the time of
the first token equals the end where the answer was not streamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from befit.core.interaction import Interaction
from befit.interop.log_item import Half, Item
from befit.interop.log_openai import USAGE, answered, tags
from befit.interop.log_values import (
    counts,
    elapsed,
    instant,
    listing,
    mapping,
    messages,
    parameters,
    short,
    tools,
)

_CHATS = frozenset({"completion", "acompletion", "aresponses", "responses", "anthropic_messages",
                    "text_completion", "atext_completion", ""})  # fmt: skip


def read_row(line: dict[str, Any]) -> Iterator[Item]:
    """One call the proxy made."""
    if str(line.get("call_type") or "") not in _CHATS:
        return
    start, end = instant(line.get("startTime")), instant(line.get("endTime"))
    first = instant(line.get("completionStartTime"))
    timing = {"end": elapsed(start, end), "first_token": elapsed(start, first)}
    if first == end:
        timing.pop("first_token")
    response = mapping(line.get("response"))
    facts = answered(response) if response.get("choices") or response.get("output") else {}
    facts.pop("ts", None)
    shown = messages(line.get("messages") or None)
    meta, settings = mapping(line.get("metadata")), mapping(line.get("model_parameters"))
    failed = str(line.get("status", "success")) == "failure"
    cost = line.get("spend", line.get("response_cost"))
    labels = listing(line.get("request_tags"))
    made = Interaction(
        **{
            "id": short(line.get("request_id") or line.get("id")) or "",
            "ts": start,
            "messages": shown,
            "usage": counts(line, USAGE),
            "requested_model": short(line.get("model_group")) or short(line.get("model")),
            "served_model": short(line.get("model")),
            "provider": short(line.get("custom_llm_provider")),
            "conversation_id": short(line.get("session_id") or line.get("trace_id")),
            "timing": {name: value for name, value in timing.items() if value is not None},
            "cost_usd": None if cost is None else str(cost),
            "error_class": "server" if failed else None,
            "parameters": parameters(settings),
            "tools": tools(settings.get("tools") or meta.get("tools")),
            "tags": {"request_tags": ",".join(map(str, labels)), **tags(meta.get("tags"))}
            if labels
            else tags(meta.get("tags")),
            "source": "litellm",
            **{name: value for name, value in facts.items() if value not in (None, (), {})},
        }
    )
    if shown:
        yield made
    else:
        yield Half(interaction=made, join=f"litellm:{made.id}", side="span")
