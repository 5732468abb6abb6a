"""The constraints scorer: strict and loose, whole and per instruction, on any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from befit.core.message import Message
from befit.core.sample import Sample
from befit.scorers.constraints import Constraints, variants
from befit.scorers.instructions.base import Answer
from constraint_cases import cases, scored, trial, value

JSON = {"kind": "json_only"}
NO_COMMA = {"kind": "no_comma"}
LOWER = {"kind": "all_lowercase"}


def test_chatter_before_the_answer_fails_strictly_and_passes_loosely():
    scores = scored('Sure!\n{"a": 1}', JSON)

    assert value(scores, "constraints") == 0.0
    assert value(scores, "constraints_loose") == 1.0
    assert value(scores, "instruction", "json_only") == 0.0
    assert value(scores, "instruction_loose", "json_only") == 1.0
    assert scores[0].label == "wrapped"


def test_loose_tries_eight_readings():
    assert variants("*a*\nb\nc*") == ["b\nc*", "*a*\nb", "b", "a\nb\nc", "b\nc", "a\nb"]


def test_empty_readings_are_no_readings():
    assert variants("**") == []


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_answer_follows_nothing(text):
    scores = scored(text, NO_COMMA)

    assert [score.value for score in scores] == [0.0] * 4
    assert scores[2].explanation == "empty answer"


def test_prompt_level_asks_for_all_and_instruction_level_for_each():
    # [[T, T], [T, F], [F]]: 1 of 3 prompts, 3 of 5 instructions.
    prompts = [
        scored("fine", NO_COMMA, LOWER),
        scored("Fine", NO_COMMA, LOWER),
        scored("a,b", NO_COMMA),
    ]
    whole = [value(scores, "constraints") for scores in prompts]
    each = [s.value for scores in prompts for s in scores if s.name == "instruction"]

    assert (sum(whole), len(whole)) == (1, 3)
    assert (sum(each), len(each)) == (3, 5)


def test_an_instruction_keeps_count_rule_span_and_label():
    part = scored("One, two.", {"kind": "words", "at_least": 300})[2]
    comma = scored("One, two.", NO_COMMA)[2]

    assert part.explanation == "2 words, at least 300 asked"
    assert part.rule == "words at_least=300"
    assert part.label == "words"
    assert comma.span == (3, 4)


def test_a_pass_keeps_its_span_too():
    part = scored("see the refund", {"kind": "keywords", "words": ["refund"]})[2]

    assert (part.value, part.label, part.span) == (1.0, None, (8, 14))


def test_instructions_of_one_kind_get_their_own_parts():
    scores = scored(
        "a b",
        {"kind": "words", "at_least": 1},
        {"kind": "words", "at_most": 1},
        {**LOWER, "id": "x"},
    )

    assert [s.part for s in scores if s.name == "instruction"] == ["words", "words_2", "x"]


def test_an_accent_counts_once_however_it_was_typed():
    decomposed = "cafe\u0301, cafe\u0301"
    count = {"kind": "keyword_count", "word": "caf\u00e9", "exactly": 2}

    assert value(scored(decomposed, count), "constraints") == 1.0
    assert scored(decomposed, count)[2].span is None


def test_the_request_is_the_last_thing_the_user_said():
    options = {"instructions": [{"kind": "repeat_prompt"}]}
    repeat = Constraints(Constraints.Options.model_validate(options))
    messages = (Message(role="user", content="Say hi."), Message(role="assistant", content="hi"))
    sample = Sample(id="s", input=(*messages, Message(role="user", content="Once more.")))

    assert repeat.score(sample, trial("Once more. hi"))[0].value == 1.0
    assert repeat.score(sample, trial("Say hi. hi"))[0].value == 0.0


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ({"kind": "wrods", "at_least": 3}, "wrods"),
        ({"kind": "words"}, "give at least one of"),
        ({"kind": "words", "at_least": 5, "less_than": 5}, "no count can be"),
        ({"kind": "words", "at_leats": 5}, "at_leats"),
        ({"kind": "matches", "pattern": "("}, "no regular expression"),
        ({"kind": "language", "code": "xx"}, "no language that can be told apart"),
        ({"kind": "keywords", "words": []}, "words"),
    ],
)
def test_a_mistake_in_the_options_is_named(instruction, said):
    with pytest.raises(ValidationError, match=said):
        Constraints.Options.model_validate({"instructions": [instruction]})


def test_no_instruction_is_a_mistake():
    with pytest.raises(ValidationError):
        Constraints.Options.model_validate({"instructions": []})


EVERYTHING = Constraints(
    Constraints.Options.model_validate(
        {
            "instructions": [
                case["instruction"]
                for case in cases("own")
                if case["instruction"]["kind"] != "language"
            ]
        }
    )
)
LANGUAGE = Constraints(
    Constraints.Options.model_validate({"instructions": [{"kind": "language", "code": "fr"}]})
)
HOSTILE = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=st.characters(), max_size=200),  # lone surrogates too
    st.text(alphabet='*-|[]<>"\n. #1a第（山', max_size=200),
)


@settings(max_examples=80, deadline=None)
@given(HOSTILE)
def test_no_text_makes_it_raise_and_strict_is_never_above_loose(text):
    sample = Sample(id="s", input="x")
    for scorer in (EVERYTHING, LANGUAGE):
        scores = scorer.score(sample, trial(text))
        strict = [s.value for s in scores if s.name == "instruction"]
        loose = [s.value for s in scores if s.name == "instruction_loose"]
        assert all(a <= b for a, b in zip(strict, loose, strict=True))
        for score in scores:
            assert score.value in {0.0, 1.0}
            assert score.span is None or 0 <= score.span[0] <= score.span[1] <= len(text)


MARKUP = [
    "[",
    "<<",
    "*",
    "**",
    ".",
    "-",
    "|-",
    "《",
    "第",
    "1.\n",
    "`",
    "_",
    "(山",
    "a.",
    "P.",
    "#",
]


@pytest.mark.parametrize("unit", MARKUP)
def test_long_runs_of_markup_are_read_in_linear_time(unit):
    # 100,000 characters and 75 checks: anything quadratic would run for minutes.
    answer = Answer(text=unit * (100_000 // len(unit)))

    assert all(check(answer).found for _, _, check in EVERYTHING._checks)
