"""A tiny HTTP server that sends exact bytes, in exact pieces, with exact pauses."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CUT = object()
"""In a list of pieces: drop the connection here, without ending the response."""


@dataclass
class Answer:
    """What the server does with one request: pieces are bytes, pauses in seconds, or CUT."""

    pieces: list[Any]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Served:
    """The running server: its base URL and what it was asked."""

    url: str
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    peers: list[Any] = field(default_factory=list)


def event(value: Any, *, end: bytes = b"\n\n") -> bytes:
    data = value if isinstance(value, bytes) else orjson.dumps(value)
    return b"data: " + data + end


def delta(content: Any = None, *, finish: str | None = None, **more: Any) -> dict[str, Any]:
    said = {**({} if content is None else {"content": content}), **more}
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "model": "m-2026",
        "choices": [{"index": 0, "delta": said, "finish_reason": finish}],
    }


DONE = event(b"[DONE]")


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[Served]:
    """Serve `answers` in order (the last one for ever) on 127.0.0.1."""
    served = Served(url="")

    async def handle(request: web.Request) -> web.StreamResponse:
        answer = answers[min(len(served.bodies), len(answers) - 1)]
        served.bodies.append(orjson.loads(await request.read()))
        served.headers.append({k.lower(): v for k, v in request.headers.items()})
        served.paths.append(request.path_qs)
        served.peers.append(request.transport.get_extra_info("peername"))
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        response.content_type = answer.content_type
        await response.prepare(request)
        for piece in answer.pieces:
            if piece is CUT:
                request.transport.abort()
                return response
            if isinstance(piece, bytes):
                await response.write(piece)
            else:
                await asyncio.sleep(piece)
        await response.write_eof()
        return response

    app = web.Application()
    app.router.add_post("/{tail:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    served.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()
