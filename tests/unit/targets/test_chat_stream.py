"""Streamed chat answers: what each pitfall does to text and times, with exact moments.

Readers are pure: bytes are fed with the moments at which they "arrived", so
every expected time is exact. The origin is 100.0, the request left at 100.5.
"""

from __future__ import annotations

import pytest

from befit.targets.wire.chat import ChatReader
from befit.targets.wire.draft import Marks
from chat_ground import read, usage_event
from wire_server import DONE, delta, event


def test_an_empty_role_chunk_is_not_the_first_token():
    draft, answer = read(
        (1.0, event(delta("", role="assistant"))),
        (1.5, event(delta("Hel"))),
        (2.0, event(delta("lo"))),
        (2.25, event(delta(finish="stop"))),
        (2.5, DONE),
    )
    assert draft.failure is None
    assert (answer.text, answer.finish_reason) == ("Hello", "stop")
    assert (answer.served_model, answer.request_id) == ("m-2026", "chat-1")
    timing = answer.timing
    assert (timing.sent, timing.first_byte) == (0.5, 0.75)
    assert (timing.first_token, timing.first_output_token, timing.last_token) == (1.5, 1.5, 2.0)
    assert timing.end == 2.5


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_the_first_token_but_not_the_first_output_token(field):
    _, answer = read(
        (1.0, event(delta(**{field: "hm "}, content=None))),
        (2.0, event(delta(**{field: "so"}, content=""))),
        (3.0, event(delta("42", **{field: None}))),
        (3.5, event(delta("!", **{field: None}, finish="stop"))),
        (4.0, DONE),
    )
    assert (answer.reasoning, answer.text) == ("hm so", "42!")
    timing = answer.timing
    assert (timing.first_token, timing.first_output_token, timing.last_token) == (1.0, 3.0, 3.5)


def test_thinking_parts_inside_content_are_reasoning():
    thought = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]
    _, answer = read(
        (1.0, event(delta(thought))),
        (2.0, event(delta([{"type": "text", "text": "42"}], finish="stop"))),
        (3.0, DONE),
    )
    assert (answer.reasoning, answer.text) == ("hm", "42")
    assert (answer.timing.first_token, answer.timing.first_output_token) == (1.0, 2.0)


def test_tool_call_arguments_are_tokens_and_their_pieces_join():
    def call(index, **function):
        return {"index": index, "function": function}

    _, answer = read(
        (1.0, event(delta(tool_calls=[{**call(0, name="add", arguments=""), "id": "c1"}]))),
        (1.5, event(delta(tool_calls=[call(0, arguments='{"a":')]))),
        (2.0, event(delta(tool_calls=[{**call(1, name="mul", arguments="{}"), "id": "c2"}]))),
        (2.5, event(delta(tool_calls=[call(0, arguments=" 1}")], finish="tool_calls"))),
        (3.0, DONE),
    )
    assert [(c.id, c.name, c.arguments) for c in answer.tool_calls] == [
        ("c1", "add", '{"a": 1}'),
        ("c2", "mul", "{}"),
    ]
    timing = answer.timing
    assert (timing.first_token, timing.first_output_token, timing.last_token) == (1.5, 1.5, 2.5)


def test_a_tool_call_without_arguments_is_timed_by_its_name():
    call = {"index": 0, "id": "c", "function": {"name": "now", "arguments": ""}}
    _, answer = read((1.0, event(delta(tool_calls=[call], finish="tool_calls"))), (2.0, DONE))
    assert answer.tool_calls[0].name == "now"
    assert (answer.timing.first_token, answer.timing.last_token) == (1.0, 1.0)


def test_whole_tool_calls_without_an_index_stay_apart():
    def call(name):
        return {"id": f"c-{name}", "function": {"name": name, "arguments": {"x": 1}}}

    _, answer = read(
        (1.0, event(delta(tool_calls=[call("a"), call("b")]))),
        (2.0, event(delta(tool_calls=[call("c")], finish="tool_calls"))),
        (3.0, DONE),
    )
    assert [(c.name, c.arguments) for c in answer.tool_calls] == [
        (name, '{"x":1}') for name in "abc"
    ]


def test_a_refusal_is_a_token_and_becomes_the_text():
    _, answer = read(
        (1.0, event(delta(refusal="I can"))),
        (1.5, event(delta(refusal="not.", finish="stop"))),
        (2.0, DONE),
    )
    assert (answer.text, answer.finish_reason) == ("I cannot.", "refusal")
    assert answer.timing.first_token == 1.0


def test_the_usage_chunk_without_choices_is_neither_a_token_nor_an_end():
    _, answer = read(
        (1.0, event(delta("a"))),
        (1.5, event(delta(finish="stop"))),
        (2.0, usage_event(prompt_tokens=7, completion_tokens=1, total_tokens=8)),
        (2.5, DONE),
    )
    assert answer.usage is not None
    assert (answer.usage.uncached_input, answer.usage.text_output) == (7, 1)
    assert (answer.timing.last_token, answer.timing.end) == (1.0, 2.5)


