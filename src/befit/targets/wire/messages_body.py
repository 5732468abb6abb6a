"""Anthropic's Messages dialect, requests: a `Request` and a candidate's options into a body.

The dialect has no seed, wants `max_tokens`, keeps the system prompt apart, and
answers tools with a user message. A response schema becomes a tool that must be
called (`ANSWER_TOOL`); the target turns its input back into the answer's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson
from pydantic import Field

from befit.core.completion import Request
from befit.core.message import ImagePart, Message
from befit.core.record import Json, Record

DEFAULT_MAX_TOKENS = 4096
"""Sent where the candidate states no limit, because the dialect demands one."""

ANSWER_TOOL = "answer"
"""Name of the tool that stands for a response schema."""


class MessagesOptions(Record):
    """`options` of an `anthropic` candidate.

    `extra_body` (for instance `thinking`) is merged into the body last and
    wins. `headers` are sent as they are; their values are treated as secrets.
    """

    extra_body: dict[str, Json] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict)
    version: str = "2023-06-01"


def messages_body(request: Request, *, model: str, options: MessagesOptions) -> dict[str, Json]:
    """Return the JSON body of `request`. Settings left at None are not sent."""
    sampling = request.sampling
    system = "\n\n".join(m.text for m in request.messages if m.role == "system")
    effort = sampling.reasoning_effort
    body: dict[str, Json] = {
        "model": model,
        "max_tokens": sampling.max_tokens or DEFAULT_MAX_TOKENS,
        "messages": list(_turns(request.messages)),
        "stream": request.stream,
    }
    optional: dict[str, Json] = {
        "system": system or None,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "stop_sequences": list(sampling.stop) or None,
        "output_config": None if effort is None else {"effort": effort},
        "tools": _tools(request) or None,
        "tool_choice": _choice(request),
    }
    body.update({key: value for key, value in optional.items() if value is not None})
    return {**body, **options.extra_body}


def _tools(request: Request) -> list[dict[str, Json]]:
    tools: list[dict[str, Json]] = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.parameters or {"type": "object", "properties": {}},
        }
        for tool in request.tools
    ]
    if request.response_schema is not None:
        tools.append(
            {
                "name": ANSWER_TOOL,
                "description": "Give the final answer in this form.",
                "input_schema": request.response_schema,
            }
        )
    return tools


def _choice(request: Request) -> dict[str, Json] | None:
    if request.response_schema is None:
        return None
    # With other tools about, the model may use them first; alone, the answer is forced.
    return {"type": "any"} if request.tools else {"type": "tool", "name": ANSWER_TOOL}


def _turns(messages: Sequence[Message]) -> Iterator[dict[str, Json]]:
    results: list[Json] = []
    for message in messages:
        if message.role == "system":
            continue
        if message.role == "tool":
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": message.tool_call_id or "",
                    "content": message.text,
                }
            )
            continue
        if results:
            yield {"role": "user", "content": results}
            results = []
        yield {"role": message.role, "content": _content(message)}
    if results:
        yield {"role": "user", "content": results}


def _content(message: Message) -> Json:
    if isinstance(message.content, str) and not message.tool_calls:
        return message.content
    blocks: list[Json] = []
    if isinstance(message.content, str):
        blocks += [{"type": "text", "text": message.content}] if message.content else []
    else:
        for part in message.content:
            if isinstance(part, ImagePart):
                kind, _, data = part.url.removeprefix("data:").partition(";base64,")
                source = {"type": "base64", "media_type": kind, "data": data}
                blocks.append({"type": "image", "source": source})
            else:
                blocks.append({"type": "text", "text": part.text})
    for call in message.tool_calls:
        blocks.append(
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": _input(call.arguments),
            }
        )
    return blocks


def _input(arguments: str) -> dict[str, Json]:
    """The dialect takes objects only; what a model wrote otherwise is shown to it as it was."""
    try:
        value = orjson.loads(arguments or "{}")
    except orjson.JSONDecodeError:
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}
