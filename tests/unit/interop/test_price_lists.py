"""Reading LiteLLM's and models.dev's lists, and saying where lists disagree."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal

import pytest

from befit.core.price import Price, Usage, cost
from befit.errors import DataError
from befit.interop.litellm_prices import read_litellm
from befit.interop.modelsdev import read_modelsdev
from befit.interop.price_list import compare
from shared_data import shared

LITELLM = {
    "sample_spec": {"mode": "chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
    "acme/one": {
        "litellm_provider": "acme",
        "mode": "chat",
        "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05,
        "input_cost_per_token_batches": 6.25e-07,
        "output_cost_per_token_batches": 5e-06,
        "input_cost_per_token_above_200k_tokens": 2.5e-06,
        "output_cost_per_token_above_200k_tokens": 1.5e-05,
        "cache_read_input_token_cost": 1.25e-07,
        "max_input_tokens": 1000,
        "max_output_tokens": "8192",
        "supports_function_calling": True,
        "supports_vision": False,
        "deprecation_date": "2027-01-01",
    },
    "two": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 1e-06},
    "pictures": {"litellm_provider": "acme", "mode": "image_generation"},
}


def written(tmp_path, data, name="list.json"):
    path = tmp_path / name
    raw = json.dumps(data).encode()
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path


@pytest.mark.parametrize("name", ["list.json", "list.json.gz"])
def test_litellm_rates_are_per_million_with_services_steps_and_a_card(tmp_path, name):
    found = read_litellm(written(tmp_path, LITELLM, name))
    assert [m.id for m in found.models] == ["one", "two"]
    (one,) = found.find("one", "acme")
    standard = one.prices["standard"]
    assert (standard.input, standard.output, standard.cache_read) == (
        Decimal("1.25"),
        Decimal(10),
        Decimal("0.125"),
    )
    assert (standard.above_tokens, standard.above.input) == (200_000, Decimal("2.5"))
    # 300,000 x 2.5 + 1,000 x 15 = 765,000 per million.
    long = Usage(uncached_input=300_000, text_output=1_000)
    assert cost(long, standard) == Decimal("0.765")
    assert (one.prices["batch"].input, one.prices["batch"].output) == (
        Decimal("0.625"),
        Decimal(5),
    )
    assert "flex" not in one.prices
    card = one.card
    assert (card.context_window, card.max_output, card.tools, card.vision) == (
        1000,
        None,
        True,
        False,
    )
    assert card.json_schema is None, "nobody says"
    assert card.deprecated_on == "2027-01-01"


def test_a_model_with_half_a_price_has_none(tmp_path):
    (two,) = read_litellm(written(tmp_path, LITELLM)).find("two")
    assert two.prices == {}


def test_models_dev_rates_and_limits_are_read(tmp_path):
    data = {
        "acme": {
            "models": {
                "one": {
                    "cost": {"input": 1.25, "output": 9, "cache_read": 0.125},
                    "limit": {"context": 1000, "output": 100},
                    "modalities": {"input": ["text", "image"]},
                    "tool_call": True,
                    "temperature": False,
                    "last_updated": "2026-01-02",
                },
                "free": {"limit": {}},
            }
        }
    }
    found = read_modelsdev(written(tmp_path, data))
    (one,) = found.find("one")
    assert one.prices["standard"].output == Decimal(9)
    assert str(one.prices["standard"].as_of) == "2026-01-02"
    assert (one.card.vision, one.card.pdf, one.card.temperature) == (True, False, False)
    (free,) = found.find("free")
    assert free.prices == {}, "no price is unknown, never 0"


def test_lists_that_disagree_are_named_rate_by_rate():
    mine = Price(input=1, output=10, cache_read=Decimal("0.1"))
    theirs = Price(input=1, output=9)
    (found,) = compare("one", [("mine", mine), ("theirs", theirs)])
    assert (found.kind, found.said) == ("output", (("mine", Decimal(10)), ("theirs", Decimal(9))))


def test_a_rounded_rate_is_no_disagreement():
    assert (
        compare(
            "one", [("a", Price(input="0.333", output=1)), ("b", Price(input="0.3333", output=1))]
        )
        == ()
    )


@pytest.mark.parametrize("content", ["[]", "nonsense"])
def test_what_is_no_list_is_refused(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content)
    for read in (read_litellm, read_modelsdev):
        with pytest.raises(DataError):
            read(path)


def test_the_real_lists_are_read_and_their_disagreements_found():
    ours = read_litellm(shared("prices/litellm_model_prices.json.gz"))
    theirs = read_modelsdev(shared("prices/models_dev_data.json.gz"))
    assert len(ours.models) > 3_000
    assert len(theirs.models) > 4_000
    (gpt,) = ours.find("gpt-4o", "openai")
    assert gpt.prices["priority"].input == Decimal("4.25")
    known, different = 0, {}
    for entry in ours.models:
        if entry.provider not in {"openai", "anthropic", "gemini", "deepseek", "mistral"}:
            continue
        other = theirs.find(entry.id, entry.provider)
        if other and "standard" in entry.prices and "standard" in other[0].prices:
            known += 1
            pair = [("a", entry.prices["standard"]), ("b", other[0].prices["standard"])]
            found = compare(entry.id, pair)
            if found:
                different[entry.id] = found
    assert known > 50
    assert {f.kind for f in different["deepseek-chat"]} == {"input", "output"}
    assert len(different) < known / 2
