"""The benchmark's provider: one canned answer over a bare protocol, a few microseconds each.

It reads just enough HTTP for a well-behaved client on a kept-alive connection:
the length of the body and whether it asks for a stream. No faults, no records.
"""

from __future__ import annotations

import asyncio
from functools import partial

import orjson

from befit.testing import openai_wire
from befit.testing.exchange import Answer, Ask, tokens
from befit.testing.script import Script

_INPUT_TOKENS = 20


def _head(kind: bytes, length: int) -> bytes:
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
        b"x-request-id: req_fast\r\n\r\n" % (kind, length)
    )


def canned(script: Script) -> tuple[bytes, bytes]:
    """Return the whole HTTP response to an unstreamed and to a streamed request."""
    text = script.answer or "42"
    answer = Answer(text=text, tokens=tokens(text))
    ask = Ask(prompt="", model="", body={"stream_options": {"include_usage": True}})
    model = next(iter(script.models), "fake-model")
    body = orjson.dumps(
        openai_wire.whole(answer, number=0, model=model, input_tokens=_INPUT_TOKENS)
    )
    parts = openai_wire.stream(answer, ask=ask, number=0, model=model, input_tokens=_INPUT_TOKENS)
    events = b"".join(parts.head + parts.tokens + parts.finish + parts.usage + parts.done)
    return (
        _head(b"application/json", len(body)) + body,
        _head(b"text/event-stream", len(events)) + events,
    )


class _Connection(asyncio.Protocol):
    def __init__(self, plain: bytes, streamed: bytes, delay: float) -> None:
        self._plain = plain
        self._streamed = streamed
        self._delay = delay
        self._waiting = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while (end := self._waiting.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._waiting[:end]).lower()
            _, found, rest = head.partition(b"content-length:")
            length = int(rest.partition(b"\r\n")[0]) if found else 0
            if len(self._waiting) < end + 4 + length:
                return
            body = bytes(self._waiting[end + 4 : end + 4 + length])
            del self._waiting[: end + 4 + length]
            streamed = b'"stream":true' in body or b'"stream": true' in body
            self._answer(self._streamed if streamed else self._plain)

    def _answer(self, response: bytes) -> None:
        if self._delay:
            asyncio.get_running_loop().call_later(self._delay, self._write, response)
        else:
            self._write(response)

    def _write(self, response: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(response)


async def serve_fast(script: Script, *, port: int = 0) -> int:
    """Serve canned answers on 127.0.0.1 and return the port.

    Each is sent `script.first_token.seconds` after its request.
    """
    plain, streamed = canned(script)
    factory = partial(_Connection, plain, streamed, script.first_token.seconds)
    server = await asyncio.get_running_loop().create_server(
        factory, "127.0.0.1", port, backlog=1024
    )
    return int(server.sockets[0].getsockname()[1])
