"""The vendors' own clients read the fake provider as they read the real ones."""

from __future__ import annotations

import json

import anthropic
import openai
import pytest

from befit.testing.faults import HTTP_FAULTS, STREAM_FAULTS
from befit.testing.provider import FakeProcess, FakeProvider, refused_url
from befit.testing.script import ModelChange, Script

FUNCTION = {
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    },
}
TOOL = {"type": "function", "function": FUNCTION}
ANTHROPIC_TOOL = {"name": "weather", "input_schema": FUNCTION["parameters"]}
CALLING = 'Weather? [[tool:weather {"city": "Rome", "days": 2}]]'


@pytest.fixture(scope="module")
def provider():
    with FakeProvider(Script(answers={"What is 40 + 2?": "The answer is 42."})) as running:
        yield running


def chat(provider, prompt, **more):
    client = openai.OpenAI(
        base_url=provider.base_url, api_key="sk-secret", max_retries=0, timeout=5
    )
    messages = [{"role": "user", "content": prompt}]
    return client.chat.completions.create(model="m", messages=messages, **more)


def joined(stream):
    return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


def claude(provider):
    return anthropic.Anthropic(
        base_url=provider.url, api_key="sk-secret", max_retries=0, timeout=5
    ).messages


def message(provider, prompt, **more):
    messages = [{"role": "user", "content": prompt}]
    return claude(provider).create(model="m", max_tokens=50, messages=messages, **more)


def test_openai_reads_a_whole_answer_with_its_usage(provider):
    answer = chat(provider, "What is 40 + 2?")
    assert answer.choices[0].message.content == "The answer is 42."
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.completion_tokens == 4  # The, answer, is, 42.
    assert answer.usage.prompt_tokens == 9  # five words, four for the message
    assert answer.model == "m"


def test_openai_reads_a_stream_with_its_usage_at_the_end(provider):
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(chat(provider, "What is 40 + 2?", **options))
    assert joined(chunks) == "The answer is 42."
    assert chunks[-1].usage.total_tokens == 13
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"


def test_a_stream_has_no_usage_unless_it_is_asked_for(provider):
    assert all(c.usage is None for c in chat(provider, "What is 40 + 2?", stream=True))


def test_openai_reads_a_tool_call_streamed_and_not(provider):
    call = chat(provider, CALLING, tools=[TOOL]).choices[0].message.tool_calls[0]
    assert (call.function.name, json.loads(call.function.arguments)) == (
        "weather",
        {"city": "Rome", "days": 2},
    )
    pieces = [
        chunk.choices[0].delta.tool_calls[0].function.arguments or ""
        for chunk in chat(provider, CALLING, tools=[TOOL], stream=True)
        if chunk.choices[0].delta.tool_calls
    ]
    assert len(pieces) > 1
    assert json.loads("".join(pieces)) == {"city": "Rome", "days": 2}


def test_a_required_tool_call_is_made_with_arguments_that_fit_its_schema(provider):
    answer = chat(provider, "anything", tools=[TOOL], tool_choice="required")
    call = answer.choices[0].message.tool_calls[0]
    assert json.loads(call.function.arguments) == {"city": "x", "days": 1}


def test_after_a_tool_result_the_answer_is_text(provider):
    client = openai.OpenAI(base_url=provider.base_url, api_key="k", max_retries=0)
    asked = {"role": "user", "content": CALLING + "[[say:Sunny.]]"}
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "sun"}
    answer = client.chat.completions.create(model="m", messages=[asked, said, result], tools=[TOOL])
    assert answer.choices[0].message.content == "Sunny."


def test_a_json_schema_gets_an_instance_of_it(provider):
    schema = {"type": "object", "properties": {"a": {"enum": ["yes", "no"]}}, "required": ["a"]}
    form = {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}
    answer = chat(provider, "anything", response_format=form)
    assert json.loads(answer.choices[0].message.content) == {"a": "yes"}


def test_anthropic_reads_an_answer_streamed_and_not(provider):
    answer = message(provider, "What is 40 + 2?")
    assert answer.content[0].text == "The answer is 42."
    assert (answer.stop_reason, answer.usage.output_tokens) == ("end_turn", 4)
    messages = [{"role": "user", "content": "What is 40 + 2?"}]
    with claude(provider).stream(model="m", max_tokens=50, messages=messages) as stream:
        assert "".join(stream.text_stream) == "The answer is 42."
        assert stream.get_final_message().usage.output_tokens == 4


def test_anthropic_reads_a_tool_call_streamed_and_not(provider):
    block = message(provider, CALLING, tools=[ANTHROPIC_TOOL]).content[0]
    assert (block.name, block.input) == ("weather", {"city": "Rome", "days": 2})
    messages = [{"role": "user", "content": CALLING}]
    with claude(provider).stream(
        model="m", max_tokens=50, messages=messages, tools=[ANTHROPIC_TOOL]
    ) as stream:
        final = stream.get_final_message()
    assert final.content[0].input == {"city": "Rome", "days": 2}
    assert final.stop_reason == "tool_use"


def test_both_clients_list_the_models(provider):
    client = openai.OpenAI(base_url=provider.base_url, api_key="k")
    assert [model.id for model in client.models.list()] == ["fake-model"]
    client = anthropic.Anthropic(base_url=provider.url, api_key="k")
    assert [model.id for model in client.models.list()] == ["fake-model"]


@pytest.mark.parametrize("name", list(HTTP_FAULTS))
def test_both_clients_raise_the_named_error(provider, name):
    with pytest.raises(openai.APIStatusError) as theirs:
        chat(provider, f"[[fault:{name}]]")
    assert theirs.value.status_code == HTTP_FAULTS[name].status
    assert theirs.value.code == HTTP_FAULTS[name].openai
    with pytest.raises(anthropic.APIStatusError) as ours:
        message(provider, f"[[fault:{name}]]")
    assert ours.value.status_code == HTTP_FAULTS[name].status
    assert ours.value.body["error"]["type"] == HTTP_FAULTS[name].anthropic


