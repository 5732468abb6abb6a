"""The chat-completions dialect, requests: a `Request` and a candidate's options into a body."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.completion import Request
from befit.core.message import ImagePart, Message
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
    optional: dict[str, Json] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        max_tokens_field: sampling.max_tokens,
        "stop": list(sampling.stop) or None,
        "reasoning_effort": sampling.reasoning_effort,
        "seed": request.seed if options.send_seed else None,
        "tools": _tools(request) if request.tools else None,
        "response_format": _response_format(request, options),
    }
    body.update({key: value for key, value in optional.items() if value is not None})
    body.update(options.extra_body)
    return body


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


def _response_format(request: Request, options: ChatOptions) -> dict[str, Json] | None:
    if request.response_schema is None or options.response_format == "none":
        return None
    if options.response_format == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "schema": request.response_schema,
            "strict": options.strict_schema,
        },
    }


def _message(message: Message, options: ChatOptions) -> dict[str, Json]:
    role = options.system_role if message.role == "system" else message.role
    said: dict[str, Json] = {"role": role, "content": _content(message)}
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


def _content(message: Message) -> Json:
    if isinstance(message.content, str):
        return message.content
    return [
        {"type": "image_url", "image_url": {"url": part.url}}
        if isinstance(part, ImagePart)
        else {"type": "text", "text": part.text}
        for part in message.content
    ]
