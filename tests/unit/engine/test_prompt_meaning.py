"""Wordings that ask for the same pass; each way of losing something is named."""

from __future__ import annotations

import pytest

from befit.engine.prompt_meaning import doubts

PROMPT = 'Give the total of this invoice as JSON with at most 3 keys, or "not found".\n{input}'


@pytest.mark.parametrize(
    ("original", "other"),
    [
        (
            PROMPT,
            "Return the invoice's total in JSON, at most 3 keys; else 'not found'.\n{input}",
        ),
        (
            PROMPT,
            '{input}\n\nWhat is the total? JSON, up to three keys, "not found" if there is none.',
        ),
        ("Answer with the value only.\n{input}", "{input}\nReply with just the value."),
        ("Answer with the value only.\n{input}", "Give the value and nothing else.\n{input}"),
        ("Don't guess. {question}", "Never guess: {question}"),
        ("Keep {{braces}} and {input}", "{input}: braces {{braces}} stay"),
    ],
)
def test_a_wording_that_asks_for_the_same_passes(original, other):
    assert doubts(original, other) == ()


@pytest.mark.parametrize(
    ("other", "what", "text"),
    [
        (PROMPT.replace("{input}", ""), "placeholder", "{input} stands there 0 times instead of 1"),
        (PROMPT + "{input}", "placeholder", "{input} stands there 2 times instead of 1"),
        (PROMPT + "{text}", "placeholder", "{text} stands there 1 times instead of 0"),
        (PROMPT.replace("3", "4"), "number", "'3' is lost"),
        (PROMPT.replace("not found", "unknown"), "literal", "'not found' is lost"),
        (PROMPT.replace('"not found"', 'nothing, or "N/A"'), "literal", "'N/A' is new"),
        (PROMPT.replace("as JSON ", "as YAML "), "format or language", "'yaml' is new"),
        (PROMPT.replace("at most 3", "3"), "constraint", "'at most' is lost"),
        (PROMPT + " Answer in one sentence.", "constraint", "'a sentence' is new"),
        (PROMPT + " Do not guess.", "constraint", "'not' is new"),
        (PROMPT.upper().replace("{INPUT}", "{input}"), "wording", "it is the prompt as it is"),
    ],
)
def test_what_is_lost_or_new_is_named(other, what, text):
    found = {(one.what, one.text) for one in doubts(PROMPT, other)}
    assert (what, text) in found
