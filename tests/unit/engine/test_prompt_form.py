"""A wording that is no prompt is refused in one line, whatever else it lacks."""

from __future__ import annotations

import pytest

from befit.engine.prompt_form import unusable

PROMPT = "Give only the number: what is the total of this invoice, with all taxes?\n{input}"


@pytest.mark.parametrize(
    "other",
    [
        "Total with all taxes? Only the number.\n{input}",
        "{input}\n\nPlease read the invoice above. Add up what it says. Then give the number.",
        "请只给出这张发票含税总额的数字。\n{input}",
    ],
)
def test_shorter_and_longer_prompts_are_taken(other):
    assert unusable(PROMPT, other) is None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (" \n", "it is empty"),
        ("{input}", "it asks nothing: only placeholders are left"),
        ("Sum?\n{input}", "it has 4 characters beside the placeholders, and a prompt of 72 needs"),
        (PROMPT + " word" * 10_000, "it has 50,080 characters, and at most 520 are taken for"),
        ("Total? Give the number. Give the number. Give the number. {input}", "the same 3 times"),
        ("the total of it and " * 6 + "{input}", "it says the same 6 times: 'the total of it'"),
        ("Give only the total " + "a" * 150 + "\n{input}", "it holds a word of 150 letters"),
        ("<prompt>\nOnly the number: the total?\n{input}", "it was cut off, or holds the marks"),
        ("Sure! Here is the prompt:\nOnly the number: total?\n{input}", "begins with words to you"),
        ("Only the number:\x00 the total?\n{input}", "characters that are no text (U+0000)"),
    ],
)
def test_what_is_no_prompt_is_refused_with_its_reason(other, why):
    found = unusable(PROMPT, other)
    assert found is not None
    assert why in found


def test_what_the_prompt_itself_repeats_may_be_repeated():
    prompt = "One word. One word. One word.\n{input}"
    assert unusable(prompt, "A word. A word. A word. {input}") is None
    assert unusable("See <prompt>.\n{input}", "Look at <prompt>.\n{input}") is None
