"""Every fault of the fake provider, over real HTTP, becomes the right failure in both dialects."""

from __future__ import annotations

import asyncio

import pytest

from befit.core.candidate import Candidate, Timeouts
from befit.core.completion import Request
from befit.core.message import Message, Tool
from befit.errors import TargetError
from befit.targets.anthropic import AnthropicTarget
from befit.targets.openai import OpenAITarget
from befit.testing.faults import HTTP_FAULTS, STREAM_FAULTS
from befit.testing.provider import FakeProvider, refused_url
from befit.testing.script import Delay, Script

KEY = "sk-a-very-private-key"
ANSWER = "one two three four five six"
QUICK = Timeouts(connect=2, first_token=0.4, idle=0.4, total=5)
PATIENT = Timeouts(connect=20, first_token=20, idle=20, total=30)
OF_TIME = {"stall", "stall_after", "trickle", "keepalive"}
"""Faults that are about the limits; no other may fail because the machine is busy."""

# What befit makes of each fault; None: an ordinary answer.
KINDS = {
    "429": "rate_limited",
    "429_bare": "rate_limited",
    "quota": "billing",
    "402": "billing",
    "500": "server",
    "503": "overloaded",
    "529": "overloaded",
    "401": "auth",
    "403": "auth",
    "404": "not_found",
    "400": "bad_request",
    "context_length": "context_length",
    "content_filter_400": "content_filter",
    "reset": "connect",
    "stall": "timeout_first_token",
    "stall_after": "timeout_idle",
    "cut": "stream_interrupted",
    "cut_inside": "stream_interrupted",
    "ends_early": "stream_interrupted",
    "malformed": "malformed_response",
    "error_in_200": "server",
    "role_then_error": "server",
    "not_json": "malformed_response",
    "content_filter": "content_filter",
    "trickle": None,
    "empty": None,
    "no_usage": None,
    "no_done": None,
    "length": None,
    "shredded": None,
    "keepalive": None,
}
# Anthropic's dialect has no word for an exhausted quota, and calls a filtered answer a refusal.
ANTHROPIC_KINDS = KINDS | {"quota": "rate_limited", "content_filter": None}


@pytest.fixture(scope="module")
def provider():
    script = Script(answer=ANSWER, stall_seconds=3.0)
    with FakeProvider(script) as running:
        yield running


def target_for(dialect, provider):
    make = OpenAITarget if dialect == "openai" else AnthropicTarget
    base = provider.base_url if dialect == "openai" else provider.url
    return make(Candidate(name="a", target=dialect, model="m", base_url=base, api_key=KEY))


def ask(dialect, provider, prompt, *, stream=True, timeouts=QUICK, **more):
    """The completion, or the error."""

    async def once():
        target = target_for(dialect, provider)
        request = Request(
            messages=(Message(role="user", content=prompt),),
            stream=stream,
            timeouts=timeouts,
            **more,
        )
        try:
            return await target.generate(request)
        except TargetError as error:
            return error
        finally:
            await target.aclose()

    return asyncio.run(once())


