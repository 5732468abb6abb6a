"""OpenAI's chat-completions format as the fake provider speaks it."""

from __future__ import annotations

import orjson

from befit.core.record import Json
from befit.testing.exchange import Answer, Ask, Stream
from befit.testing.faults import HttpFault


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    parts = content or []
    return "\n".join(str(part["text"]) for part in parts if part.get("type") == "text")


def parse(body: dict[str, Json]) -> Ask:
    """Read a request body.

    Raises:
        ValueError: `messages` is missing or empty.
    """
    messages = body.get("messages")
    if not messages:
        raise ValueError("messages: at least one message is required")
    users = [m for m in messages if m.get("role") == "user"]
    stop = body.get("stop") or ()
    choice = body.get("tool_choice")
    must = "*" if choice == "required" else None
    if isinstance(choice, dict):
        must = choice.get("function", {}).get("name")
    form = body.get("response_format") or {}
    return Ask(
        prompt=_text(users[-1].get("content")) if users else "",
        model=str(body.get("model", "")),
        body=body,
        texts=tuple(_text(m.get("content")) for m in messages),
        stream=bool(body.get("stream")),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        tools=tuple(tool["function"] for tool in body.get("tools") or ()),
        must_call=must,
        after_tool=messages[-1].get("role") == "tool",
        schema=(form.get("json_schema") or {}).get("schema"),
        seed=body.get("seed"),
        user=body.get("user"),
    )


def _calls(answer: Answer, number: int, *, indexed: bool) -> list[dict[str, Json]]:
    return [
        ({"index": index} if indexed else {})
        | {
            "id": f"call_{number}_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(answer.calls)
    ]


def _usage(answer: Answer, input_tokens: int) -> dict[str, Json]:
    reasoning = len(answer.reasoning.split())
    output = len(answer.tokens) + reasoning + sum(len(c.arguments) for c in answer.calls) // 4
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output,
        "total_tokens": input_tokens + output,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def whole(answer: Answer, *, number: int, model: str, input_tokens: int) -> dict[str, Json]:
    """Return the body of an answer that is not streamed."""
    content = None if answer.calls and not answer.text else answer.text
    message: dict[str, Json] = {"role": "assistant", "content": content}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = _calls(answer, number, indexed=False)
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "system_fingerprint": f"fp_{model}",
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish}
        ],
        "usage": _usage(answer, input_tokens),
    }


def _event(value: Json) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def stream(answer: Answer, *, ask: Ask, number: int, model: str, input_tokens: int) -> Stream:
    """Return the events of a streamed answer; usage only where `stream_options` asks for it."""
    base = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": model,
        "system_fingerprint": f"fp_{model}",
    }

    def chunk(delta: dict[str, Json], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event(base | {"choices": [choice]})

    pieces = [chunk({"reasoning_content": answer.reasoning})] if answer.reasoning else []
    pieces += [chunk({"content": token}) for token in answer.tokens]
    for call in _calls(answer, number, indexed=True):
        arguments = str(call["function"]["arguments"])
        half = len(arguments) // 2
        opened = call | {"function": call["function"] | {"arguments": ""}}
        pieces.append(chunk({"tool_calls": [opened]}))
        pieces += [
            chunk({"tool_calls": [{"index": call["index"], "function": {"arguments": part}}]})
            for part in (arguments[:half], arguments[half:])
        ]
    asked = (ask.body.get("stream_options") or {}).get("include_usage")
    usage = [_event(base | {"choices": [], "usage": _usage(answer, input_tokens)})]
    return Stream(
        head=[chunk({"role": "assistant", "content": ""})],
        tokens=pieces,
        finish=[chunk({}, answer.finish)],
        usage=usage if asked else [],
        done=[b"data: [DONE]\n\n"],
    )


def error(fault: HttpFault, message: str | None = None) -> dict[str, Json]:
    """Return the body of an error."""
    kind = "invalid_request_error" if fault.status < 429 else fault.openai  # noqa: PLR2004 (HTTP)
    return {
        "error": {
            "message": message or fault.message,
            "type": kind,
            "param": fault.param,
            "code": fault.openai,
        }
    }


def error_event(fault: HttpFault) -> bytes:
    """Return an error inside a stream."""
    return _event(error(fault))


def models(names: tuple[str, ...]) -> dict[str, Json]:
    """Return the list of models."""
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "befit"}
            for name in names
        ],
    }
