"""Logs in OpenAI's shapes: request/response pairs, fine-tuning, batches, stored completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from befit.core.interaction import Interaction
from befit.core.message import Message
from befit.core.record import Json
from befit.interop.log_item import Half, Item, LogError
from befit.interop.log_values import (
    content,
    counts,
    dig,
    finish,
    instant,
    listed_messages,
    mapping,
    message,
    messages,
    parameters,
    short,
    tool_calls,
    tools,
)

USAGE = {
    "prompt_tokens": "input",
    "input_tokens": "input",
    "completion_tokens": "output",
    "output_tokens": "output",
    "prompt_tokens_details.cached_tokens": "cache_read",
    "input_tokens_details.cached_tokens": "cache_read",
    "prompt_tokens_details.cache_write_tokens": "cache_write",
    "prompt_tokens_details.audio_tokens": "audio_in",
    "prompt_tokens_details.image_tokens": "image_in",
    "completion_tokens_details.reasoning_tokens": "reasoning",
    "output_tokens_details.reasoning_tokens": "reasoning",
}
"""Where the chat API counts tokens -> befit's names. `input` includes what was cached."""
_TAGS = 20
_LONGEST_TAG = 100
_ERRORS = {401: "auth", 403: "auth", 402: "billing", 404: "not_found", 408: "timeout_total",
           429: "rate_limited", 503: "overloaded"}  # fmt: skip
_SERVER, _CLIENT = 500, 400


def tags(value: Json) -> dict[str, str]:
    """Return the short texts of a metadata mapping; long or nested ones are left out."""
    kept: dict[str, str] = {}
    for key, item in mapping(value).items():
        if isinstance(item, str | int | float) and len(str(item)) <= _LONGEST_TAG:
            kept[str(key)[:_LONGEST_TAG]] = str(item)
    return dict(list(kept.items())[:_TAGS])


def asked(body: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a request body of the chat or the responses API."""
    shown = listed_messages(body["messages"]) if "messages" in body else _responses_input(body)
    own = tags(body.get("metadata"))
    return {
        "messages": shown,
        "tools": tools(body.get("tools")),
        "requested_model": short(body.get("model")),
        "parameters": parameters(body),
        "tags": own,
        "conversation_id": own.get("conversation_id") or own.get("session_id"),
    }


def _responses_input(body: dict[str, Any]) -> tuple[Message, ...]:
    value = body.get("input")
    if isinstance(value, list):
        value = [one for one in value if isinstance(one, dict) and "role" in one]
    instructions = body.get("instructions")
    head = (Message(role="system", content=instructions),) if isinstance(instructions, str) else ()
    return head + messages(value)


def answered(body: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a chat completion (the first choice) or a response.

    Raises:
        LogError: it is neither, nor an error.
    """
    if isinstance(body.get("error"), dict):
        return {"error_class": _error(body["error"].get("status") or body["error"].get("code"))}
    found = {
        "served_model": short(body.get("model")),
        "usage": counts(mapping(body.get("usage")), USAGE),
        "ts": instant(body.get("created", body.get("created_at"))),
    }
    if isinstance(body.get("output"), list):
        return {**found, **_responses_output(body["output"]), "finish_reason": _status(body)}
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise LogError("an answer without choices")
    said = mapping(choices[0].get("message"))
    text = content(said.get("content")) if said.get("content") is not None else said.get("refusal")
    return {
        **found,
        "output": text if isinstance(text, str) else None,
        "tool_calls": tool_calls(said.get("tool_calls"), said.get("function_call")),
        "finish_reason": finish(choices[0].get("finish_reason")),
    }


def _responses_output(entries: list[Any]) -> dict[str, Any]:
    texts = [
        content(entry.get("content"))
        for entry in entries
        if isinstance(entry, dict) and entry.get("type", "message") == "message"
    ]
    calls = [
        {"id": entry.get("call_id"), "name": entry.get("name"), "arguments": entry.get("arguments")}
        for entry in entries
        if isinstance(entry, dict) and entry.get("type") == "function_call"
    ]
    said = "\n".join(text for text in texts if isinstance(text, str))
    return {"output": said if texts else None, "tool_calls": tool_calls(calls)}


def _status(body: dict[str, Any]) -> str | None:
    return "stop" if body.get("status") == "completed" else finish(
        dig(body, ("incomplete_details", "reason"))
    )  # fmt: skip


def _error(status: Json) -> str:
    if isinstance(status, int):
        if status in _ERRORS:
            return _ERRORS[status]
        return "server" if status >= _SERVER else "bad_request"
    known = {"content_filter": "content_filter", "context_length_exceeded": "context_length",
             "rate_limit_exceeded": "rate_limited", "model_not_found": "not_found"}  # fmt: skip
    return known.get(str(status), "bad_request")


def _made(source: str, **facts: Any) -> Interaction:
    facts.setdefault("ts", "")
    facts["id"] = facts.get("id") or ""
    return Interaction(**{**facts, "source": source})


def read_pair(line: dict[str, Any]) -> Iterator[Item]:
    """`{"request": {...}, "response": {...}, "meta": {...}}`."""
    request, response = line.get("request"), line.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict):
        raise LogError("a pair without 'request' and 'response'")
    meta = tags(line.get("meta"))
    facts = {**asked(request), **_with_error(response)}
    facts["tags"] = {**facts["tags"], **meta}
    own = mapping(line.get("meta"))
    facts["ts"] = instant(own.get("ts")) or facts.get("ts", "")
    yield _made(
        "openai-chat",
        **{
            **facts,
            "id": short(line.get("id")) or short(response.get("id")) or short(own.get("id")),
            "conversation_id": short(own.get("conversation_id")) or facts["conversation_id"],
            "route": short(own.get("route")),
            "channel": short(own.get("channel")),
            "config_id": short(own.get("config_id")),
        },
    )