def test_every_fault_of_the_provider_is_expected_here():
    assert set(KINDS) == {*HTTP_FAULTS, *STREAM_FAULTS}


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", list(KINDS))
def test_each_fault_of_a_stream_is_the_right_failure(provider, dialect, fault):
    expected = (KINDS if dialect == "openai" else ANTHROPIC_KINDS)[fault]
    limits = QUICK if fault in OF_TIME else PATIENT
    found = ask(dialect, provider, f"[[fault:{fault}]] {dialect}", timeouts=limits)
    if expected is None:
        assert not isinstance(found, TargetError), str(found)
        return
    assert isinstance(found, TargetError), found
    assert found.failure.kind == expected
    assert 0 < len(found.failure.message) <= 500
    assert KEY not in str(found)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [(name, KINDS[name]) for name in ("429", "500", "529", "401", "404", "400", "not_json")]
    + [("reset", "connect"), ("error_in_200", "server"), ("stall", "timeout_total")],
)
def test_each_fault_of_an_unstreamed_answer_is_the_right_failure(provider, dialect, fault, kind):
    timeouts = Timeouts(connect=2, first_token=0.2, idle=0.2, total=0.5)
    found = ask(
        dialect, provider, f"[[fault:{fault}]] whole {dialect}", stream=False, timeouts=timeouts
    )
    assert isinstance(found, TargetError), found
    assert found.failure.kind == kind


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [True, False])
def test_an_ordinary_answer_is_read_whole_with_usage(provider, dialect, stream):
    found = ask(dialect, provider, "hello", stream=stream)
    assert (found.text, found.finish_reason, found.served_model) == (ANSWER, "stop", "m")
    assert found.usage is not None
    assert found.usage.output_tokens > 0
    assert (found.timing.first_token is not None) == stream


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", ["shredded", "keepalive", "trickle:0.01", "no_done", "no_usage"])
def test_harmless_oddities_change_no_letter_of_the_answer(provider, dialect, fault):
    found = ask(dialect, provider, f"[[fault:{fault}]] odd {dialect}")
    assert found.text == ANSWER
    if fault == "no_usage":
        assert found.usage is None


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_an_empty_answer_is_an_answer_and_a_long_one_says_so(provider, dialect):
    empty = ask(dialect, provider, f"[[fault:empty]] {dialect}")
    assert (empty.text, empty.finish_reason) == ("", "stop")
    long = ask(dialect, provider, f"[[fault:length]] {dialect}")
    assert long.finish_reason == "length"
    assert ANSWER.startswith(long.text.rstrip())


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_cut_stream_keeps_what_had_arrived_beside_the_failure(provider, dialect):
    found = ask(dialect, provider, f"[[fault:cut:3]] part {dialect}")
    assert found.failure.kind == "stream_interrupted"
    assert found.partial is not None
    assert 0 < len(found.partial.text) < len(ANSWER)
    assert ANSWER.startswith(found.partial.text)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_the_wait_asked_for_is_passed_on(dialect):
    with FakeProvider(Script(retry_after=2.0)) as provider:
        asked = ask(dialect, provider, f"[[fault:429]] {dialect}").failure.retry_after
        bare = ask(dialect, provider, f"[[fault:429_bare]] {dialect}").failure.retry_after
    assert (asked, bare) == (2.0, None)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_refused_connection_is_a_connect_failure(dialect):
    make = OpenAITarget if dialect == "openai" else AnthropicTarget
    candidate = Candidate(name="a", target=dialect, model="m", base_url=refused_url(), api_key=KEY)

    async def once():
        target = make(candidate)
        try:
            await target.generate(Request(messages=(Message(role="user", content="x"),)))
        finally:
            await target.aclose()

    with pytest.raises(TargetError) as caught:
        asyncio.run(once())
    assert caught.value.failure.kind == "connect"


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_a_wrong_key_is_an_auth_failure_that_does_not_show_the_key(dialect):
    with FakeProvider(Script(api_keys=("another",))) as provider:
        found = ask(dialect, provider, "hello")
    assert found.failure.kind == "auth"
    assert KEY not in repr(found.failure)


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_the_first_token_is_timed_after_the_providers_delay(dialect):
    script = Script(answer=ANSWER, first_token=Delay(seconds=0.15))
    with FakeProvider(script) as provider:
        timing = ask(dialect, provider, "hello").timing
    assert timing.first_token >= 0.15
    assert timing.first_token <= timing.last_token <= timing.end


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_tools_and_schemas_are_taken_by_the_provider(provider, dialect):
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    found = ask(dialect, provider, "hello", response_schema=schema)
    assert not isinstance(found, TargetError), str(found)
    tool = Tool(name="add", parameters={"type": "object", "properties": {}})
    found = ask(dialect, provider, "hello", tools=(tool,))
    assert not isinstance(found, TargetError), str(found)
