"""Server-sent events: any cut of the bytes gives the same events."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from befit.targets.sse import MAX_EVENT_BYTES, EventParser


def events(*chunks):
    parser = EventParser()
    found = [event for chunk in chunks for event in parser.feed(chunk)]
    return found + parser.finish()


STREAM = (
    ": keep-alive\n\n"
    'data: {"a": "héllo 世界 🎉"}\r\n\r\n'
    "event: note\ndata: one\ndata: two\nid: 7\nretry: 10\n\n"
    "data:no space\r\r"
    "data:  two spaces\n\n"
    "data: [DONE]\n\n"
).encode()

EXPECTED = [
    ("", '{"a": "héllo 世界 🎉"}'.encode()),
    ("note", b"one\ntwo"),
    ("", b"no space"),
    ("", b" two spaces"),
    ("", b"[DONE]"),
]


def test_comments_names_ids_and_all_line_ends_are_read():
    assert events(STREAM) == EXPECTED


def test_every_single_cut_gives_the_same_events():
    for cut in range(len(STREAM)):
        assert events(STREAM[:cut], STREAM[cut:]) == EXPECTED, cut


def test_bytes_one_at_a_time_give_the_same_events():
    assert events(*(STREAM[i : i + 1] for i in range(len(STREAM)))) == EXPECTED


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_any_cuts_give_the_same_events(cuts):
    edges = [0, *sorted(cuts), len(STREAM)]
    assert events(*(STREAM[a:b] for a, b in pairwise(edges))) == EXPECTED


def test_an_event_is_given_out_by_the_chunk_that_ends_it():
    parser = EventParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.feed(b"\ndata: b\n\ndata: c\n\nda") == [("", b"a"), ("", b"b"), ("", b"c")]
    assert parser.feed(b"ta: d\r\n\r") == []
    assert parser.feed(b"\n") == [("", b"d")]


def test_a_byte_order_mark_is_no_part_of_the_first_event():
    assert events(b"\xef\xbb", b"\xbfdata: a\n\n") == [("", b"a")]


def test_a_last_event_without_its_empty_line_still_counts():
    assert events(b"data: a\n\ndata: b") == [("", b"a"), ("", b"b")]


def test_an_endless_event_is_refused():
    parser = EventParser()
    parser.feed(b"data: ")
    with pytest.raises(ValueError, match="32 MiB"):
        parser.feed(b"x" * MAX_EVENT_BYTES)
