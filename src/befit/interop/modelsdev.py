"""The price list of models.dev (`api.json`): providers with models, USD per million tokens.

It has no batch or tier rates. `cost.context_over_200k`, where given, is the
rate of requests above 200,000 input tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from befit.core.model_card import ModelCard
from befit.core.price import Price
from befit.core.record import Json
from befit.interop.price_list import ListedModel, PriceList, amount, flag, read_mapping, whole

LONG = 200_000


def read_modelsdev(path: Path) -> PriceList:
    """Return the list in an `api.json`; raises DataError as `read_mapping` does."""
    data, mark = read_mapping(path)
    source = f"models.dev {mark}"
    return PriceList(name="models.dev", models=tuple(_models(data, source)))


def looks_like_modelsdev(data: Mapping[str, Json]) -> bool:
    """Tell whether a JSON object is this list: providers, each with `models`."""
    return any(isinstance(v, dict) and isinstance(v.get("models"), dict) for v in data.values())


def _models(data: Mapping[str, Json], source: str) -> Iterator[ListedModel]:
    for provider, entry in data.items():
        models = entry.get("models") if isinstance(entry, dict) else None
        if not isinstance(models, dict):
            continue
        for name, model in models.items():
            if isinstance(model, dict):
                yield _model(str(provider), str(name), model, source)


def _model(provider: str, name: str, model: Mapping[str, Json], source: str) -> ListedModel:
    as_of = _day(model.get("last_updated"))
    price = _price(model.get("cost"), f"{source}, {provider}/{name}", as_of)
    limit = model.get("limit")
    limit = limit if isinstance(limit, dict) else {}
    modalities = model.get("modalities")
    shown = modalities.get("input") if isinstance(modalities, dict) else None
    card = ModelCard(
        provider=provider,
        context_window=whole(limit.get("context")),
        max_output=whole(limit.get("output")),
        tools=flag(model.get("tool_call")),
        json_schema=flag(model.get("structured_output")),
        vision=None if shown is None else "image" in shown,
        pdf=None if shown is None else "pdf" in shown,
        temperature=flag(model.get("temperature")),
        reasoning=flag(model.get("reasoning")),
        source=source,
    )
    prices = {} if price is None else {"standard": price}
    return ListedModel(provider=provider, id=name, prices=prices, card=card)  # type: ignore[arg-type]  # a literal key


def _price(cost: Json, source: str, as_of: date | None) -> Price | None:
    if not isinstance(cost, dict):
        return None
    paid, earned = amount(cost.get("input")), amount(cost.get("output"))
    if paid is None or earned is None:
        return None
    above = _price(cost.get("context_over_200k"), source, as_of)
    return Price(
        input=paid,
        output=earned,
        cache_read=amount(cost.get("cache_read")),
        cache_write_5m=amount(cost.get("cache_write")),
        audio_input=amount(cost.get("input_audio")),
        audio_output=amount(cost.get("output_audio")),
        reasoning=amount(cost.get("reasoning")),
        above=above,
        above_tokens=None if above is None else LONG,
        source=source,
        as_of=as_of,
    )


def _day(value: Json) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