def test_a_cut_stream_has_no_usage_and_is_interrupted():
    draft, answer = read((1.0, event(delta("half an ans"))), end=3.0)
    assert draft.failure.kind == "stream_interrupted"
    assert (answer.text, answer.usage) == ("half an ans", None)


def test_chunks_of_many_tokens_keep_one_moment_each():
    _, answer = read(
        (1.0, event(delta("one two three four "))),
        (2.0, event(delta("five six", finish="stop"))),
        (2.0, usage_event(prompt_tokens=3, completion_tokens=6, total_tokens=9) + DONE),
    )
    assert answer.text == "one two three four five six"
    assert (answer.timing.first_token, answer.timing.last_token) == (1.0, 2.0)
    assert answer.usage.output_tokens == 6


def test_comments_are_no_tokens():
    draft, answer = read(
        (0.8, b": OPENROUTER PROCESSING\n\n"),
        (1.6, b": OPENROUTER PROCESSING\n\n"),
        (2.0, event(delta("a", finish="stop")) + DONE),
    )
    assert draft.failure is None
    assert answer.timing.first_token == 2.0


def test_carriage_returns_and_split_characters_are_read_when_they_are_whole():
    raw = event(delta("né"), end=b"\r\n\r\n")
    cut = raw.index("é".encode()) + 1  # in the middle of a two-byte character
    draft, answer = read(
        (1.0, raw[:cut]),
        (1.25, raw[cut:-1]),
        (1.5, raw[-1:]),
        (2.0, event(delta(finish="stop"), end=b"\r\n\r\n") + event(b"[DONE]", end=b"\r\n\r\n")),
    )
    assert draft.failure is None
    assert (answer.text, answer.timing.first_token) == ("né", 1.5)


def test_several_events_in_one_read_share_its_moment():
    _, answer = read(
        (1.0, event(delta("")) + event(delta("a")) + event(delta("b")) + event(delta("c"))),
        (2.0, event(delta(finish="stop")) + DONE),
    )
    assert (answer.text, answer.timing.first_token, answer.timing.last_token) == ("abc", 1.0, 1.0)


def test_one_event_over_several_reads_counts_when_it_ends():
    raw = event(delta("abc"))
    _, answer = read(
        (1.0, raw[:20]),
        (2.0, raw[20:50]),
        (3.0, raw[50:]),
        (4.0, event(delta(finish="stop")) + DONE),
    )
    assert (answer.text, answer.timing.first_token) == ("abc", 3.0)


def test_obfuscation_padding_is_not_output():
    padded = {**delta("a"), "obfuscation": "xK3jd8Qp"}
    empty = {**delta(""), "obfuscation": "pppppppp"}
    _, answer = read(
        (1.0, event(empty)), (2.0, event(padded)), (3.0, event(delta(finish="stop")) + DONE)
    )
    assert (answer.text, answer.timing.first_token) == ("a", 2.0)


def test_only_the_first_of_several_choices_is_the_answer():
    def both(first, second, finish=None):
        return {
            "choices": [
                {"index": 1, "delta": {"content": second}, "finish_reason": finish},
                {"index": 0, "delta": {"content": first}, "finish_reason": finish},
            ]
        }

    second_alone = {"choices": [{"index": 1, "delta": {"content": "B"}, "finish_reason": None}]}
    _, answer = read(
        (1.0, event(second_alone)),
        (2.0, event(both("a", "B"))),
        (3.0, event(both("b", "B", "stop")) + event(second_alone) + DONE),
    )
    assert (answer.text, answer.timing.first_token, answer.timing.last_token) == ("ab", 2.0, 3.0)


def test_hidden_reasoning_is_billed_without_being_seen():
    from befit.targets.usage import hidden_reasoning  # noqa: PLC0415 - used here only

    details = {"reasoning_tokens": 90}
    counts = usage_event(
        prompt_tokens=5, completion_tokens=100, completion_tokens_details=details, total_tokens=105
    )
    _, answer = read((1.0, event(delta("a", finish="stop"))), (1.5, counts), (2.0, DONE))
    assert (answer.usage.text_output, answer.usage.reasoning_output) == (10, 90)
    assert hidden_reasoning(answer)


def test_an_end_without_done_is_whole_if_a_finish_reason_came():
    draft, answer = read((1.0, event(delta("a", finish="stop"))), end=2.0)
    assert draft.failure is None
    assert (answer.text, answer.timing.end) == ("a", 2.0)


def test_done_without_a_finish_reason_is_whole():
    draft, answer = read((1.0, event(delta("a"))), (2.0, DONE))
    assert draft.failure is None
    assert (answer.text, answer.finish_reason) == ("a", None)


def test_nothing_counts_after_done():
    _, answer = read(
        (1.0, event(delta("a", finish="stop")) + DONE + event(delta("b"))), (9.0, b": bye\n\n")
    )
    assert (answer.text, answer.timing.end) == ("a", 1.0)


