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
    assert "price up to 200000 input tokens" in found.source


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
