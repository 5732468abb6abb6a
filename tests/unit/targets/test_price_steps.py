"""Prices with steps by input length, and what the spend cap makes of them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from befit.core.price import Price, Usage, cost
from befit.engine.budget import upper_bound
from befit.targets.usage import anthropic_usage, openai_usage

HIGH = Price(input=6, output=20)
STEPPED = Price(input=3, output=10, above_tokens=1000, above=HIGH)


def test_the_step_is_a_cliff_for_the_whole_request():
    assert cost(Usage(uncached_input=1000, text_output=10), STEPPED) == Decimal("0.0031")
    # 1,001 x 6 + 10 x 20 = 6,206 per million.
    assert cost(Usage(uncached_input=1001, text_output=10), STEPPED) == Decimal("0.006206")


def test_cached_tokens_count_for_the_step():
    usage = Usage(uncached_input=1, cache_read=1000)
    assert cost(usage, STEPPED) == Decimal("0.006006")


def test_the_bound_of_a_long_request_is_at_the_higher_rates():
    assert upper_bound(STEPPED, input_tokens=1001, output_tokens=10) == Decimal("0.006206")
    assert upper_bound(STEPPED, input_tokens=1000, output_tokens=10) == Decimal("0.0031")


def test_a_step_needs_both_its_limit_and_its_price():
    with pytest.raises(ValidationError):
        Price(input=1, output=2, above_tokens=10)


def test_a_price_without_steps_keeps_the_snapshot_id_it_always_had():
    # Made before steps and services existed; results refer to it.
    price = Price(input=3, output=15, cache_read=Decimal("0.3"))
    assert price.fingerprint == "b527e06b1d3e18f865f84f21"
    assert price.fingerprint != price.model_copy(update={"service": "batch"}).fingerprint
    assert STEPPED.fingerprint != Price(input=3, output=10).fingerprint


def test_two_providers_ways_of_counting_the_same_call_cost_the_same_cents():
    """10,000 input tokens, of them 6,000 read from the cache; 500 output, of them 300 thinking.

    By hand: 4,000 x 3 + 6,000 x 0.3 + 500 x 15 = 12,000 + 1,800 + 7,500 = 21,300 per million
    = 2.13 cents.
    """
    price = Price(input=3, output=15, cache_read=Decimal("0.3"))
    openai = openai_usage(
        {
            "prompt_tokens": 10_000,
            "completion_tokens": 500,
            "total_tokens": 10_500,
            "prompt_tokens_details": {"cached_tokens": 6_000},
            "completion_tokens_details": {"reasoning_tokens": 300},
        }
    )
    anthropic = anthropic_usage(
        {
            "input_tokens": 4_000,
            "cache_read_input_tokens": 6_000,
            "cache_creation_input_tokens": 0,
            "output_tokens": 500,
            "output_tokens_details": {"thinking_tokens": 300},
        }
    )
    assert cost(openai, price) == cost(anthropic, price) == Decimal("0.0213")
    assert (openai.text_output, openai.reasoning_output) == (200, 300)
    assert openai == anthropic
