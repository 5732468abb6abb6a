"""The HTTP exchange byte by byte: time limits, cuts, connections, keys, odd servers."""

from __future__ import annotations

import asyncio
import socket
import time
import traceback

import orjson
import pytest

from befit.core.candidate import Candidate, Timeouts
from befit.core.completion import Request
from befit.core.message import Message
from befit.errors import TargetError
from befit.targets.anthropic import AnthropicTarget
from befit.targets.openai import OpenAITarget
from wire_server import CUT, DONE, Answer, delta, event, serving

KEY = "sk-a-very-private-key"
WHOLE = [event(delta("hi", finish="stop")), DONE]


def request(**more):
    return Request(messages=(Message(role="user", content="hello"),), **more)


def exchange(*answers, calls=1, options=None, make=OpenAITarget, **more):
    """Ask `calls` times; return the last completion or error, and what the server saw."""

    async def go():
        async with asyncio.timeout(20), serving(*answers) as served:
            candidate = Candidate(
                name="a",
                target="openai",
                model="m",
                base_url=served.url,
                api_key=KEY,
                options=options or {},
            )
            target = make(candidate)
            try:
                for _ in range(calls):
                    try:
                        found = await target.generate(request(**more))
                    except TargetError as error:
                        found = error
            finally:
                await target.aclose()
            return found, served

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("pieces", "limits", "kind"),
    [
        ([5], {"first_token": 0.1}, "timeout_first_token"),
        ([event(delta("", role="assistant")), 5], {"first_token": 0.1}, "timeout_first_token"),
        ([b": ping\n\n", 0.05] * 60, {"first_token": 0.15}, "timeout_first_token"),
        ([event(delta("a")), 5], {"idle": 0.1}, "timeout_idle"),
        ([event(delta("a")), *[b": ping\n\n", 0.05] * 60], {"idle": 0.15}, "timeout_idle"),
        ([event(delta("a")), 0.05] * 60, {"total": 0.3}, "timeout_total"),
    ],
)
def test_each_time_limit_ends_the_stream_under_its_own_name(pieces, limits, kind):
    found, _ = exchange(Answer([*pieces, DONE]), timeouts=Timeouts(**limits))
    assert found.failure.kind == kind


def test_a_slow_but_steady_stream_outlives_the_idle_limit():
    pieces = [piece for _ in range(8) for piece in (event(delta("a")), 0.1)]
    found, _ = exchange(
        Answer([*pieces, event(delta(finish="stop")), DONE]),
        timeouts=Timeouts(first_token=0.4, idle=0.4),
    )
    assert found.text == "a" * 8


def test_a_server_that_never_accepts_is_a_connect_failure():
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:  # fill the queue, so that the next connection hangs
            one.settimeout(0)
            one.connect_ex(("127.0.0.1", port))

        async def once():
            target = OpenAITarget(
                Candidate(name="a", target="openai", base_url=f"http://127.0.0.1:{port}/v1")
            )
            try:
                await target.generate(request(timeouts=Timeouts(connect=0.2)))
            finally:
                await target.aclose()

        with pytest.raises(TargetError) as caught:
            asyncio.run(once())
        for one in waiting:
            one.close()
    assert caught.value.failure.kind == "connect"


def test_a_provider_that_does_not_hang_up_after_done_is_not_waited_for():
    start = time.monotonic()
    found, _ = exchange(Answer([*WHOLE, 15]))
    assert found.text == "hi"
    assert found.timing.end < 1
    assert time.monotonic() - start < 10


def test_a_connection_cut_after_the_finish_reason_is_a_whole_answer_without_usage():
    found, _ = exchange(Answer([event(delta("hi", finish="stop")), 0.05, CUT]))
    assert (found.text, found.usage) == ("hi", None)


def test_a_connection_cut_before_it_is_interrupted_and_keeps_the_part():
    found, _ = exchange(Answer([event(delta("half")), 0.05, CUT]))
    assert found.failure.kind == "stream_interrupted"
    assert found.partial.text == "half"


def test_connections_are_reused_also_after_an_error_answer():
    broken = Answer([b'{"error": {"message": "x"}}'], status=500, content_type="application/json")
    _, served = exchange(Answer(WHOLE), broken, Answer(WHOLE), calls=3)
    assert len(served.peers) == 3
    assert len(set(served.peers)) == 1


def test_nothing_is_tried_twice():
    broken = Answer([b"{}"], status=503, content_type="application/json")
    found, served = exchange(broken)
    assert found.failure.kind == "overloaded"
    assert len(served.bodies) == 1
    _, served = exchange(Answer([CUT]))
    assert len(served.bodies) == 1


def test_a_redirect_is_not_followed_with_the_key():
    moved = Answer([b""], status=307, headers={"Location": "/elsewhere"})
    found, served = exchange(moved)
    assert found.failure.kind == "bad_request"
    assert "base_url" in found.failure.message
    assert len(served.paths) == 1


def test_a_whole_body_where_a_stream_was_asked_for_is_read_without_token_times():
    message = {"role": "assistant", "content": "hi"}
    body = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    found, _ = exchange(Answer([orjson.dumps(body)], content_type="application/json"))
    assert (found.text, found.timing.first_token) == ("hi", None)


def test_latency_counts_from_the_scheduled_moment():
    found, _ = exchange(Answer(WHOLE), scheduled=time.monotonic() - 3)
    assert found.timing.sent >= 3
    assert found.timing.first_token >= found.timing.first_byte >= found.timing.sent


