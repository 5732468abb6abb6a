"""Prices and the cost of a usage. An unknown price gives an unknown cost, never zero."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from befit.core.fingerprint import fingerprint
from befit.core.record import Record
from befit.core.slim import slim

MILLION = Decimal(1_000_000)
Service = Literal["standard", "batch", "flex", "priority"]
RATES = (
    "input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "image_input",
    "audio_input", "reasoning", "audio_output",
)  # fmt: skip
"""What a price states per million tokens; None where another rate stands for it."""
_LATER = ("service", "above_tokens", "above")


class Price(Record):
    """Prices in USD per million tokens of each disjoint class.

    A class left at None is billed as its parent: cached reads and writes, image
    and audio input as `input`; reasoning and audio output as `output`.
    """

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cache_read: Decimal | None = Field(default=None, ge=0)
    cache_write_5m: Decimal | None = Field(default=None, ge=0)
    cache_write_1h: Decimal | None = Field(default=None, ge=0)
    image_input: Decimal | None = Field(default=None, ge=0)
    audio_input: Decimal | None = Field(default=None, ge=0)
    reasoning: Decimal | None = Field(default=None, ge=0)
    audio_output: Decimal | None = Field(default=None, ge=0)
    per_request: Decimal = Field(default=Decimal(0), ge=0)
    service: Service = "standard"
    """Which of a provider's rates these are."""
    above_tokens: int | None = Field(default=None, gt=0)
    """A request with more input tokens than this is billed wholly by `above`."""
    above: Price | None = None
    source: str = "project file"
    as_of: date | None = None

    @model_validator(mode="after")
    def _step_is_whole(self) -> Price:
        if (self.above is None) != (self.above_tokens is None):
            raise ValueError("above and above_tokens belong together")
        return self

    @property
    def fingerprint(self) -> str:
        """Hash of the whole price record: the price snapshot a result is tied to."""
        # Fields that came later are left out where unset, so that older snapshots keep their id.
        unset = {name for name in _LATER if name not in self._told}
        return fingerprint(self.model_dump(mode="json", exclude=unset))

    @property
    def _told(self) -> set[str]:
        given = {"above", "above_tokens"} if self.above is not None else set()
        return given | ({"service"} if self.service != "standard" else set())

    @property
    def without_tokens(self) -> Decimal | None:
        """What every request costs, whatever its tokens; None where tokens cost something."""
        if any(getattr(self, name) for name in RATES):
            return None
        if self.above is not None and self.above.without_tokens != self.per_request:
            return None
        return self.per_request

    def for_input(self, tokens: int) -> Price:
        """Return the price that a request of so many input tokens is billed by."""
        if self.above is None or self.above_tokens is None or tokens <= self.above_tokens:
            return self
        return self.above.for_input(tokens)


@slim(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one completion in disjoint classes (they add up; nothing counted twice).

    `estimated` marks counts that befit made itself because the provider sent none.
    """

    uncached_input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    image_input: int = 0
    audio_input: int = 0
    text_output: int = 0
    reasoning_output: int = 0
    audio_output: int = 0
    estimated: bool = False

    @property
    def input_tokens(self) -> int:
        """All input tokens, cached ones included."""
        return (
            self.uncached_input
            + self.cache_read
            + self.cache_write_5m
            + self.cache_write_1h
            + self.image_input
            + self.audio_input
        )

    @property
    def output_tokens(self) -> int:
        """All output tokens, reasoning included."""
        return self.text_output + self.reasoning_output + self.audio_output


def cost(usage: Usage | None, price: Price | None) -> Decimal | None:
    """Return the cost in USD; None where the price, or a usage that matters, is unknown.

    Where tokens cost nothing, an answer costs the same whatever its usage.
    """
    if price is None:
        return None
    if usage is None:
        return price.without_tokens
    price = price.for_input(usage.input_tokens)

    def rate(own: Decimal | None, parent: Decimal) -> Decimal:
        return parent if own is None else own

    total = (
        usage.uncached_input * price.input
        + usage.cache_read * rate(price.cache_read, price.input)
        + usage.cache_write_5m * rate(price.cache_write_5m, price.input)
        + usage.cache_write_1h * rate(price.cache_write_1h, price.input)
        + usage.image_input * rate(price.image_input, price.input)
        + usage.audio_input * rate(price.audio_input, price.input)
        + usage.text_output * price.output
        + usage.reasoning_output * rate(price.reasoning, price.output)
        + usage.audio_output * rate(price.audio_output, price.output)
    )
    return total / MILLION + price.per_request
