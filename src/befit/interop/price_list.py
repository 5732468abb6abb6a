"""A price list of somebody: models by provider and id, each with prices per service and a card.

Readers (`litellm_prices`, `modelsdev`) make one; `compare` puts several side by
side and says where they disagree. No list is believed more than another.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import orjson

from befit.core.model_card import ModelCard
from befit.core.price import Price, Service
from befit.core.record import Json
from befit.errors import DataError

KINDS = (
    "input",
    "output",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "image_input",
    "audio_input",
    "reasoning",
    "audio_output",
)
SAME = Decimal("0.005")
"""Rates within half a percent are the same price, rounded differently."""
ALIASES: Mapping[str, str] = {
    "gemini": "google",
    "vertex_ai-language-models": "google",
    "together_ai": "together",
    "togetherai": "together",
    "fireworks_ai": "fireworks",
    "fireworks-ai": "fireworks",
    "x-ai": "xai",
    "meta_llama": "meta",
}
"""Other lists' names of one provider."""
MOST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """One model of a list."""

    provider: str
    id: str
    prices: Mapping[Service, Price] = field(default_factory=dict)
    card: ModelCard = field(default_factory=ModelCard)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """All models of one list."""

    name: str
    models: tuple[ListedModel, ...]

    def find(self, model: str, provider: str | None = None) -> tuple[ListedModel, ...]:
        """Return the entries of `model`; by `provider` where one is named, under any name."""
        wanted = None if provider is None else _one_name(provider)
        return tuple(
            entry
            for entry in self.models
            if entry.id == model and wanted in (None, _one_name(entry.provider))
        )


def _one_name(provider: str) -> str:
    return ALIASES.get(provider.lower(), provider.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One rate on which lists disagree: what each says, in USD per million tokens."""

    model: str
    kind: str
    said: tuple[tuple[str, Decimal], ...]


def compare(model: str, found: Iterable[tuple[str, Price]]) -> tuple[Disagreement, ...]:
    """Return the rates on which named prices of one model disagree.

    A rate that a list leaves out is not compared: silence is no disagreement.
    """
    prices = list(found)
    different: list[Disagreement] = []
    for kind in KINDS:
        said = [(name, getattr(price, kind)) for name, price in prices]
        known = [(name, rate) for name, rate in said if rate is not None]
        rates = [rate for _, rate in known]
        if rates and max(rates) - min(rates) > SAME * max(rates):
            different.append(Disagreement(model=model, kind=kind, said=tuple(known)))
    return tuple(different)


def read_mapping(path: Path) -> tuple[dict[str, Json], str]:
    """Return a JSON object from a file (`.gz` too) and a short hash of its bytes.

    Raises:
        DataError: no such file, or no JSON object.
    """
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            with gzip.open(path) as file:
                content = file.read(MOST_BYTES)
        else:
            content = raw
        data = orjson.loads(content)
    except OSError as error:
        raise DataError("the file cannot be read", where=str(path), why=str(error)) from None
    except orjson.JSONDecodeError as error:
        raise DataError("this is no JSON", where=str(path), why=str(error)) from None
    if not isinstance(data, dict):
        raise DataError("this is no price list", where=str(path), why="a JSON object is expected")
    return data, f"sha256:{hashlib.sha256(raw).hexdigest()[:12]}"


def amount(value: Json) -> Decimal | None:
    """Return a rate as a number that is not negative, None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Decimal(repr(value))
    return number if number.is_finite() and number >= 0 else None


def whole(value: Json) -> int | None:
    """Return a count, None where it is none (lists hold texts and zeros there)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    return int(value)


def flag(value: Json) -> bool | None:
    """Return a yes or no, None where a list says neither."""
    return value if isinstance(value, bool) else None
