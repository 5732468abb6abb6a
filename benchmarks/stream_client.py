"""CPU per streamed answer: befit's chat target against a bare aiohttp loop that parses the same.

    python benchmarks/stream_client.py [requests] [concurrency]

Both read 100-chunk answers of the same server (a process of its own) side by
side in one run; only the ratio of CPU times counts, on a shared machine too.
The bare loop does what any client must: splits events, parses JSON, joins text.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import statistics
import string
import sys
import time
from typing import TYPE_CHECKING

import aiohttp
import orjson

from befit.core.candidate import Candidate
from befit.core.completion import Request
from befit.core.message import Message
from befit.targets.openai import OpenAITarget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from multiprocessing.connection import Connection

CHUNKS = 100
ROUNDS = 7


def chunk(content: str, *, finish: str | None = None, padding: str = "") -> bytes:
    """One event as OpenAI sends it; with `padding` no two have the same envelope."""
    choice = {"index": 0, "delta": {"content": content}, "logprobs": None, "finish_reason": finish}
    value = {
        "id": "chatcmpl-123456789",
        "object": "chat.completion.chunk",
        "created": 1790000000,
        "model": "m-2026",
        "system_fingerprint": "fp_1",
        "choices": [choice],
    }
    if padding:
        value["obfuscation"] = padding
    return b"data: " + orjson.dumps(value) + b"\n\n"


def server(gap: float, padded: bool, pipe: Connection) -> None:  # noqa: FBT001 - of a process
    """Answer every request with 100 chunks, `gap` seconds apart (0: all together).

    `padded`: each holds a random string of another length, as providers hide lengths.
    """
    rng = random.Random(7)
    letters = string.ascii_letters + string.digits
    pads = [
        "".join(rng.choices(letters, k=rng.randint(1, 16))) if padded else "" for _ in range(CHUNKS)
    ]
    pieces = [chunk(f" word{i}", padding=pads[i]) for i in range(CHUNKS - 1)]
    pieces.append(chunk("", finish="stop", padding=pads[-1]))
    done = b"data: [DONE]\n\n"
    if not gap:
        pieces = [b"".join(pieces) + done]
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )

    def framed(data: bytes) -> bytes:
        return f"{len(data):x}\r\n".encode() + data + b"\r\n"

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = int(request.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(head)
                for piece in pieces:
                    if gap:
                        await asyncio.sleep(gap)
                    writer.write(framed(piece))
                writer.write((framed(done) if gap else b"") + b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        serving = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=1024)
        pipe.send(serving.sockets[0].getsockname()[1])
        await serving.serve_forever()

    asyncio.run(main())


async def bare(session: aiohttp.ClientSession, url: str) -> str:
    """The least a streaming client can do with aiohttp, first-token time included."""
    body = orjson.dumps(
        {
            "model": "m",
            "messages": [{"role": "user", "content": "hello"}],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    )
    pieces: list[str] = []
    first = 0.0
    rest = b""
    headers = {"Content-Type": "application/json"}
    async with session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
        async for data in response.content.iter_any():
            *events, rest = (rest + data).split(b"\n\n")
            for event in events:
                payload = event.removeprefix(b"data: ")
                if payload == b"[DONE]":
                    continue
                for choice in orjson.loads(payload)["choices"]:
                    content = choice["delta"].get("content")
                    if content:
                        first = first or time.monotonic()
                        pieces.append(content)
    return "".join(pieces)


async def spent(call: Callable[[], Awaitable[object]], count: int, concurrency: int) -> float:
    """CPU milliseconds of this process for each call."""
    waiting = iter(range(count))

    async def worker() -> None:
        for _ in waiting:
            await call()

    start = time.process_time()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return (time.process_time() - start) / count * 1000


async def measure(url: str, count: int, concurrency: int) -> tuple[float, float, float]:
    """Median CPU ms of the bare loop and of befit, and the median of their ratios."""
    target = OpenAITarget(Candidate(name="b", target="openai", model="m", base_url=url))
    request = Request(messages=(Message(role="user", content="hello"),))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        if await bare(session, url) != (await target.generate(request)).text:
            raise SystemExit("the two clients read different answers")
        pairs = []
        for _ in range(ROUNDS):
            raw = await spent(lambda: bare(session, url), count, concurrency)
            own = await spent(lambda: target.generate(request), count, concurrency)
            pairs.append((raw, own))
    await target.aclose()
    middle = statistics.median
    return (
        middle(p[0] for p in pairs),
        middle(p[1] for p in pairs),
        middle(p[1] / p[0] for p in pairs),
    )


def main() -> None:
    """Print one line for each pacing."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    concurrency = int(sys.argv[2]) if len(sys.argv) > 2 else 50  # noqa: PLR2004 - the second word
    for name, gap, padded in (
        ("together", 0.0, False),
        ("paced 5 ms", 0.005, False),
        ("padded together", 0.0, True),
        ("padded paced", 0.005, True),
    ):
        here, there = multiprocessing.Pipe()
        process = multiprocessing.Process(target=server, args=(gap, padded, there), daemon=True)
        process.start()
        url = f"http://127.0.0.1:{here.recv()}/v1"
        raw, own, ratio = asyncio.run(measure(url, count, concurrency))
        process.terminate()
        print(f"{name:16} aiohttp {raw:.2f} ms  befit {own:.2f} ms CPU per stream  x{ratio:.2f}")


if __name__ == "__main__":
    main()
