"""Halves of surrogate pairs in JSON: joined where they belong together, else kept."""

from __future__ import annotations

import json

import orjson
import pytest

from befit.targets.wire.chat import ChatReader
from befit.targets.wire.draft import Marks
from befit.targets.wire.halves import joined, read_halves, without_halves, written
from befit.targets.wire.messages import MessagesReader
from chat_ground import read
from wire_server import DONE, delta, event

HIGH, LOW = "\ud83d", "\ude00"


def halved(value):
    """An event whose text holds halves, as a server writes it that escapes each UTF-16 unit."""
    return event(json.dumps(value).encode())


def test_an_emoji_cut_into_two_events_is_one_character():
    draft, answer = read(
        (1.0, event(delta("hi "))),
        (1.5, halved(delta(HIGH))),
        (2.0, halved(delta(LOW))),
        (2.5, event(delta(finish="stop"))),
        (3.0, DONE),
    )
    assert draft.failure is None
    assert (answer.text, answer.finish_reason) == ("hi \U0001f600", "stop")
    assert answer.timing.last_token == 2.0


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_it_is_whatever_the_pieces_are_that_arrive(size):
    pieces = [event(delta(f"w{i} ")) for i in range(20)]
    pieces[8:8] = [halved(delta(HIGH)), halved(delta(LOW))]
    whole = b"".join((*pieces, event(delta(finish="stop")), DONE))
    steps = [(1.0 + i / 100, whole[i : i + size]) for i in range(0, len(whole), size)]
    draft, answer = read(*steps)
    words = [f"w{i} " for i in range(20)]
    words.insert(8, "\U0001f600")
    assert draft.failure is None
    assert answer.text == "".join(words)


def test_a_lone_half_in_a_body_is_kept_and_the_usage_counts():
    reader = ChatReader()
    body = {
        "id": "x",
        "model": f"m{HIGH}",
        "choices": [{"index": 0, "message": {"content": f"a{HIGH}b"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }
    reader.whole(json.dumps(body).encode(), 1.0)
    answer = reader.draft.completion(Marks(origin=0.0, sent=0.0, end=1.0, streamed=False))
    assert reader.draft.failure is None
    assert (answer.text, answer.served_model) == (f"a{HIGH}b", "m?")
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (10, 5)


def test_halves_in_arguments_and_thoughts_are_joined_too():
    reader = MessagesReader()
    message = {
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": HIGH + LOW},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"x": f"{HIGH}{LOW}{HIGH}"}},
        ],
        "stop_reason": "tool_use",
    }
    # Written apart, so that no reader of JSON sees a pair.
    text = json.dumps(message).replace("\\ud83d\\ude00", "\\uD83D\\ude00")
    reader.whole(text.encode(), 1.0)
    answer = reader.draft.completion(Marks(origin=0.0, sent=0.0, end=1.0, streamed=False))
    assert answer.reasoning == "\U0001f600"
    assert json.loads(answer.tool_calls[0].arguments) == {"x": f"\U0001f600{HIGH}"}


def test_an_error_that_holds_a_half_can_be_shown():
    draft, _ = read((1.0, halved({"error": {"message": f"over{HIGH}loaded", "code": 503}})))
    assert draft.failure is not None
    assert draft.failure.message == "over loaded"


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": "\\ud83d", "b": NaN}',
        b'{"a": "\\ud83d", "b": 1e999}',
        b'{"a": "\\ud83d"',
        b'{"a": "\\ud83d\xff"}',
        b'"\\ud83d"' + b"[" * 100_000,
        b"[" * 100_000 + b'"\\ud83d"' + b"]" * 100_000,
        b'{"a": "\\ud83d", "b": ' + b"9" * 10_000 + b"}",
        b"{}",
    ],
)
def test_nothing_else_is_taken_that_is_not_taken_otherwise(data):
    assert read_halves(data) is None


def test_what_is_joined_shown_and_written_holds_what_it_held():
    assert joined(f"a{HIGH}{LOW}b{LOW}{HIGH}") == f"a\U0001f600b{LOW}{HIGH}"
    assert without_halves(f"a{HIGH}\U0001f600") == "a?\U0001f600"
    assert written({"a": "é"}) == orjson.dumps({"a": "é"})
    assert json.loads(written({"a": HIGH})) == {"a": HIGH}
