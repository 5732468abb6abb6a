"""List prices of known providers, from the snapshot inside the genai-prices package.

No network: genai-prices only fetches when its updater is started, which befit
never does (a test holds it to that). Self-hosted endpoints, functions and
recorded answers have no list price; unknown stays None, never 0.

Where a provider charges more above a number of input tokens, the whole request
is billed at the higher rate (`Price.above`) and the source says from where on.
A candidate that asks for a service tier (`extra_body.service_tier`) is billed at
that tier's rates; batch rates are there for whoever names them.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from befit.core.candidate import Candidate
from befit.core.price import Price, Service

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider

_HOME = {"openai": "openai", "anthropic": "anthropic"}
"""The provider of a target that has no base_url."""

_THOUSAND = Decimal(1000)
_CONTEXTS: dict[Service, dict[str, str]] = {
    "batch": {"processing": "batch"},
    "flex": {"service_tier": "flex"},
    "priority": {"service_tier": "priority"},
}


def find_price(
    candidate: Candidate, *, at: datetime | None = None, service: Service | None = None
) -> Price | None:
    """Return the list price of `candidate`'s model, None if unknown.

    The provider is the one whose address `base_url` is; without `base_url`, the
    target's own. `source` names package, version, snapshot hash and the entry
    that matched; `as_of` is the day since when this price holds, where known
    (not today's date, which would make an unchanged price a new one every day).

    Args:
        candidate: whose model to look up.
        at: for which moment; None is now. Prices of the past and prices by time
            of day are in the snapshot.
        service: at which of the provider's rates; None is the one that the candidate asks for.
    """
    provider = None if candidate.base_url else _HOME.get(candidate.target)
    if candidate.target not in _HOME or not candidate.model:
        return None
    # Half a CPU second, and needed by the few commands that show money.
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - see above

    try:
        owner, model = get_snapshot().find_provider_model(
            candidate.model, None, provider, candidate.base_url
        )
    except LookupError:
        return None
    moment = at or datetime.now(tz=UTC)
    return _price(owner, model, moment, service=service or _asked(candidate))


def _asked(candidate: Candidate) -> Service:
    """The service tier that the candidate's requests name."""
    body = candidate.options.get("extra_body")
    named = body.get("service_tier") if isinstance(body, dict) else None
    return named if named in {"flex", "priority"} else "standard"


def _price(
    owner: Provider, model: ModelInfo, moment: datetime, *, service: Service
) -> Price | None:
    standard = model.get_prices(moment)
    found = standard
    if service != "standard":
        found = model.get_prices(moment, _CONTEXTS[service])
        if vars(found) == vars(standard):
            return None  # the list does not know this rate; the standard one would be a guess
    source = f"genai-prices {version('genai-prices')} {_snapshot_id()}, {owner.id}/{model.id}"
    if service != "standard":
        source += f", {service} rates"
    steps = _steps(found)
    if steps:
        source += f", more above {steps[0]} input tokens"
    price: Price | None = None
    above: Price | None = None
    limit: int | None = None
    for start in [*reversed(steps), None]:
        price = _at(found, start, service=service, source=source, as_of=_since(model, standard))
        if price is None:
            return None
        if limit is not None:
            price = price.model_copy(update={"above": above, "above_tokens": limit})
        above, limit = price, start
    return price


def _steps(found: ModelPrice) -> list[int]:
    """Numbers of input tokens above which another rate holds, rising."""
    from genai_prices.types import TieredPrices  # noqa: PLC0415 - as in find_price

    tiered = [value for value in vars(found).values() if isinstance(value, TieredPrices)]
    return sorted({tier.start for value in tiered for tier in value.tiers})


def _at(
    found: ModelPrice, start: int | None, *, service: Service, source: str, as_of: date | None
) -> Price | None:
    """The rates of a request with more input tokens than `start` (None: of the first tier)."""
    money = _Rates(found, start)
    paid, earned = money.rate("input_mtok"), money.rate("output_mtok")
    if paid is None or earned is None:
        return None
    request = money.rate("requests_kcount")
    written = money.rate("cache_write_mtok")
    return Price(
        input=paid,
        output=earned,
        cache_read=money.rate("cache_read_mtok"),
        cache_write_5m=money.rate("cache_write_5m_mtok") or written,
        cache_write_1h=money.rate("cache_write_1h_mtok") or written,
        image_input=money.rate("input_image_mtok"),
        audio_input=money.rate("input_audio_mtok"),
        reasoning=money.rate("output_reasoning_mtok"),
        audio_output=money.rate("output_audio_mtok"),
        per_request=Decimal(0) if request is None else request / _THOUSAND,
        service=service,
        source=source,
        as_of=as_of,
    )


class _Rates:
    """The rates of a model price by name, of tiers the one that holds above `start`."""

    def __init__(self, prices: ModelPrice, start: int | None) -> None:
        self._prices = vars(prices)
        self._start = -1 if start is None else start

    def rate(self, name: str) -> Decimal | None:
        """USD per unit, None where the snapshot has no such rate."""
        from genai_prices.types import TieredPrices  # noqa: PLC0415 - as in find_price

        value = self._prices.get(name)
        if isinstance(value, TieredPrices):
            held = [tier.price for tier in value.tiers if tier.start <= self._start]
            return held[-1] if held else value.base
        return value if isinstance(value, Decimal) else None


def _since(model: ModelInfo, found: ModelPrice) -> date | None:
    """The day the price came into force, if the snapshot says."""
    if not isinstance(model.prices, list):
        return None
    for conditional in model.prices:
        start = getattr(conditional.constraint, "start_date", None)
        if conditional.prices is found and isinstance(start, date):
            return start
    return None


@cache
def _snapshot_id() -> str:
    """Hash of the price data inside the package: the same prices, the same id."""
    import genai_prices  # noqa: PLC0415 - as in find_price

    data = Path(genai_prices.__file__).with_name("data.py").read_bytes()
    return f"sha256:{hashlib.sha256(data).hexdigest()[:12]}"
