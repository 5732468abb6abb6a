"""Chunks that repeat one form, read at once: nothing differs from reading them one by one."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from befit.targets.wire.alike import Alike, Padded
from befit.targets.wire.chat import ChatReader
from befit.targets.wire.draft import Marks
from befit.targets.wire.reader import AnswerReader
from chat_ground import ORIGIN, usage_event
from wire_server import DONE, delta, event


class OneByOne(ChatReader):
    """The same dialect without the shorter ways through a stream."""

    read_stream = AnswerReader.read_stream


def outcome(reader, reads):
    """All that a stream, fed one read a second, leaves behind."""
    moment = ORIGIN
    for data in reads:
        moment += 1.0
        reader.feed(data, moment)
        if reader.draft.failure is not None:
            break
    reader.finish(moment + 1.0)
    marks = Marks(origin=ORIGIN, sent=ORIGIN, first_byte=ORIGIN + 0.5, end=moment + 1.0)
    # How the text was put together is no difference; everything else is.
    return replace(reader.draft, text=["".join(reader.draft.text)]), reader.draft.completion(marks)


def both(stream, cuts=()):
    """What a stream leaves behind, read by the shorter ways and event by event."""
    edges = [0, *sorted(cuts), len(stream)]
    reads = [stream[a:b] for a, b in pairwise(edges)]
    return outcome(ChatReader(), reads), outcome(OneByOne(), reads)


def same(stream, cuts=()):
    found, one_by_one = both(stream, cuts)
    assert found == one_by_one
    return found


TEXT = st.sampled_from(
    [
        "",
        "a",
        " the",
        "\n",
        '"',
        "\\",
        'say "yes"',
        "né 世界 🎉",
        "\u2028",
        "data: x",
        "\n\ndata: ",
        "x",
    ]
)
FINISHED = event(delta("", finish="stop"))


def spaced(value):
    """As Python's own writer puts it, with blanks and escapes."""
    return event(json.dumps(value).encode())


def padded(text, pad):
    return event({**delta(text), "obfuscation": pad})


EVENTS = st.one_of(
    TEXT.map(lambda text: event(delta(text))),
    TEXT.map(lambda text: event(delta(text))),
    TEXT.map(lambda text: spaced(delta(text))),
    st.builds(padded, TEXT, st.sampled_from(["x", "yy", "content", "", 'a"b', "é", "7", "\\"])),
    st.builds(padded, TEXT, st.sampled_from(["abc", "abd", "q=", "Zz09"])),
    TEXT.map(lambda text: event(delta(text, role="assistant"))),
    TEXT.map(lambda text: event(delta(text, finish="stop"))),
    TEXT.map(lambda text: event(delta(reasoning_content=text))),
    TEXT.map(lambda text: event({**delta(text), "usage": None})),
    TEXT.map(lambda text: event(delta(text), end=b"\r\n\r\n")),
    TEXT.map(lambda text: b"event: chunk\n" + event(delta(text))),
    TEXT.map(lambda text: b": ping\n\n" + event(delta(text))),
    st.sampled_from(
        [
            b": ping\n\n",
            b"\n",
            DONE,
            usage_event(prompt_tokens=3, completion_tokens=6, total_tokens=9),
            event(delta(tool_calls=[{"index": 0, "id": "c", "function": {"name": "f"}}])),
            event({"error": {"message": "no", "code": "rate_limit_exceeded"}}),
            event(delta()),
            event(b"{broken"),
            event(b"17"),
        ]
    ),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(EVENTS, max_size=14), st.lists(st.floats(0, 1), max_size=6))
@example([event(delta("")), b"\n"], [])
def test_any_stream_cut_anywhere_reads_as_if_one_by_one(events, cuts):
    stream = b"".join(events)
    found, one_by_one = both(stream, [int(cut * len(stream)) for cut in cuts])
    assert found == one_by_one


