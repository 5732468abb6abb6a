from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from befit.core.completion import Completion
from befit.core.message import Message, ToolCall
from befit.core.trial import Trial, TrialKey
from befit.storage.codec import answer_hash, pack, plain, unpack
from befit.storage.trial_record import read_trial, trial_body

TEXT = st.text(st.characters(), max_size=700)  # surrogates and NUL among them
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_every_json_value_comes_back_equal(value):
    if json.dumps(value).find("Infinity") >= 0:
        return  # JSON has no infinities
    assert unpack(pack(value)) == value


@given(TEXT, TEXT, st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_conversation_comes_back_equal(said, answered, quoted):
    call = ToolCall(id="1", name=said[:5], arguments=answered)
    last = Message(role="assistant", content=answered if quoted else said, tool_calls=(call,))
    trial = Trial(
        key=TrialKey("c", "e", "i", said, 3),
        transcript=(
            Message(role="user", content=said),
            Message(role="assistant", content=answered),
            Message(role="user", content=answered),
            last,
        ),
        completions=(Completion(text=answered), Completion(text=answered, tool_calls=(call,))),
    )
    assert read_trial(trial_body(trial)) == trial


@given(TEXT)
@settings(max_examples=100, deadline=None)
def test_plain_text_fits_every_database_and_ordinary_text_is_not_changed(text):
    clean = plain(text)
    assert "\0" not in clean
    clean.encode()  # no lone surrogate
    if "\0" not in text and text.isprintable():
        assert clean == text


@pytest.mark.parametrize("text", ["two\nlines\ttab", "\u202eabc", "naïve 東京 \U0001f600"])
def test_control_characters_stay_in_plain_text(text):
    assert plain(text) == text


def test_an_answer_that_is_no_json_still_has_a_hash_and_a_record():
    odd = {"when": {1}, "n": float("inf"), 3: "three"}
    assert answer_hash(odd) == answer_hash(dict(odd))
    assert "three" in json.dumps(unpack(pack(odd)))


def test_a_damaged_record_is_told_as_such():
    body = pack("x" * 5000)
    assert unpack(body) == "x" * 5000
    with pytest.raises(ValueError, match="damaged"):
        unpack(body[:-20] + b"\0" * 20)
