"""Anthropic's messages format as the fake provider speaks it."""

from __future__ import annotations

import orjson

from befit.core.record import Json
from befit.testing.exchange import Answer, Ask, Stream
from befit.testing.faults import HttpFault

_FINISH = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    parts = content or []
    return "\n".join(str(part["text"]) for part in parts if part.get("type") == "text")


def _is_result(message: dict[str, Json]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(p.get("type") == "tool_result" for p in content)


def parse(body: dict[str, Json]) -> Ask:
    """Read a request body.

    Raises:
        ValueError: `messages` or `max_tokens` is missing.
    """
    messages = body.get("messages")
    if not messages:
        raise ValueError("messages: at least one message is required")
    if "max_tokens" not in body:
        raise ValueError("max_tokens: Field required")
    users = [m for m in messages if m.get("role") == "user" and not _is_result(m)]
    choice = body.get("tool_choice") or {}
    must = {"any": "*", "tool": choice.get("name")}.get(choice.get("type", ""))
    form = (body.get("output_config") or {}).get("format") or {}
    system = body.get("system")
    texts = [_text(m.get("content")) for m in messages]
    return Ask(
        prompt=_text(users[-1].get("content")) if users else "",
        model=str(body.get("model", "")),
        body=body,
        texts=tuple(([_text(system)] if system else []) + texts),
        stream=bool(body.get("stream")),
        max_tokens=body["max_tokens"],
        stop=tuple(body.get("stop_sequences") or ()),
        tools=tuple(
            {"name": tool["name"], "parameters": tool.get("input_schema")}
            for tool in body.get("tools") or ()
        ),
        must_call=must,
        after_tool=_is_result(messages[-1]),
        schema=form.get("schema"),
        user=(body.get("metadata") or {}).get("user_id"),
    )


def _output_tokens(answer: Answer) -> int:
    return (
        len(answer.tokens)
        + len(answer.reasoning.split())
        + sum(len(call.arguments) for call in answer.calls) // 4
    )


def _input_usage(input_tokens: int) -> dict[str, Json]:
    return {
        "input_tokens": input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }


def whole(answer: Answer, *, number: int, model: str, input_tokens: int) -> dict[str, Json]:
    """Return the body of an answer that is not streamed."""
    content: list[dict[str, Json]] = []
    if answer.reasoning:
        content.append({"type": "thinking", "thinking": answer.reasoning, "signature": "c2ln"})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    content += [
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{index}",
            "name": call.name,
            "input": orjson.loads(call.arguments),
        }
        for index, call in enumerate(answer.calls)
    ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": _FINISH[answer.finish],
        "stop_sequence": None,
        "usage": _input_usage(input_tokens) | {"output_tokens": _output_tokens(answer)},
    }


def _event(value: dict[str, Json]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (str(value["type"]).encode(), orjson.dumps(value))


def _opened(
    block: dict[str, Json], answer: Answer
) -> tuple[dict[str, Json], list[dict[str, Json]]]:
    if block["type"] == "thinking":
        empty = block | {"thinking": "", "signature": ""}
        return empty, [
            {"type": "thinking_delta", "thinking": answer.reasoning},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    if block["type"] == "text":
        return block | {"text": ""}, [
            {"type": "text_delta", "text": token} for token in answer.tokens
        ]
    arguments = answer.calls[int(block["id"].rpartition("_")[2])].arguments
    half = len(arguments) // 2
    return block | {"input": {}}, [
        {"type": "input_json_delta", "partial_json": part}
        for part in (arguments[:half], arguments[half:])
    ]


def stream(answer: Answer, *, ask: Ask, number: int, model: str, input_tokens: int) -> Stream:
    """Return the events of a streamed answer."""
    del ask  # usage is always sent in this format
    message = whole(answer, number=number, model=model, input_tokens=input_tokens)
    usage = _input_usage(input_tokens) | {"output_tokens": 1}
    opening = message | {"content": [], "stop_reason": None, "usage": usage}
    head = [_event({"type": "message_start", "message": opening}), _event({"type": "ping"})]
    pieces: list[bytes] = []
    for index, block in enumerate(message["content"]):
        empty, deltas = _opened(block, answer)
        opened = _event({"type": "content_block_start", "index": index, "content_block": empty})
        events = [
            _event({"type": "content_block_delta", "index": index, "delta": delta})
            for delta in deltas
        ]
        if not pieces:
            head.append(opened)
        else:
            pieces[-1] += opened
        pieces += events
        pieces[-1] += _event({"type": "content_block_stop", "index": index})
    closing: dict[str, Json] = {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": _output_tokens(answer)},
    }
    return Stream(
        head=head,
        tokens=pieces,
        finish=[_event(closing)],
        usage=[],
        done=[_event({"type": "message_stop"})],
    )


def error(fault: HttpFault, message: str | None = None) -> dict[str, Json]:
    """Return the body of an error."""
    return {
        "type": "error",
        "error": {"type": fault.anthropic, "message": message or fault.message},
    }


def error_event(fault: HttpFault) -> bytes:
    """Return an error inside a stream."""
    return _event(error(fault))


def models(names: tuple[str, ...]) -> dict[str, Json]:
    """Return the list of models."""
    return {
        "data": [
            {
                "id": name,
                "type": "model",
                "display_name": name,
                "created_at": "2026-01-01T00:00:00Z",
            }
            for name in names
        ],
        "has_more": False,
        "first_id": names[0] if names else None,
        "last_id": names[-1] if names else None,
    }
