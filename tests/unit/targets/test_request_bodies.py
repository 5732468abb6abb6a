"""What is sent: a request in the words of each dialect, and nothing that was not asked for."""

from __future__ import annotations

import pytest

from befit.core.candidate import Candidate, Sampling
from befit.core.completion import Request
from befit.core.message import ImagePart, Message, TextPart, Tool, ToolCall
from befit.errors import ConfigError
from befit.targets.anthropic import AnthropicTarget
from befit.targets.openai import OpenAITarget
from befit.targets.wire.chat_body import ChatOptions, chat_body
from befit.targets.wire.messages_body import MessagesOptions, messages_body

PICTURE = "data:image/png;base64,aGk="
CALL = ToolCall(id="c1", name="add", arguments='{"a": 1}')
TALK = (
    Message(role="system", content="Be brief."),
    Message(role="user", content=(TextPart(text="Look:"), ImagePart(url=PICTURE))),
    Message(role="assistant", tool_calls=(CALL, CALL.model_copy(update={"id": "c2"}))),
    Message(role="tool", content="2", tool_call_id="c1"),
    Message(role="tool", content="3", tool_call_id="c2"),
    Message(role="user", content="And?"),
)
TOOL = Tool(name="add", description="Adds.", parameters={"type": "object"})
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}


def chat(request, **options):
    return chat_body(
        request, model="m", options=ChatOptions(**options), max_tokens_field="max_tokens"
    )


def claude(request, **options):
    return messages_body(request, model="m", options=MessagesOptions(**options))


def test_chat_sends_no_setting_that_was_left_open():
    assert chat(Request(messages=TALK[-1:], stream=False)) == {
        "model": "m",
        "messages": [{"role": "user", "content": "And?"}],
        "stream": False,
    }


def test_chat_sends_every_setting_under_its_name():
    sampling = Sampling(
        temperature=0.5, top_p=0.9, max_tokens=7, stop=("\n",), reasoning_effort="low"
    )
    body = chat(
        Request(messages=TALK[-1:], sampling=sampling, seed=3, response_schema=SCHEMA),
        extra_body={"top_k": 4, "temperature": 0.25},
    )
    assert body["stream_options"] == {"include_usage": True}
    assert (body["temperature"], body["top_k"]) == (0.25, 4)
    assert (body["top_p"], body["max_tokens"], body["stop"]) == (0.9, 7, ["\n"])
    assert (body["seed"], body["reasoning_effort"]) == (3, "low")
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }


def test_chat_options_leave_out_what_a_provider_refuses():
    request = Request(messages=TALK[:1], seed=3, response_schema=SCHEMA)
    body = chat(
        request,
        stream_usage=False,
        send_seed=False,
        response_format="none",
        system_role="developer",
    )
    assert not body.keys() & {"stream_options", "seed", "response_format"}
    assert body["messages"][0]["role"] == "developer"
    assert chat(request, response_format="json_object")["response_format"] == {
        "type": "json_object"
    }


def test_chat_messages_carry_pictures_tools_and_results():
    body = chat(Request(messages=TALK, tools=(TOOL,)))
    system, look, calls, result, _, _ = body["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert look["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": PICTURE}},
    ]
    assert calls["content"] is None
    assert calls["tool_calls"][0] == {
        "id": "c1",
        "type": "function",
        "function": {"name": "add", "arguments": '{"a": 1}'},
    }
    assert result == {"role": "tool", "content": "2", "tool_call_id": "c1"}
    assert body["tools"][0]["function"]["name"] == "add"


def test_messages_keep_the_system_prompt_apart_and_answer_tools_in_one_turn():
    body = claude(Request(messages=TALK, tools=(TOOL,), sampling=Sampling(stop=("x",))))
    assert (body["system"], body["max_tokens"], body["stop_sequences"]) == (
        "Be brief.",
        4096,
        ["x"],
    )
    look, calls, results, last = body["messages"]
    assert look["content"][1]["source"] == {
        "type": "base64",
        "media_type": "image/png",
        "data": "aGk=",
    }
    assert calls["content"][0] == {
        "type": "tool_use",
        "id": "c1",
        "name": "add",
        "input": {"a": 1},
    }
    assert results["role"] == "user"
    assert [r["tool_use_id"] for r in results["content"]] == ["c1", "c2"]
    assert last == {"role": "user", "content": "And?"}
    assert body["tools"] == [
        {"name": "add", "description": "Adds.", "input_schema": {"type": "object"}}
    ]


def test_messages_send_no_seed_and_ask_for_a_schema_by_a_forced_tool():
    body = claude(
        Request(
            messages=TALK[-1:], seed=3, response_schema=SCHEMA, sampling=Sampling(max_tokens=5)
        ),
        extra_body={"thinking": {"type": "disabled"}},
    )
    assert "seed" not in body
    assert (body["max_tokens"], body["thinking"]) == (5, {"type": "disabled"})
    assert body["tools"][0]["input_schema"] == SCHEMA
    assert body["tool_choice"] == {"type": "tool", "name": "answer"}
    both = claude(Request(messages=TALK[-1:], tools=(TOOL,), response_schema=SCHEMA))
    assert both["tool_choice"] == {"type": "any"}


def test_arguments_that_are_no_object_are_shown_as_they_were():
    bad = Message(
        role="assistant", content="hm", tool_calls=(CALL.model_copy(update={"arguments": "{a"}),)
    )
    content = claude(Request(messages=(bad,)))["messages"][0]["content"]
    assert content[0] == {"type": "text", "text": "hm"}
    assert content[1]["input"] == {"arguments": "{a"}


@pytest.mark.parametrize("target", [OpenAITarget, AnthropicTarget])
def test_an_unknown_option_is_refused_without_showing_values(target):
    candidate = Candidate(
        name="a", target="x", options={"headers": {"x-key": ["private-value"]}, "extra": 1}
    )
    with pytest.raises(ConfigError) as caught:
        target(candidate)
    assert "private-value" not in str(caught.value)
    assert "extra_body" in caught.value.do
