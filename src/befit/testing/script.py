"""How a fake provider behaves: abilities, faults, speed. Plain data, readable from a JSON file."""

from __future__ import annotations

import random
from typing import Literal

from pydantic import Field, model_validator

from befit.core.record import Record
from befit.testing.faults import parse_fault, uniform


class Delay(Record):
    """Seconds until the first token: always `seconds`, or lognormal with that median."""

    kind: Literal["fixed", "lognormal"] = "fixed"
    seconds: float = Field(default=0.0, ge=0)
    sigma: float = Field(default=0.5, ge=0)
    """Standard deviation of the logarithm, for `lognormal`."""

    def draw(self, *parts: object) -> float:
        """Return the delay of one request; the same `parts` give the same delay."""
        if self.kind == "fixed" or not self.seconds:
            return self.seconds
        source = random.Random(uniform("delay", *parts))  # noqa: S311 (a simulation, no secret)
        return self.seconds * source.lognormvariate(0.0, self.sigma)


class ModelChange(Record):
    """From then on another model answers under the same name: a silent update."""

    to: str
    after_calls: int | None = Field(default=None, ge=0)
    after_seconds: float | None = Field(default=None, ge=0)

    def happened(self, calls: int, seconds: float) -> bool:
        """Whether the change is in force at the call number `calls` (from 0)."""
        by_calls = self.after_calls is not None and calls >= self.after_calls
        return by_calls or (self.after_seconds is not None and seconds >= self.after_seconds)


class Script(Record):
    """The whole behaviour of a fake provider; the default answers every prompt by its echo."""

    models: tuple[str, ...] = ()
    """Known models; any name is accepted when empty."""
    served: dict[str, str] = Field(default_factory=dict)
    """Requested model -> the model named in the answer."""
    model_change: ModelChange | None = None
    answers: dict[str, str] = Field(default_factory=dict)
    """Prompt (whole, or a part of it) -> answer."""
    answer: str | None = None
    """The answer to everything else; None echoes the prompt."""
    unsupported: tuple[str, ...] = ()
    """Body keys refused with a 400, for instance `seed`, `tools`, `response_format`."""
    context_window: int | None = Field(default=None, gt=0)
    api_keys: tuple[str, ...] = ()
    """Accepted keys; any or none is accepted when empty."""
    seed: int = 0
    rates: dict[str, float] = Field(default_factory=dict)
    """Fault -> share of requests that get it."""
    permanent: dict[str, str] = Field(default_factory=dict)
    """Part of a prompt -> the fault that every request with it gets."""
    healthy_models: tuple[str, ...] = ()
    """Models that no fault ever hits: the fallback of a gateway under test."""
    foreign_signatures: Literal["accepted", "refused"] = "accepted"
    """What becomes of a history with reasoning that another provider has signed."""
    most_calls: int | None = Field(default=None, gt=0)
    """Tool calls of an answer at most: 1 is a model without parallel calls."""
    retry_after: float = Field(default=0.05, ge=0)
    """Seconds named in `Retry-After`."""
    stall_seconds: float = Field(default=600.0, gt=0)
    first_token: Delay = Delay()
    tokens_per_second: float | None = Field(default=None, gt=0)
    max_concurrent: int | None = Field(default=None, gt=0)
    """Requests at a time; more get a 429."""

    @model_validator(mode="after")
    def _known_faults(self) -> Script:
        for name in (*self.rates, *self.permanent.values()):
            parse_fault(name)
        if sum(self.rates.values()) > 1:
            raise ValueError("the rates of all faults add up to more than 1")
        return self
