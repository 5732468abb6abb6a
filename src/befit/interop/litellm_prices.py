"""LiteLLM's price list (`model_prices_and_context_window.json`): one flat object, USD per token.

Keys are irregular: a suffix names a service (`_batches`, `_flex`, `_priority`)
or a step (`_above_200k_tokens`), or both. Only chat models are read. Its
`supports_*` flags, limits and deprecation dates fill the model's card.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from befit.core.model_card import ModelCard
from befit.core.price import MILLION, Price, Service
from befit.core.record import Json
from befit.interop.price_list import ListedModel, PriceList, amount, flag, read_mapping, whole

SUFFIXES: Mapping[Service, str] = {
    "standard": "",
    "batch": "_batches",
    "flex": "_flex",
    "priority": "_priority",
}
MODES = {"chat", "completion", "responses", None}
_STEP = re.compile(r"^input_cost_per_token_above_(\d+)k_tokens$")
_RATES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write_5m": "cache_creation_input_token_cost",
    "cache_write_1h": "cache_creation_input_token_cost_above_1hr",
    "image_input": "input_cost_per_image_token",
    "audio_input": "input_cost_per_audio_token",
    "reasoning": "output_cost_per_reasoning_token",
    "audio_output": "output_cost_per_audio_token",
}
_SIGNED = {"anthropic", "bedrock", "vertex_ai-anthropic_models"}
"""Providers whose reasoning blocks carry signatures."""


def read_litellm(path: Path) -> PriceList:
    """Return the chat models of the list; raises DataError as `read_mapping` does."""
    data, mark = read_mapping(path)
    return PriceList(name="LiteLLM", models=tuple(_models(data, f"LiteLLM {mark}")))


def _models(data: Mapping[str, Json], source: str) -> Iterator[ListedModel]:
    for name, entry in data.items():
        if not isinstance(entry, dict) or name == "sample_spec":
            continue
        if entry.get("mode") not in MODES:
            continue
        provider = str(entry.get("litellm_provider") or "")
        model = name.removeprefix(f"{provider}/")
        prices = {
            service: price
            for service in SUFFIXES
            if (price := _price(entry, service, f"{source}, {name}")) is not None
        }
        yield ListedModel(
            provider=provider, id=model, prices=prices, card=_card(entry, provider, source)
        )


def _rate(entry: Mapping[str, Json], key: str) -> Decimal | None:
    value = amount(entry.get(key))
    return None if value is None else Decimal(format((value * MILLION).normalize(), "f"))


def _price(entry: Mapping[str, Json], service: Service, source: str) -> Price | None:
    """Return the rates of one service; what it does not name is at the standard rate."""
    suffix = SUFFIXES[service]
    own = _rate(entry, f"input_cost_per_token{suffix}")
    if own is None or (suffix and _rate(entry, f"output_cost_per_token{suffix}") is None):
        return None
    steps = sorted(int(found[1]) for key in entry if (found := _STEP.match(key)))
    price: Price | None = None
    limit: int | None = None
    for step in [*reversed(steps), None]:
        at = "" if step is None else f"_above_{step}k_tokens"
        rates = _rates(entry, at, suffix)
        if rates.get("input") is None or rates.get("output") is None:
            return None
        above = price
        price = Price(**rates, service=service, source=source)
        if above is not None:
            price = price.model_copy(update={"above": above, "above_tokens": limit})
        limit = None if step is None else step * 1000
    return price


def _rates(entry: Mapping[str, Json], at: str, suffix: str) -> dict[str, Decimal | None]:
    found: dict[str, Decimal | None] = {}
    for name, key in _RATES.items():
        for wanted in (f"{key}{at}{suffix}", f"{key}{at}", f"{key}{suffix}", key):
            rate = _rate(entry, wanted)
            if rate is not None:
                found[name] = rate
                break
    return found


def _card(entry: Mapping[str, Json], provider: str, source: str) -> ModelCard:
    def can(name: str) -> bool | None:
        return flag(entry.get(f"supports_{name}"))

    reasoning = can("reasoning")
    return ModelCard(
        provider=provider,
        context_window=whole(entry.get("max_input_tokens")),
        max_output=whole(entry.get("max_output_tokens")),
        tools=can("function_calling"),
        parallel_tools=can("parallel_function_calling"),
        tool_choice=can("tool_choice"),
        json_schema=can("response_schema"),
        vision=can("vision"),
        pdf=can("pdf_input"),
        system_message=can("system_messages"),
        reasoning=reasoning,
        signed_reasoning=True if reasoning and provider in _SIGNED else None,
        deprecated_on=_text(entry.get("deprecation_date")),
        successor=_text(entry.get("successor_model")),
        source=source,
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
