"""Counts of tokens that no answer can have are unknown, never billed and never believed."""

from __future__ import annotations

import pytest

from befit.core.price import Usage
from befit.targets.usage import anthropic_usage, believable, openai_usage

HUGE = 10**12


@pytest.mark.parametrize(
    "raw",
    [
        {"prompt_tokens": HUGE, "completion_tokens": 1, "total_tokens": HUGE + 1},
        {"prompt_tokens": 1, "completion_tokens": HUGE},
        {"prompt_tokens": -5, "completion_tokens": 10, "total_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": -1},
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": HUGE},
        },
    ],
)
def test_absurd_counts_of_an_openai_answer_are_unknown(raw):
    assert openai_usage(raw) is None


@pytest.mark.parametrize(
    "raw",
    [
        {"input_tokens": HUGE, "output_tokens": 1},
        {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": HUGE},
    ],
)
def test_absurd_counts_of_an_anthropic_answer_are_unknown(raw):
    assert anthropic_usage(raw) is None


@pytest.mark.parametrize(
    ("shown", "taken", "said", "believed"),
    [
        (0, 0, True, False),
        (0, 7, True, False),
        (12, 0, True, False),
        (12, 0, False, True),  # an empty answer
        (12, 7, True, True),
    ],
)
def test_nothing_is_not_what_an_answer_has_cost(shown, taken, said, believed):
    usage = Usage(uncached_input=shown, text_output=taken)
    assert believable(usage, said=said) == (usage if believed else None)


def test_the_largest_contexts_there_are_are_believed():
    raw = {"prompt_tokens": 10_000_000, "completion_tokens": 1, "total_tokens": 10_000_001}
    assert openai_usage(raw).uncached_input == 10_000_000
