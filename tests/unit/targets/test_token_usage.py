"""Token counts become disjoint; the known double-counting cases are worked out to the cent."""

from __future__ import annotations

from decimal import Decimal

import pytest

from befit.core.completion import Completion
from befit.core.price import Price, Usage, cost
from befit.targets.usage import anthropic_usage, hidden_reasoning, openai_usage

# USD per million tokens; a cached token costs a tenth, a written one a quarter more (1 h: double).
PRICE = Price(
    input=Decimal(3),
    output=Decimal(15),
    cache_read=Decimal("0.3"),
    cache_write_5m=Decimal("3.75"),
    cache_write_1h=Decimal(6),
)


def openai(prompt, completion, total=None, before=None, after=None, **more):
    raw = {"prompt_tokens": prompt, "completion_tokens": completion, **more}
    raw |= {} if total is None else {"total_tokens": total}
    raw |= {} if before is None else {"prompt_tokens_details": before}
    raw |= {} if after is None else {"completion_tokens_details": after}
    return openai_usage(raw)


def test_cached_tokens_are_inside_the_prompt_and_billed_once():
    usage = openai(10_000, 100, 10_100, {"cached_tokens": 9_000})
    assert (usage.uncached_input, usage.cache_read, usage.text_output) == (1_000, 9_000, 100)
    # 1,000 x 3 + 9,000 x 0.3 + 100 x 15 = 3,000 + 2,700 + 1,500 = 7,200 per million = 0.72 cents.
    # Counting the cached tokens twice would give 30,000 + 2,700 + 1,500 = 3.42 cents.
    assert cost(usage, PRICE) == Decimal("0.0072")


def test_anthropic_input_excludes_what_was_cached():
    usage = anthropic_usage(
        {
            "input_tokens": 1_000,
            "cache_read_input_tokens": 9_000,
            "cache_creation_input_tokens": 2_000,
            "output_tokens": 100,
        }
    )
    assert (usage.uncached_input, usage.input_tokens) == (1_000, 12_000)
    # 1,000 x 3 + 9,000 x 0.3 + 2,000 x 3.75 + 100 x 15 = 3,000 + 2,700 + 7,500 + 1,500 = 14,700.
    assert cost(usage, PRICE) == Decimal("0.0147")


def test_cache_writes_of_an_hour_cost_their_own_price():
    usage = anthropic_usage(
        {
            "input_tokens": 0,
            "cache_creation_input_tokens": 1_500,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 500,
                "ephemeral_1h_input_tokens": 1_000,
            },
            "output_tokens": 0,
        }
    )
    assert (usage.cache_write_5m, usage.cache_write_1h) == (500, 1_000)
    # 500 x 3.75 + 1,000 x 6 = 1,875 + 6,000 = 7,875 per million.
    assert cost(usage, PRICE) == Decimal("0.007875")


def test_openai_cache_writes_are_inside_the_prompt():
    usage = openai(1_000, 10, 1_010, {"cached_tokens": 600, "cache_write_tokens": 300})
    assert (usage.uncached_input, usage.cache_read, usage.cache_write_5m) == (100, 600, 300)
    # 100 x 3 + 600 x 0.3 + 300 x 3.75 + 10 x 15 = 300 + 180 + 1,125 + 150 = 1,755.
    assert cost(usage, PRICE) == Decimal("0.001755")


def test_the_same_cached_tokens_under_two_names_count_once():
    usage = openai(
        1_000,
        10,
        1_010,
        {"cached_tokens": 400},
        cache_read_input_tokens=400,
        prompt_cache_hit_tokens=400,
    )
    assert (usage.uncached_input, usage.cache_read) == (600, 400)


@pytest.mark.parametrize("name", ["prompt_cache_hit_tokens", "cached_tokens"])
def test_top_level_spellings_of_cached_tokens_are_read(name):
    usage = openai(1_000, 10, 1_010, **{name: 400})
    assert (usage.uncached_input, usage.cache_read) == (600, 400)


