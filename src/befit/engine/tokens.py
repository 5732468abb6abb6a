"""How many tokens a request can have, without anybody's tokenizer.

Two different questions, two different answers: what it will probably be (for
the plan, as a range) and what it can be at most (for the spend cap, where an
estimate would let it overshoot). Every tokenizer in use makes at most one token
of one byte, so the bytes are a true upper bound of a text.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.fingerprint import canonical_json
from befit.core.message import ImagePart, Message, Tool
from befit.core.record import Json

PER_MESSAGE = 16
"""Upper bound of what chat templates put around one message."""
PER_IMAGE = 40_000
"""Upper bound of one image at the most detailed setting of known providers."""
OUTPUT_WHEN_UNSET = 128_000
"""Upper bound of an answer without `max_tokens`."""
_BYTES_PER_TOKEN = (6.0, 2.0)


def request_size(messages: Sequence[Message]) -> tuple[int, int]:
    """Return (bytes of text in the messages, number of images)."""
    size = images = 0
    for message in messages:
        content = message.content
        if isinstance(content, str):
            size += utf8_size(content)
        else:
            for part in content:
                if isinstance(part, ImagePart):
                    images += 1
                else:
                    size += utf8_size(part.text)
        for call in message.tool_calls:
            size += utf8_size(call.name) + utf8_size(call.arguments) + PER_MESSAGE
    return size, images


def static_size(tools: Sequence[Tool], response_schema: Json) -> int:
    """Return the bytes that tools and schema add to every request."""
    size = sum(utf8_size(canonical_json(tool.model_dump(mode="json"))) for tool in tools)
    return size + (utf8_size(canonical_json(response_schema)) if response_schema else 0)


def input_bound(messages: Sequence[Message], *, static: int = 0) -> int:
    """Return an upper bound of the input tokens; `static` is from `static_size`."""
    size, images = request_size(messages)
    return size + static + PER_MESSAGE * len(messages) + PER_IMAGE * images


def input_range(messages: Sequence[Message], *, static: int = 0) -> tuple[float, float]:
    """Return a probable range of the input tokens, for a plan (6 to 2 bytes per token)."""
    size, images = request_size(messages)
    low, high = text_range(size + static, messages=len(messages))
    return low + 85 * images, high + 3_000 * images


def text_range(size: int, *, messages: int) -> tuple[float, float]:
    """Return a probable range of the input tokens of some messages of `size` bytes in all."""
    few, many = _BYTES_PER_TOKEN
    return size / few, size / many + PER_MESSAGE * messages


def utf8_size(text: str) -> int:
    """Return the bytes of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
