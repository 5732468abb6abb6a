"""A fake provider: real HTTP on 127.0.0.1, OpenAI's and Anthropic's APIs, named faults.

    with FakeProvider(Script(rates={"429": 0.06})) as provider:
        candidate = Candidate(name="a", target="openai", base_url=provider.base_url)
        ...
        assert len(provider.requests) == 10

The server runs in a thread with an event loop of its own, so that it serves
both synchronous and asynchronous clients of the same process. For tests which
kill things, `FakeProcess` runs `python -m befit.testing` instead.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from befit.core.record import Json
from befit.testing.exchange import AnswerFunction
from befit.testing.handler import Handler, Recorded
from befit.testing.script import Script

READY_WITHIN = 120.0
"""Seconds until a provider in a thread must serve; a loaded machine takes its time."""


async def serve(handler: Handler, *, port: int = 0) -> tuple[web.AppRunner, int]:
    """Start serving on 127.0.0.1; return the runner (to clean up) and the port."""
    runner = web.AppRunner(
        handler.application(), access_log=None, handler_cancellation=True, shutdown_timeout=0.05
    )
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    await site.start()
    return runner, int(runner.addresses[0][1])


class FakeProvider:
    """A fake provider in a thread; use it as a context manager."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        answer: AnswerFunction | None = None,
        log: Path | None = None,
        port: int = 0,
    ) -> None:
        self.handler = Handler(script or Script(), answer=answer, log=log)
        self._wanted = port
        self._port = 0
        self._ready = threading.Event()
        self._problem: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="fake-provider", daemon=True)

    @property
    def url(self) -> str:
        """The root, as Anthropic's clients want it."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """The root with `/v1`, as OpenAI's clients want it."""
        return f"{self.url}/v1"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, in order of arrival."""
        return self.handler.requests

    def __enter__(self) -> Self:
        self._thread.start()
        ready = self._ready.wait(READY_WITHIN)
        if self._problem is not None:
            raise self._problem
        if not ready:
            # Without its port every call would fail, and the test with it, for another reason.
            raise RuntimeError("the fake provider did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self.handler.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            runner, self._port = await serve(self.handler, port=self._wanted)
        except OSError as error:
            self._problem = error
            self._ready.set()
            return
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()


class FakeProcess:
    """A fake provider in a process of its own; `log` holds one JSON line for each request."""

    def __init__(
        self, script: Script | None = None, *, log: Path | None = None, fast: bool = False
    ) -> None:
        self._script = (script or Script()).model_dump_json()
        self._arguments = (["--log", str(log)] if log else []) + (["--fast"] if fast else [])
        self._process: subprocess.Popen[str] | None = None
        self.log = log
        self.base_url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "befit.testing", "--script", self._script]
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, this package)
            [*command, *self._arguments], stdout=subprocess.PIPE, text=True
        )
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError("the fake provider did not start")
        self.base_url = str(json.loads(line)["base_url"])
        return self

    @property
    def url(self) -> str:
        """The root, as Anthropic's clients want it."""
        return self.base_url.removesuffix("/v1")

    @property
    def requests(self) -> list[dict[str, Json]]:
        """The lines of the request log so far."""
        if self.log is None or not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait(10)
        if self._process.stdout:
            self._process.stdout.close()


def refused_url() -> str:
    """Return a base URL on this machine where nobody listens: connections are refused."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"