def test_reasoning_is_inside_the_completion():
    usage = openai(10, 500, 510, after={"reasoning_tokens": 400})
    assert (usage.text_output, usage.reasoning_output, usage.output_tokens) == (100, 400, 500)
    # (10 x 3 + 500 x 15) per million; with reasoning on top it would be 13,530.
    assert cost(usage, PRICE) == Decimal("0.00753")


def test_reasoning_beside_the_completion_is_told_by_the_total():
    usage = openai(10, 100, 510, after={"reasoning_tokens": 400})
    assert (usage.text_output, usage.reasoning_output) == (100, 400)
    assert cost(usage, PRICE) == Decimal("0.00753")


def test_thinking_that_shows_only_in_the_total_is_billed_as_reasoning():
    usage = openai(10, 100, 510)
    assert (usage.text_output, usage.reasoning_output) == (100, 400)


def test_cached_tokens_beside_the_prompt_are_told_by_the_total():
    usage = openai(100, 10, 1_010, {"cached_tokens": 900})
    assert (usage.uncached_input, usage.cache_read) == (100, 900)


def test_images_and_sound_are_classes_of_their_own():
    usage = openai(
        1_000,
        300,
        1_300,
        {"image_tokens": 500, "audio_tokens": 200},
        {"audio_tokens": 250},
    )
    assert usage == Usage(
        uncached_input=300, image_input=500, audio_input=200, text_output=50, audio_output=250
    )
    assert (usage.input_tokens, usage.output_tokens) == (1_000, 300)


def test_predicted_tokens_are_ordinary_output():
    usage = openai(10, 50, 60, after={"rejected_prediction_tokens": 20})
    assert usage.text_output == 50


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        {"prompt_tokens": 5},
        {"completion_tokens": 5},
        {"prompt_tokens": "5", "completion_tokens": 5},
        {"prompt_tokens": -5, "completion_tokens": 5},
        {"prompt_tokens": 1.5, "completion_tokens": 5},
        {"prompt_tokens": True, "completion_tokens": 5},
        {"prompt_tokens": float("inf"), "completion_tokens": 5},
        # negative remainders
        {"prompt_tokens": 5, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}},
        {
            "prompt_tokens": 5,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 9},
        },
        # a total that nothing explains
        {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 7},
        {
            "prompt_tokens": 5,
            "completion_tokens": 5,
            "total_tokens": 99,
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    ],
)
def test_counts_that_do_not_add_up_are_unknown(raw):
    assert openai_usage(raw) is None
    assert cost(openai_usage(raw), PRICE) is None


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {"input_tokens": 5},
        {"input_tokens": -1, "output_tokens": 5},
        {
            "input_tokens": 5,
            "output_tokens": 5,
            "cache_creation_input_tokens": 10,
            "cache_creation": {"ephemeral_1h_input_tokens": 11},
        },
        {
            "input_tokens": 5,
            "output_tokens": 5,
            "output_tokens_details": {"thinking_tokens": 6},
        },
    ],
)
def test_anthropic_counts_that_do_not_add_up_are_unknown(raw):
    assert anthropic_usage(raw) is None


def test_anthropic_thinking_is_inside_the_output():
    usage = anthropic_usage(
        {"input_tokens": 1, "output_tokens": 90, "output_tokens_details": {"thinking_tokens": 60}}
    )
    assert (usage.text_output, usage.reasoning_output) == (30, 60)


def test_shown_reasoning_is_not_hidden():
    usage = Usage(text_output=1, reasoning_output=9)
    assert hidden_reasoning(Completion(text="a", usage=usage))
    assert not hidden_reasoning(Completion(text="a", reasoning="hm", usage=usage))
    assert not hidden_reasoning(Completion(text="a", usage=Usage(text_output=9)))
    assert not hidden_reasoning(Completion(text="a"))
