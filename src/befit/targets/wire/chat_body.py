"""The chat-completions dialect, requests: a `Request` and a candidate's options into a body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from befit.core.candidate import Sampling
from befit.core.completion import Request
from befit.core.message import ImagePart, Message, Part
from befit.core.record import Json, Record


class ChatOptions(Record):
    """`options` of an `openai` candidate: how this endpoint differs from the common form.

    `extra_body` is merged into the body last and wins. `headers` are sent as
    they are; their values are treated as secrets.
    """

    extra_body: dict[str, Json] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict)
    max_tokens_field: str | None = None
    """None: `max_completion_tokens` at api.openai.com, `max_tokens` elsewhere."""
    stream_usage: bool = True
    """Ask for token counts in streams; some providers refuse `stream_options`."""
    send_seed: bool = True
    """Some providers refuse `seed`."""
    system_role: Literal["system", "developer", "user"] = "system"
    response_format: Literal["json_schema", "json_object", "none"] = "json_schema"
    """How a response schema is asked for; `none` leaves it to the prompt."""
    strict_schema: bool = True
    azure_api_version: str | None = None
    """Set for Azure: the key goes into `api-key`, the version into the query."""
    path: str = "/chat/completions"


def chat_body(
    request: Request, *, model: str, options: ChatOptions, max_tokens_field: str
) -> dict[str, Json]:
    """Return the JSON body of `request`. Settings left at None are not sent."""
    sampling = request.sampling
    body: dict[str, Json] = {
        "model": model,
        "messages": [_message(message, options) for message in request.messages],
        "stream": request.stream,
    }
    if request.stream and options.stream_usage:
        body["stream_options"] = {"include_usage": True}
    _sample(body, sampling, max_tokens_field)
    if request.seed is not None and options.send_seed:
        body["seed"] = request.seed
    if request.tools:
        body["tools"] = _tools(request)
    if request.response_schema is not None:
        shape = _response_format(request.response_schema, options)
        if shape is not None:
            body["response_format"] = shape
    if options.extra_body:
        body.update(options.extra_body)
    return body


def _sample(body: dict[str, Json], sampling: Sampling, max_tokens_field: str) -> None:
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.max_tokens is not None:
        body[max_tokens_field] = sampling.max_tokens
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.reasoning_effort is not None:
        body["reasoning_effort"] = sampling.reasoning_effort


def _tools(request: Request) -> list[dict[str, Json]]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters or {"type": "object", "properties": {}},
            },
        }
        for tool in request.tools
    ]


def _response_format(schema: dict[str, Json], options: ChatOptions) -> dict[str, Json] | None:
    if options.response_format == "none":
        return None
    if options.response_format == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": schema,
            "strict": options.strict_schema,
        },
    }


def _message(message: Message, options: ChatOptions) -> dict[str, Json]:
    role, content = message.role, message.content
    said: dict[str, Json] = {
        "role": options.system_role if role == "system" else role,
        "content": content if isinstance(content, str) else _parts(content),
    }
    if message.name:
        said["name"] = message.name
    if message.tool_call_id:
        said["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        said["content"] = said["content"] or None
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    return said


def _parts(content: Sequence[Part]) -> list[Json]:
    return [
        {"type": "image_url", "image_url": {"url": part.url}}
        if isinstance(part, ImagePart)
        else {"type": "text", "text": part.text}
        for part in content
    ]
