"""A local model that still computes for nobody is not waited for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path

import pytest

from befit.core.candidate import Candidate
from befit.core.completion import Request
from befit.core.message import Message
from befit.targets import local
from befit.targets.llama import Launch
from befit.testing.provider import FakeProvider
from befit.testing.script import Script

pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")


def test_closing_after_a_request_was_cut_off_does_not_wait_for_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle, closed = threading.Event(), threading.Event()
    (tmp_path / "m.gguf").write_bytes(b"GGUF")

    with FakeProvider(Script(rates={"stall": 1.0})) as provider:

        class Busy:
            """As llama.cpp while it computes a prompt: whoever closes it waits."""

            def __init__(self, _launch: Launch) -> None:
                self.base_url = provider.base_url

            def close_when_idle(self) -> None:
                assert idle.wait(60)
                self.close()

            def close(self) -> None:
                assert idle.is_set(), "closed while it computes"
                closed.set()

        async def cut_off() -> None:
            model = str(tmp_path / "m.gguf")
            target = local.LocalTarget(Candidate(name="a", target="local", model=model))
            request = Request(messages=(Message(role="user", content="x"),))
            asked = asyncio.create_task(target.generate(request))
            while not provider.requests:  # noqa: ASYNC110 - the server is in another thread
                await asyncio.sleep(0.01)
            asked.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asked
            await target.aclose()

        monkeypatch.setattr(local, "LlamaServer", Busy)
        asyncio.run(cut_off())
        assert not closed.is_set()
        idle.set()
        assert closed.wait(60)