def test_only_routing_and_rate_limit_headers_are_kept():
    sent = {
        "x-request-id": "req-9",
        "X-RateLimit-Remaining-Tokens": "7",
        "x-groq-region": "eu",
        "Set-Cookie": "session=private",
        "openai-organization": "org-private",
    }
    found, _ = exchange(Answer(WHOLE, headers=sent))
    assert found.headers == {"x-ratelimit-remaining-tokens": "7", "x-groq-region": "eu"}
    assert found.request_id == "req-9"


def test_the_key_travels_as_a_bearer_and_at_azure_in_its_own_header():
    _, plain = exchange(Answer(WHOLE))
    assert plain.headers[0]["authorization"] == f"Bearer {KEY}"
    assert plain.paths == ["/v1/chat/completions"]
    _, azure = exchange(Answer(WHOLE), options={"azure_api_version": "2026-01-01"})
    assert azure.headers[0]["api-key"] == KEY
    assert "authorization" not in azure.headers[0]
    assert azure.paths == ["/v1/chat/completions?api-version=2026-01-01"]
    _, own = exchange(Answer(WHOLE), options={"headers": {"X-Team": "blue-team"}})
    assert own.headers[0]["x-team"] == "blue-team"


def test_no_error_holds_the_key_anywhere():
    echo = {"error": {"message": f"bad key {KEY}", "param": KEY}, "object": KEY}
    answers = [
        Answer([orjson.dumps(echo)], status=401, content_type="application/json"),
        Answer([event(echo)]),
        Answer([f"data: {KEY} is no JSON\n\n".encode()]),
        Answer([KEY.encode()], content_type="text/plain"),
        Answer([CUT]),
        Answer([event(delta("a")), 0.05, CUT]),
    ]
    for answer in answers:
        found, _ = exchange(answer)
        assert isinstance(found, TargetError)
        seen = [found]
        while seen[-1].__cause__ or seen[-1].__context__:
            seen.append(seen[-1].__cause__ or seen[-1].__context__)
        for error in seen:
            assert KEY not in "".join(traceback.format_exception(error)) + repr(error)
            assert KEY not in repr(getattr(error, "failure", ""))


def test_a_missing_key_for_the_vendors_own_host_fails_before_any_call():
    for make, name in ((OpenAITarget, "OPENAI_API_KEY"), (AnthropicTarget, "ANTHROPIC_API_KEY")):
        target = make(Candidate(name="a", target="x", model="m"))
        with pytest.raises(TargetError) as caught:
            asyncio.run(target.generate(request()))
        assert caught.value.failure.kind == "auth"
        assert name in caught.value.failure.message


def test_the_vendors_key_of_the_environment_is_not_sent_to_another_host(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")

    async def go():
        async with serving(Answer(WHOLE)) as served:
            target = OpenAITarget(Candidate(name="a", target="openai", base_url=served.url))
            await target.generate(request())
            await target.aclose()
            return served

    assert "authorization" not in asyncio.run(go()).headers[0]


def test_a_proxy_of_the_environment_is_used_for_others_and_not_for_this_machine(monkeypatch):
    async def go():
        async with serving(Answer(WHOLE)) as served:
            monkeypatch.setenv("http_proxy", served.url.removesuffix("/v1"))
            elsewhere = "http://llm.example.invalid/v1"
            target = OpenAITarget(Candidate(name="a", target="openai", base_url=elsewhere))
            found = await target.generate(request())
            await target.aclose()
            monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
            target = OpenAITarget(Candidate(name="a", target="openai", base_url=served.url))
            here = await target.generate(request())
            await target.aclose()
            return found, here, served

    found, here, served = asyncio.run(go())
    assert (found.text, here.text) == ("hi", "hi")
    assert served.headers[0]["host"] == "llm.example.invalid"


def test_an_address_that_is_none_is_a_configuration_failure():
    async def once(base):
        target = OpenAITarget(Candidate(name="a", target="openai", base_url=base))
        try:
            await target.generate(request())
        finally:
            await target.aclose()

    for base in ("not an address", "ftp://127.0.0.1/v1", "http://"):
        with pytest.raises(TargetError) as caught:
            asyncio.run(once(base))
        assert caught.value.failure.blame == "configuration", base


def test_a_schema_answer_of_the_messages_dialect_becomes_the_text():
    answer = {
        "type": "message",
        "model": "claude-x",
        "content": [{"type": "tool_use", "id": "t", "name": "answer", "input": {"x": 1}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    found, served = exchange(
        Answer([orjson.dumps(answer)], content_type="application/json"),
        make=AnthropicTarget,
        stream=False,
        response_schema={"type": "object"},
    )
    assert (found.text, found.tool_calls, found.finish_reason) == ('{"x":1}', (), "stop")
    assert served.headers[0]["x-api-key"] == KEY
    assert served.paths == ["/v1/messages"]


def test_hundreds_of_streams_run_side_by_side_on_one_target():
    async def go():
        async with asyncio.timeout(20), serving(Answer([0.05, *WHOLE])) as served:
            target = OpenAITarget(Candidate(name="a", target="openai", base_url=served.url))
            found = await asyncio.gather(*(target.generate(request()) for _ in range(300)))
            await target.aclose()
            return found, served

    found, served = asyncio.run(go())
    assert {answer.text for answer in found} == {"hi"}
    assert len(served.bodies) == 300