def _with_error(response: dict[str, Any]) -> dict[str, Any]:
    body = response.get("body") if isinstance(response.get("body"), dict) else response
    status = response.get("status_code")
    if isinstance(status, int) and status >= _CLIENT:
        return {"error_class": _error(status)}
    return answered(mapping(body))


def read_fine_tune(line: dict[str, Any]) -> Iterator[Item]:
    """`{"messages": [...], "tools": [...]}`: the last assistant message is what was answered."""
    shown = messages(line["messages"])
    if not shown:
        raise LogError("no messages")
    last = shown[-1] if shown[-1].role == "assistant" else None
    yield _made(
        "openai-fine-tune",
        id=short(line.get("id")),
        messages=shown[:-1] if last else shown,
        output=last.text if last else None,
        tool_calls=last.tool_calls if last else (),
        tools=tools(line.get("tools")),
        tags=tags(line.get("metadata")),
        ts=instant(line.get("ts", line.get("created"))),
        conversation_id=short(line.get("conversation_id")),
    )


def read_batch_input(line: dict[str, Any]) -> Iterator[Item]:
    """One request of a batch; its answer stands in another file under the same `custom_id`."""
    body = line.get("body")
    if not isinstance(body, dict):
        raise LogError("a batch request without 'body'")
    whole = _made("openai-batch", **asked(body))
    yield Half(interaction=whole, join=f"batch:{line['custom_id']}", side="asked")


def read_batch_output(line: dict[str, Any]) -> Iterator[Item]:
    """One answer of a batch, or its error."""
    response, failed = line.get("response"), line.get("error")
    if isinstance(response, dict):
        facts = _with_error(response)
        made_id = short(dig(response, ("body", "id"))) or short(line.get("id"))
    elif isinstance(failed, dict):
        facts, made_id = {"error_class": "server"}, short(line.get("id"))
    else:
        raise LogError("a batch answer with neither 'response' nor 'error'")
    whole = _made("openai-batch", id=made_id, messages=(), **facts)
    yield Half(interaction=whole, join=f"batch:{line['custom_id']}", side="answered")


def read_stored(line: dict[str, Any]) -> Iterator[Item]:
    """A stored chat completion; its messages are a second call and come under its id."""
    made_id = short(line.get("id"))
    facts = answered(line)
    if made_id is None:
        raise LogError("a stored completion without an id")
    request = {
        "tools": line.get("tools"),  # the model that was asked for is not told, only who served
        **{name: line.get(name) for name in ("temperature", "top_p", "seed", "metadata")},
    }
    own = asked({**request, "messages": []})
    whole = _made("openai-stored", **{**own, **facts, "id": made_id, "messages": ()})
    yield Half(interaction=whole, join=f"stored:{made_id}", side="answered")


def read_stored_messages(line: dict[str, Any]) -> Iterator[Item]:
    """The messages of a stored completion: the list a call returns, or one message of it."""
    entries = line["data"] if isinstance(line.get("data"), list) else [line]
    grouped: dict[str, list[Message]] = {}
    for entry in entries:
        owner = str(entry.get("id") or "").rpartition("-")[0] if isinstance(entry, dict) else ""
        if not owner:
            raise LogError("a stored message without an id")
        shown = {**entry, "content": entry.get("content") or entry.get("content_parts")}
        shown.pop("name", None)
        grouped.setdefault(owner, []).append(message(shown))
    for owner, held in grouped.items():
        whole = _made("openai-stored", messages=tuple(held))
        yield Half(interaction=whole, join=f"stored:{owner}", side="asked")
