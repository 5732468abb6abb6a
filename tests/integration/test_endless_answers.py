"""An answer that does not end is cut, streamed or whole: no provider may fill the memory."""

from __future__ import annotations

import asyncio

import pytest

from befit.core.candidate import Candidate
from befit.core.completion import Request
from befit.core.message import Message
from befit.errors import TargetError
from befit.targets.openai import OpenAITarget
from befit.targets.wire import exchange
from befit.testing.provider import FakeProvider
from befit.testing.script import Script

WORDS = 400


@pytest.fixture(scope="module")
def provider():
    with FakeProvider(Script(answer="many words " * (WORDS // 2))) as running:
        yield running


def _ask(provider: FakeProvider, *, stream: bool) -> object:
    async def once() -> object:
        target = OpenAITarget(
            Candidate(name="a", target="openai", model="m", base_url=provider.base_url)
        )
        request = Request(messages=(Message(role="user", content="Go on."),), stream=stream)
        try:
            return await target.generate(request)
        except TargetError as error:
            return error.failure
        finally:
            await target.aclose()

    return asyncio.run(once())


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_beyond_all_bounds_is_a_malformed_one(provider, stream, monkeypatch):
    monkeypatch.setattr(exchange, "_LOOK", 1_000)
    monkeypatch.setattr(exchange, "MAX_CHARS", 1_000)
    monkeypatch.setattr(exchange, "MAX_BODY_BYTES", 1_000)
    failure = _ask(provider, stream=stream)
    assert failure.kind == "malformed_response"
    assert "longer than" in failure.message


@pytest.mark.parametrize("stream", [True, False])
def test_a_long_answer_within_them_is_whole(provider, stream, monkeypatch):
    monkeypatch.setattr(exchange, "_LOOK", 1_000)
    answer = _ask(provider, stream=stream)
    assert len(answer.text.split()) == WORDS
