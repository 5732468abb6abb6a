"""Digits and colons as Chinese and Japanese keyboards write them are digits and colons."""

from __future__ import annotations

import pytest

from befit.core.sample import Sample
from befit.scorers.match import Match
from scorer_ground import answered, named


def wide(text):
    """The text with its ASCII characters at full width."""
    return "".join(chr(ord(char) + 0xFEE0) for char in text)


COLON, COMMA = wide(":"), wide(",")
AFTER = {"numeric": True, "where": "after", "after": "Answer:"}


def judged(text, *, target=86, **options):
    scorer = Match(Match.Options.model_validate(options))
    return named(scorer.score(Sample(id="s", input="?", target=target), answered(text)), "match")


@pytest.mark.parametrize(
    "text",
    [
        f"Answer{COLON}86",
        f"Answer: {wide('86')}",
        f"Answer{COLON}{wide('86')}",
        "Answer : 86",
        f"Answer{COLON}**86**",
        f"我算了。\nAnswer{COLON}86本",
    ],
)
def test_a_number_after_a_marker_is_found_in_any_width(text):
    found = judged(text, **AFTER)
    assert (found.value, found.label, found.answer.partition(" ")[0]) == (1.0, "right", "86")
    start, end = found.span
    assert text[start:end].rstrip("本") in {"86", wide("86")}


def test_words_after_a_marker_are_found_in_any_width():
    options = {"mode": "normalised", "where": "after", "after": "Answer:"}
    assert judged(f"Answer{COLON}Ann", target="Ann", **options).value == 1.0
    assert judged("Answer Ann", target="Ann", **options).label == "wrong_format"


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [
        (wide("1,234"), 1234, 1.0),
        (wide("12.5"), 12.5, 1.0),
        (wide("-5"), -5, 1.0),
        # A list is no number in groups.
        (f"3{COMMA}5{COMMA}7", 7, 1.0),
        (f"86{COMMA}谢谢", 86, 1.0),
        (wide("87"), 86, 0.0),
    ],
)
def test_full_width_numbers_are_numbers_and_a_list_is_none(text, target, value):
    assert judged(text, target=target, numeric=True).value == value
