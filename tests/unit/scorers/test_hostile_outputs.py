"""Model output is hostile: no scorer breaks on it, and every span lies within it."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from scorer_ground import CLASSES, answered, scorer, wanting

SPECS = {
    "a": "text",
    "n": {"type": "number", "locale": "de"},
    "d": "date",
    "l": {"type": "list", "items": "number"},
    "e": {"type": "enum", "values": ["x"]},
    "b": "boolean",
    "i": "integer",
}
TARGET = {"a": "x", "n": 5, "d": "2025-01-02", "l": [1, 2], "e": "x"}
JUDGES = [
    *(
        (scorer("match", **options), target)
        for options, target in (
            ({}, "x"),
            ({"exact": True}, "x"),
            ({"contains": True}, "20"),
            ({"contains": True}, "é"),
            ({"numeric": True}, 5),
            ({"numeric": {"locale": "fr", "units": ["kg"]}}, "5 kg"),
            ({"numeric": {"locale": "en-IN"}, "where": "boxed"}, 5),
            ({"numeric": True, "after": "A:"}, 5),
            ({"regex": r"\d+"}, None),
            ({"choice": True}, "B"),
            ({"where": "last_line"}, "x"),
        )
    ),
    *(
        (scorer("structure", **options), None)
        for options in (
            {},
            {"schema": {"type": "object", "required": ["a"]}},
            {"fields": {"a": {"type": "string", "values": ["x"]}, "b.c": {}}, "embedded": True},
            {"format": "csv", "columns": ["a", "b"], "rows": 1},
            {"format": "markdown", "columns": ["a"], "rows": 1, "embedded": True},
        )
    ),
    (scorer("fields", fields=SPECS), TARGET),
    (scorer("fields", fields=SPECS, input="lines"), TARGET),
]


def check(text):
    trial = answered(text)
    for judge, target in JUDGES:
        scores = judge.score(wanting(target), trial)
        assert [score.name for score in scores if score.part is None].count(judge.primary) == 1
        for score in scores:
            assert score.value is None or 0.0 <= score.value <= 1.0
            assert score.rule
            assert score.label
            if score.span is not None:
                assert 0 <= score.span[0] <= score.span[1] <= len(text)
            # Whatever is kept can be stored and sent.
            orjson.dumps([score.answer, score.explanation, score.rule, score.label])


ODD = st.text(alphabet=st.characters(), max_size=30)
SURROGATES = st.lists(
    st.sampled_from(["\ud800", "\udfff", "\x00", "é", "{", "}", "5", "A:", '"', "|", "\n", "B"]),
    max_size=12,
).map("".join)
JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SPECS, "z", ""]), inner, max_size=4)
    ),
    max_leaves=12,
).map(json.dumps)
PIECES = st.lists(
    st.sampled_from(
        (
            *("```json\n", "```", "\n", "{", "}", "[", "]", '"a": ', "a: ", "n: 1.234,5"),
            *("| a | b |\n", "|---|---|\n", "\\boxed{", "####", "The answer is ", "(B)", "20"),
            *("2025-01-01", ",", "%"),
        )
    ),
    max_size=20,
).map("".join)


@given(ODD | SURROGATES | PIECES)
@settings(max_examples=120, deadline=None)
def test_no_text_breaks_a_scorer_and_spans_lie_within_it(text):
    check(text)


@given(JSONISH.filter(lambda text: len(text) < 5000))
@settings(max_examples=80, deadline=None)
def test_no_json_value_breaks_a_scorer(text):
    check(text)


BOMBS = {
    "megabyte of text": "word " * 200_000,
    "many digits": "1" * 300_000,
    "long and beyond ASCII": "é" * 200_000,
    "NUL": "\x00" * 1000,
    "lone surrogates": "\ud800" * 1000,
    "open brackets": "[" * 100_000,
    "open braces": '{"a":' * 100_000,
    "closed nesting": "[" * 100_000 + "]" * 100_000,
    "nesting the parser takes": "[" * 900 + "]" * 900,
    "nested objects": '{"a":' * 900 + "1" + "}" * 900,
    "nesting in prose": "see " + "[" * 900 + "]" * 900,
    "fences": "```\n" * 20_000,
    "boxes": "\\boxed{" * 20_000,
    "huge exponent": '{"n": 1e999, "i": 1e308}',
    "huge integer": '{"n": ' + "9" * 10_000 + "}",
    "markers": "A:" * 40_000,
    "answers": "the answer is " * 10_000,
    "table": "|a|b|\n|-|-|\n" + "|1|2|\n" * 10_000,
    "dashes": "|a|\n" + "-" * 200_000 + "x|",
    "long list": '{"l": [' + ",".join("1" * 5000) + "]}",
    "spaces": " " * 100_000 + "x" + "\n" * 100_000,
    "stars": "*" * 60_000,
    "quotes": '"' * 60_000,
    "escapes": '"\\' * 150_000,
    "commas": "1," * 60_000,
    "spaced digits": "1 " * 60_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_breaks_a_scorer(name):
    check(BOMBS[name])


SHORT_FORMS = {
    "match": [
        *({}, {"numeric": True}, {"numeric": {"tolerance": 0.1, "units": ["kg"]}}),
        *({"regex": "x"}, {"regex": True}, {"one_of": ["a"]}, {"choice": True}, {"after": "####"}),
    ],
    "structure": [{"schema": {"type": "object"}}, {"fields": ["a"]}, {"format": "csv", "rows": 3}],
    "fields": [{"fields": ["a"]}, {"fields": {"a": "date"}}, {"fields": SPECS}],
    "python": [{"function": "a:b"}],
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_published_schema_of_options_takes_the_short_forms_and_describes_every_option(name):
    options = CLASSES[name].Options
    schema = options.model_json_schema()
    validator = Draft202012Validator(schema)
    for form in SHORT_FORMS[name]:
        options.model_validate(form)
        validator.validate(form)
    assert not validator.is_valid({"nonsense": 1})
    models = [schema, *schema.get("$defs", {}).values()]
    for model in models:
        for key, property_ in model.get("properties", {}).items():
            assert property_.get("description"), key
