"""List prices come from the packaged snapshot, without a network, and unknown is None."""

from __future__ import annotations

import socket
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from befit.core.candidate import Candidate
from befit.core.price import Usage, cost
from befit.targets.pricing import find_price

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def price(model, target="openai", base_url=None):
    return find_price(Candidate(name="a", target=target, model=model, base_url=base_url), at=AT)


def test_a_known_model_has_its_list_price_and_says_where_from():
    from genai_prices import Usage as Counts  # noqa: PLC0415 - the oracle
    from genai_prices import calc_price  # noqa: PLC0415

    found = price("gpt-4o")
    oracle = calc_price(
        Counts(input_tokens=10_000, cache_read_tokens=4_000, output_tokens=500),
        "gpt-4o",
        provider_id="openai",
        genai_request_timestamp=AT,
    )
    usage = Usage(uncached_input=6_000, cache_read=4_000, text_output=500)
    assert cost(usage, found) == oracle.total_price
    assert found.source.startswith("genai-prices ")
    assert "sha256:" in found.source
    assert found.source.endswith("openai/gpt-4o")


def test_cache_writes_have_their_own_prices_and_the_tier_is_named():
    found = price("claude-sonnet-4-5", target="anthropic")
    assert (found.input, found.cache_write_5m, found.cache_write_1h) == (
        Decimal(3),
        Decimal("3.75"),
        Decimal(6),
    )
    assert "more above 200000 input tokens" in found.source


def test_the_address_names_the_provider():
    assert (
        "groq/"
        in price("llama-3.3-70b-versatile", base_url="https://api.groq.com/openai/v1").source
    )
    assert "openrouter/" in price("openai/gpt-4o", base_url="https://openrouter.ai/api/v1").source


@pytest.mark.parametrize(
    ("model", "target", "base_url"),
    [
        ("gpt-4o", "openai", "http://127.0.0.1:8000/v1"),
        ("no-such-model", "openai", None),
        ("", "openai", None),
        ("module:function", "function", None),
        ("gpt-4o", "replay", None),
        ("smollm2-135m", "local", None),
    ],
)
def test_an_unknown_price_is_none(model, target, base_url):
    assert price(model, target, base_url) is None


def test_the_same_price_has_the_same_fingerprint_on_any_day():
    candidate = Candidate(name="a", target="openai", model="gpt-4o")
    later = datetime(2026, 12, 24, 1, 0, tzinfo=UTC)
    assert find_price(candidate, at=AT).fingerprint == find_price(candidate, at=later).fingerprint


def test_looking_up_a_price_opens_no_socket(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a price look-up opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert price("gpt-4o") is not None


def test_targets_do_not_load_the_price_package():
    code = (
        "import sys; import befit.targets.pricing, befit.targets.openai, befit.targets.anthropic, "
        "befit.targets.function, befit.targets.replay; "
        "print([m for m in ('genai_prices', 'scipy', 'numpy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_a_long_request_is_billed_wholly_at_the_higher_rate():
    from genai_prices import Usage as Counts  # noqa: PLC0415 - the oracle
    from genai_prices import calc_price  # noqa: PLC0415

    found = price("claude-sonnet-4-5", target="anthropic")
    for tokens in (199_999, 200_001, 500_000):
        oracle = calc_price(
            Counts(input_tokens=tokens, output_tokens=1_000),
            "claude-sonnet-4-5",
            provider_id="anthropic",
            genai_request_timestamp=AT,
        )
        assert cost(Usage(uncached_input=tokens, text_output=1_000), found) == oracle.total_price
    # 500,000 x 6 + 1,000 x 22.5 = 3,022,500 per million: not only what lies above 200,000.
    assert cost(Usage(uncached_input=500_000, text_output=1_000), found) == Decimal("3.0225")


def test_batch_flex_and_priority_have_their_own_rates_and_an_unknown_one_is_none():
    candidate = Candidate(name="a", target="openai", model="gpt-4o")
    rates = {
        service: find_price(candidate, at=AT, service=service)
        for service in ("standard", "batch", "priority", "flex")
    }
    assert (rates["standard"].input, rates["standard"].output) == (Decimal("2.5"), Decimal(10))
    assert (rates["batch"].input, rates["batch"].output) == (Decimal("1.25"), Decimal(5))
    assert (rates["priority"].input, rates["priority"].output) == (Decimal("4.25"), Decimal(17))
    # The list names no flex rate of this model; the standard one must not stand in for it.
    assert rates["flex"] is None
    assert rates["batch"].fingerprint != rates["standard"].fingerprint


def test_a_candidate_that_asks_for_a_service_tier_is_billed_at_it():
    asks = Candidate(
        name="a",
        target="openai",
        model="gpt-4o",
        options={"extra_body": {"service_tier": "priority"}},
    )
    assert find_price(asks, at=AT).service == "priority"
