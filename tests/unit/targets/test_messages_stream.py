"""Streamed answers in Anthropic's dialect, fed with exact moments; origin 100.0."""

from __future__ import annotations

import orjson
import pytest

from befit.targets.wire.draft import Marks
from befit.targets.wire.messages import MessagesReader
from wire_server import event

ORIGIN = 100.0


def read(*steps):
    reader = MessagesReader()
    for moment, value in steps:
        name = f"event: {value['type']}\n".encode()
        reader.feed(name + event(value), ORIGIN + moment)
    last = ORIGIN + steps[-1][0]
    reader.finish(last)
    return reader.draft, reader.draft.completion(Marks(origin=ORIGIN, sent=ORIGIN, end=last))


def start(moment=0.5, **usage):
    counts = {"input_tokens": 10, "output_tokens": 1, **usage}
    message = {"id": "msg_1", "model": "claude-x", "content": [], "usage": counts}
    return moment, {"type": "message_start", "message": message}


def block(moment, index, kind, **fields):
    content = {"type": kind, **fields}
    return moment, {"type": "content_block_start", "index": index, "content_block": content}


def piece(moment, index, kind, **fields):
    return moment, {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": kind, **fields},
    }


def stop(moment, reason, **usage):
    delta = {"stop_reason": reason, "stop_sequence": None}
    return moment, {"type": "message_delta", "delta": delta, "usage": usage}


END = {"type": "message_stop"}
PING = {"type": "ping"}


def test_text_thinking_usage_and_times_are_read():
    draft, answer = read(
        start(cache_read_input_tokens=100, cache_creation_input_tokens=20),
        (0.75, PING),
        block(1.0, 0, "thinking", thinking="", signature=""),
        piece(1.5, 0, "thinking_delta", thinking="hm"),
        piece(1.6, 0, "signature_delta", signature="abc"),
        (1.7, {"type": "content_block_stop", "index": 0}),
        block(1.8, 1, "text", text=""),
        piece(2.0, 1, "text_delta", text="Hel"),
        piece(2.5, 1, "text_delta", text="lo"),
        stop(3.0, "end_turn", output_tokens=30, output_tokens_details={"thinking_tokens": 20}),
        (3.5, END),
    )
    assert draft.failure is None
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("Hello", "hm", "stop")
    assert (answer.served_model, answer.request_id) == ("claude-x", "msg_1")
    timing = answer.timing
    assert (timing.first_token, timing.first_output_token, timing.last_token) == (1.5, 2.0, 2.5)
    assert timing.end == 3.5
    usage = answer.usage
    assert (usage.uncached_input, usage.cache_read, usage.cache_write_5m) == (10, 100, 20)
    assert (usage.text_output, usage.reasoning_output) == (10, 20)


def test_counts_that_come_twice_are_not_added():
    _, answer = read(
        start(cache_read_input_tokens=100),
        stop(2.0, "max_tokens", input_tokens=10, cache_read_input_tokens=100, output_tokens=7),
        (3.0, END),
    )
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (110, 7)
    assert answer.finish_reason == "length"


def test_tool_input_arrives_in_pieces():
    _, answer = read(
        start(),
        block(1.0, 0, "tool_use", id="t1", name="add", input={}),
        piece(1.1, 0, "input_json_delta", partial_json=""),
        piece(1.5, 0, "input_json_delta", partial_json='{"a"'),
        piece(2.0, 0, "input_json_delta", partial_json=": 1}"),
        stop(2.5, "tool_use", output_tokens=9),
        (3.0, END),
    )
    call = answer.tool_calls[0]
    assert (call.id, call.name, call.arguments) == ("t1", "add", '{"a": 1}')
    assert (answer.finish_reason, answer.timing.first_token) == ("tool_calls", 1.5)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        ({"type": "api_error", "message": "x"}, "server"),
        ({"type": "rate_limit_error", "message": "x"}, "rate_limited"),
        (
            {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"},
            "context_length",
        ),
    ],
)
def test_an_error_event_is_a_failure(error, kind):
    draft, _ = read(
        start(), piece(1.0, 0, "text_delta", text="a"), (2.0, {"type": "error", "error": error})
    )
    assert draft.failure.kind == kind


def test_a_stream_that_ends_without_a_reason_is_interrupted():
    draft, answer = read(start(), piece(1.0, 0, "text_delta", text="half"))
    assert (draft.failure.kind, answer.text) == ("stream_interrupted", "half")


def test_an_answer_without_content_is_an_answer():
    draft, answer = read(start(), stop(1.0, "end_turn", output_tokens=1), (1.5, END))
    assert draft.failure is None
    assert (answer.text, answer.timing.first_token) == ("", None)


def test_an_event_of_another_shape_is_malformed():
    draft, _ = read(start(), (1.0, {"type": "content_block_delta", "index": 0}))
    assert draft.failure.kind == "malformed_response"


def whole(value):
    reader = MessagesReader()
    reader.whole(orjson.dumps(value), 103.0)
    return reader.draft, reader.draft.completion(
        Marks(origin=ORIGIN, sent=ORIGIN, end=103.0, streamed=False)
    )


def test_an_unstreamed_message_is_read():
    draft, answer = whole(
        {
            "type": "message",
            "id": "msg_2",
            "model": "claude-x",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "Hi"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": [1, 2]}},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 3, "output_tokens": 4},
        }
    )
    assert draft.failure is None
    assert (answer.text, answer.reasoning) == ("Hi", "hm")
    assert answer.tool_calls[0].arguments == '{"a":[1,2]}'
    assert (answer.timing.first_token, answer.timing.end) == (None, 3.0)


def test_an_unstreamed_error_and_a_body_without_content_are_failures():
    draft, _ = whole({"type": "error", "error": {"type": "overloaded_error", "message": "x"}})
    assert draft.failure.kind == "overloaded"
    assert whole({"type": "message"})[0].failure.kind == "empty"
