"""A server that closes its connections untold, as llama.cpp's does after a streamed answer."""

from __future__ import annotations

import asyncio

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.message import Message
from befit.targets.openai import OpenAITarget

EVENTS = (
    b'data: {"choices":[{"index":0,"delta":{"content":"ready"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
HEAD = (
    b"HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nKeep-Alive: timeout=5, max=100\r\n\r\n"
)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request, promise to stay, and hang up on the next one."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    await reader.readexactly(length)
    writer.write(HEAD + b"%x\r\n" % len(EVENTS) + EVENTS + b"\r\n0\r\n\r\n")
    await writer.drain()
    await reader.read(1)
    writer.close()


def test_no_call_is_lost_to_a_connection_that_the_server_closes_without_saying_so():
    async def work() -> list[Completion]:
        server = await asyncio.start_server(_serve, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        candidate = Candidate(
            name="m", target="openai", model="m", base_url=f"http://{host}:{port}/v1"
        )
        target = OpenAITarget(candidate)
        request = Request(messages=(Message(role="user", content="Say ready"),))
        try:
            return [await target.generate(request) for _ in range(4)]
        finally:
            await target.aclose()
            server.close()

    assert [answer.text for answer in asyncio.run(work())] == ["ready"] * 4