def test_a_rate_limit_says_how_long_to_wait_only_where_it_should(provider):
    with pytest.raises(openai.RateLimitError) as with_header:
        chat(provider, "[[fault:429:3]]")
    assert with_header.value.response.headers["retry-after"] == "3"
    with pytest.raises(openai.RateLimitError) as bare:
        chat(provider, "[[fault:429_bare]]")
    assert "retry-after" not in bare.value.response.headers


@pytest.mark.parametrize("name", ["cut", "cut_inside", "reset"])
def test_a_broken_connection_is_a_connection_error(provider, name):
    with pytest.raises((openai.APIConnectionError, openai.APIError)):
        joined(chat(provider, f"one two three four [[fault:{name}]]", stream=True))


def test_a_cut_stream_delivers_exactly_its_tokens_first(provider):
    seen = []

    def read():
        for chunk in chat(provider, "one two three four five [[fault:cut:3]]", stream=True):
            seen.append(chunk.choices[0].delta.content)  # noqa: PERF401 (kept when it raises)

    with pytest.raises(openai.APIConnectionError):
        read()
    assert seen == ["", "one", " two", " three"]


@pytest.mark.parametrize("name", ["shredded", "keepalive", "no_done", "no_usage", "trickle:0.01"])
def test_odd_but_whole_streams_are_read_in_full(provider, name):
    text = "größe 日本 three four"
    assert joined(chat(provider, f"{text} [[fault:{name}]]", stream=True)) == text


@pytest.mark.parametrize(
    ("name", "text", "finish"),
    [
        ("length", "one two", "length"),
        ("content_filter", "", "content_filter"),
        ("empty", "", "stop"),
    ],
)
def test_answers_that_end_badly_say_so(provider, name, text, finish):
    prompt = f"one two three four [[fault:{name}]]"
    whole = chat(provider, prompt).choices[0]
    assert (whole.message.content, whole.finish_reason) == (text, finish)
    chunks = list(chat(provider, prompt, stream=True))
    assert (joined(chunks), chunks[-1].choices[0].finish_reason) == (text, finish)


def test_a_polite_early_end_has_no_finish_reason(provider):
    chunks = list(chat(provider, "one two three four [[fault:ends_early]]", stream=True))
    assert joined(chunks) == "one two"
    assert chunks[-1].choices[0].finish_reason is None


@pytest.mark.parametrize("name", ["error_in_200", "role_then_error"])
def test_an_error_inside_a_stream_is_raised(provider, name):
    with pytest.raises(openai.APIError, match="Internal server error"):
        joined(chat(provider, f"one two [[fault:{name}]]", stream=True))
    messages = [{"role": "user", "content": f"one two [[fault:{name}]]"}]
    with pytest.raises(anthropic.APIStatusError):
        list(claude(provider).create(model="m", max_tokens=9, messages=messages, stream=True))


@pytest.mark.parametrize("name", ["stall", "stall_after"])
def test_a_stalled_stream_times_out(provider, name):
    client = openai.OpenAI(base_url=provider.base_url, api_key="k", max_retries=0, timeout=0.3)
    messages = [{"role": "user", "content": f"one two three [[fault:{name}]]"}]
    with pytest.raises((openai.APITimeoutError, openai.APIConnectionError)):
        joined(client.chat.completions.create(model="m", messages=messages, stream=True))


def test_every_fault_can_be_asked_for_without_breaking_the_provider(provider):
    for name in [*HTTP_FAULTS, *STREAM_FAULTS]:
        client = openai.OpenAI(base_url=provider.base_url, api_key="k", max_retries=0, timeout=0.3)
        for stream in (True, False):
            messages = [{"role": "user", "content": f"a b c d [[fault:{name}]]"}]
            try:
                got = client.chat.completions.create(model="m", messages=messages, stream=stream)
                list(got)
            except (openai.APIError, ValueError, AttributeError, TypeError):
                continue
    assert chat(provider, "still there").choices[0].message.content == "still there"


def test_nobody_listens_at_the_refused_address():
    client = openai.OpenAI(base_url=refused_url(), api_key="k", max_retries=0)
    with pytest.raises(openai.APIConnectionError):
        client.models.list()


def test_the_served_model_changes_silently_after_so_many_calls():
    script = Script(model_change=ModelChange(to="m-2", after_calls=2))
    with FakeProvider(script) as provider:
        assert [chat(provider, "hi").model for _ in range(4)] == ["m", "m", "m-2", "m-2"]


def test_keys_are_never_recorded(provider):
    chat(provider, "find my key")
    message(provider, "find my key")
    assert "sk-secret" not in repr(provider.requests)


def test_a_process_answers_and_logs_each_request_with_its_marker(tmp_path):
    log = tmp_path / "requests.jsonl"
    with FakeProcess(Script(answer="yes"), log=log) as process:
        assert chat(process, "one", user="trial-1").choices[0].message.content == "yes"
        with pytest.raises(openai.InternalServerError):
            chat(process, "two [[fault:500]]", user="trial-2")
        lines = process.requests
    assert [(line["user"], line["fault"]) for line in lines] == [
        ("trial-1", None),
        ("trial-2", "500"),
    ]


def test_the_fast_process_is_read_by_the_official_client_too():
    with FakeProcess(Script(answer="one two three"), fast=True) as process:
        assert chat(process, "hi").choices[0].message.content == "one two three"
        assert joined(chat(process, "hi", stream=True)) == "one two three"