def test_an_empty_answer_that_stopped_is_an_answer():
    draft, answer = read((1.0, event(delta("", finish="stop"))), (2.0, DONE))
    assert draft.failure is None
    assert (answer.text, answer.finish_reason) == ("", "stop")
    assert answer.timing.first_token is None


def test_no_choice_at_all_is_empty():
    draft, _ = read((1.0, usage_event(prompt_tokens=5, completion_tokens=0)), (2.0, DONE))
    assert draft.failure.kind == "empty"


def test_an_event_cut_in_the_middle_by_a_polite_end_is_interrupted():
    draft, answer = read((1.0, event(delta("a"))), (2.0, event(delta("b"))[:30]))
    assert (draft.failure.kind, answer.text) == ("stream_interrupted", "a")


def test_a_page_instead_of_a_stream_is_malformed_and_quoted():
    draft, _ = read((1.0, b"<html><body>Sign in to the network</body></html>"))
    assert draft.failure.kind == "malformed_response"
    assert "Sign in" in draft.failure.message


def test_no_byte_at_all_is_an_interrupted_stream():
    draft, _ = read((1.0, b""))
    assert draft.failure.kind == "stream_interrupted"


@pytest.mark.parametrize(
    "data",
    [
        b"data: {broken\n\n",
        b"data: 17\n\n",
        b'data: {"choices": [7]}\n\n',
        b'data: {"choices": 7}\n\n',
        b'data: {"choices": [{"index": 0, "delta": {"content": 7}}]}\n\n',
        b"data: \xff\xfe\n\n",
    ],
)
@pytest.mark.parametrize("before", [b"", event(delta("a"))])
def test_what_is_no_chunk_is_malformed(before, data):
    draft, _ = read((1.0, before), (2.0, data), (3.0, event(delta("b", finish="stop")) + DONE))
    assert draft.failure.kind == "malformed_response"
    assert len(draft.failure.message) <= 500


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"error": {"message": "x", "type": "server_error", "code": None}}, "server"),
        ({"error": {"message": "x", "code": "rate_limit_exceeded"}}, "rate_limited"),
        (
            {"object": "error", "message": "x", "type": "BadRequestError", "code": 400},
            "bad_request",
        ),
        (
            {"object": "error", "message": "down", "type": "InternalServerError", "code": 500},
            "server",
        ),
        ({"error": {"code": 502, "message": "upstream"}, "choices": []}, "server"),
        ({"error": {"code": 429, "message": "slow"}, "choices": []}, "rate_limited"),
        ({"error": "overloaded, sorry"}, "server"),
        ({"error": {"type": "overloaded_error", "message": "x"}}, "overloaded"),
        (
            {
                **delta("", finish="error"),
                "error": {"code": "server_error", "message": "Provider disconnected"},
            },
            "server",
        ),
        (delta("", finish="error"), "server"),
    ],
)
@pytest.mark.parametrize("before", [b"", event(delta("a"))])
def test_an_error_inside_the_stream_is_a_failure(before, error, kind):
    draft, _ = read((1.0, before), (2.0, event(error)), (3.0, DONE))
    assert draft.failure.kind == kind


def test_an_error_event_that_is_no_json_is_a_failure_in_its_own_words():
    draft, _ = read((1.0, b"event: error\ndata: upstream went away\n\n"))
    assert draft.failure.kind == "server"
    assert "upstream went away" in draft.failure.message


def test_the_key_is_taken_out_of_an_error_inside_the_stream():
    draft, _ = read((1.0, event({"error": {"message": "bad key sk-secret-key!"}})))
    assert "sk-secret-key" not in draft.failure.message


def test_the_provider_and_system_fingerprint_are_kept():
    first = {**delta("a"), "provider": "Acme", "system_fingerprint": None}
    later = {**delta("b", finish="stop"), "system_fingerprint": "fp_7"}
    _, answer = read((1.0, event(first)), (2.0, event(later) + DONE))
    assert answer.system_fingerprint == "fp_7"
    assert answer.headers == {"provider": "Acme"}


def test_an_unstreamed_answer_has_no_token_times():
    import orjson  # noqa: PLC0415 - used here only

    message = {"role": "assistant", "content": "hi", "reasoning_content": "hm"}
    body = {
        "id": "chat-2",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }
    reader = ChatReader()
    reader.whole(orjson.dumps(body), 103.0)
    answer = reader.draft.completion(Marks(origin=100.0, sent=100.0, end=104.0, streamed=False))
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("hi", "hm", "length")
    assert (answer.timing.first_token, answer.timing.last_token) == (None, None)
    assert answer.timing.end == 3.0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>gateway</html>", "malformed_response"),
        (b"", "malformed_response"),
        (b'{"choices": []}', "empty"),
        (b'{"error": {"message": "no", "code": "context_length_exceeded"}}', "context_length"),
        (b'{"object": "error", "message": "no", "code": 503}', "overloaded"),
        (b"[1]", "malformed_response"),
    ],
)
def test_an_unstreamed_body_that_is_no_answer_is_a_failure(body, kind):
    reader = ChatReader()
    reader.whole(body, 1.0)
    assert reader.draft.failure.kind == kind