@settings(max_examples=120, deadline=None)
@given(st.lists(st.binary(max_size=6) | st.sampled_from([b'","', b'",\n"', b"\\", b'"', b"\n\n"])))
@example([b"\\", b',"b'])
@example([b'b","c', b"\\"])
@example([b'a",\n"x",\n"b'])
@example([b'a",\r"x'])
@example([b"a\ndata: b"])
def test_a_form_filled_with_any_bytes_reads_as_if_one_by_one(written):
    """Hostile texts: quotes, separators, lines and ends of their own where a text should be."""
    form, _ = Alike.around(orjson.dumps(delta("first")))
    stream = event(delta("first")) + b"".join(form.head + one + form.tail for one in written)
    found, one_by_one = both(stream + FINISHED + DONE)
    assert found == one_by_one
    found, one_by_one = both(event(delta("0")) * 3 + stream + FINISHED + DONE, [len(stream) // 2])
    assert found == one_by_one


@pytest.mark.parametrize("write", [event, spaced])
def test_a_run_of_one_form_is_read_whole(write):
    texts = [f" wörd {i}" for i in range(50)]
    stream = b"".join(write(delta(text)) for text in texts) + FINISHED + DONE
    draft, answer = same(stream)
    assert answer.text == "".join(texts)
    assert (answer.timing.first_token, answer.timing.last_token) == (1.0, 1.0)
    assert draft.failure is None


def test_the_moment_of_the_last_text_is_that_of_the_last_that_was_not_empty():
    reads = [
        event(delta("a")),
        event(delta("b")),
        event(delta("c")) * 2,
        event(delta("")) * 3,
        DONE,
    ]
    _, answer = outcome(ChatReader(), reads)
    assert answer == outcome(OneByOne(), reads)[1]
    assert (answer.text, answer.timing.last_token, answer.timing.end) == ("abcc", 3.0, 5.0)


def test_an_error_amid_a_run_of_one_form_is_the_failure():
    stream = event(delta("a")) * 9 + event({"error": {"code": 502, "message": "gone"}})
    draft, answer = same(stream + event(delta("b")) * 9 + DONE)
    assert draft.failure.kind == "server"
    assert answer.text == "a" * 9


def test_a_date_that_changes_within_a_stream_changes_nothing_else():
    stream = b"".join(event({**delta(f"{i} "), "created": 1000 + i // 7}) for i in range(60))
    _, answer = same(stream + FINISHED + DONE)
    assert answer.text == "".join(f"{i} " for i in range(60))


def test_log_probabilities_are_not_passed_over():
    def sure(text):
        value = delta(text)
        value["choices"][0]["logprobs"] = {"content": [{"token": text, "logprob": -0.5}]}
        return event(value)

    _, answer = same(b"".join(sure(t) for t in "abcdef") + FINISHED + DONE)
    assert [token for token, _, _ in answer.logprobs] == list("abcdef")


@pytest.mark.parametrize(
    "value",
    [
        {**delta("a"), "note": {"content": "other"}},
        {"note": {"content": "other"}, **delta("a")},
        {"note": {"content": "a"}, **delta("a")},
    ],
)
def test_another_field_of_the_same_name_is_not_taken_for_the_text(value):
    changed = {**value, "note": {"content": "changed"}}
    _, answer = same(event(value) * 3 + event(changed) * 3 + FINISHED + DONE)
    assert answer.text == "a" * 6


def test_an_event_without_text_has_no_form():
    assert Alike.around(orjson.dumps(delta(finish="stop"))) is None
    assert Alike.around(b'{"content": "a",\n"b": 1}') is None


def test_only_texts_in_the_very_same_form_are_taken():
    form, written = Alike.around(b'{"content":"a"}')
    assert written == b"a"
    assert form.filled(b"b") == b'{"content":"b"}'
    stream = b'data: {"content":"a"}\n\ndata: {"content":"\\u00e9\\n"}\n\n'
    assert form.read(stream, 0) == ("aé\n", len(stream))
    more = stream + b'data: {"content":7}\n\n'
    assert form.read(more, 0) == ("aé\n", len(stream))
    assert form.read(more, len(stream)) is None
    assert form.read(b'data: {"content":"a","b":1}\n\n', 0) is None


def form_of_padded():
    one, other = (Alike.around(orjson.dumps({**delta("a"), "pad": pad}))[0] for pad in ("b", "cc"))
    return Padded.of(one, other)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.binary(max_size=6) | st.sampled_from([b'","pad":"', b'"', b"\\", b"\n\n"])))
@example([b"\\"])
@example([b'a"}}],"pad":"x'])
@example([b'a",\n"x'])
def test_a_padded_form_filled_with_any_bytes_reads_as_if_one_by_one(written):
    form = form_of_padded()
    around = [form.head + b"%b" + form.middle + b"p" * n + form.tail for n in range(3)]
    begun = b"".join(one.replace(b"%b", b"t") for one in around)
    filled = b"".join(around[i % 3].replace(b"%b", one) for i, one in enumerate(written))
    found, one_by_one = both(begun + filled + FINISHED + DONE)
    assert found == one_by_one
    swapped = (form.head + b"t" + form.middle + one + form.tail for one in written)
    found, one_by_one = both(begun + b"".join(swapped) + FINISHED + DONE, [len(begun)])
    assert found == one_by_one


def test_a_padded_run_is_read_at_once_up_to_its_last_event():
    form = form_of_padded()
    run = b"".join(event({**delta(f"wörd {i} "), "pad": "x" * (i % 5)}) for i in range(20))
    ending = event({**delta("", finish="stop"), "pad": "yy"})
    assert form.read(run + ending, 0) == ("".join(f"wörd {i} " for i in range(20)), len(run))
    assert form.read(run, 3) is None
    assert form.read(ending, 0) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"created": 17}, {"created": 29}),
        ({"pad": "a b"}, {"pad": "c"}),
        ({"pad": "a", "n": 1}, {"pad": "b", "n": 2}),
        ({"key1": "a"}, {"key2": "a"}),
        ({"pad": "a"}, {"pad": ["b"]}),
        ({"pad": "a"}, {"pad": "a"}),
    ],
)
def test_what_differs_in_more_than_one_plain_string_has_no_padded_form(one, other):
    forms = [Alike.around(orjson.dumps({**delta("t"), **extra}))[0] for extra in (one, other)]
    assert Padded.of(*forms) is None


def test_a_string_that_decides_what_an_event_is_is_no_padding():
    """A finish reason is a string behind the text as well."""
    stream = b"".join(event(delta("a", finish=reason)) for reason in ("stop", "eos", "length"))
    draft, answer = same(event(delta("x")) * 2 + stream + event(delta("b")) + DONE)
    assert (answer.finish_reason, draft.failure) == ("length", None)
