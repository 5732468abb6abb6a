"""When calls are due: open loop (Poisson, constant, ramp, replay of a trace) or closed loop.

In an open loop the arrivals do not wait for answers, as users do not; a closed
loop keeps a fixed number in flight and so slows down with the server, which
hides waiting (coordinated omission). Open loop is therefore the default for
questions about a service level; the closed loop is for capacity.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from befit.core.record import Record

Arrivals = Literal["poisson", "constant", "ramp", "replay", "closed"]
WARM_UP_SHARE = 0.1


class Arrival(Record):
    """One line of a trace: when (seconds from its start), and how long prompt and answer were."""

    at: float = Field(ge=0, allow_inf_nan=False)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=1)


class LoadShape(Record):
    """One level of load.

    Args of a level, by kind: `poisson` and `constant` need `rate` (calls per
    second), `ramp` needs `rate` and `rate_to`, `closed` needs `concurrency`,
    `replay` takes a trace beside it and divides its times by `speed`.
    Calls due in the first `warm_up` or last `cool_down` seconds are made and
    not counted; nothing is drained in between.
    """

    kind: Arrivals = "poisson"
    rate: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rate_to: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    concurrency: int | None = Field(default=None, gt=0)
    duration: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    warm_up: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    cool_down: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    speed: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    most_in_flight: int = Field(default=2_000, gt=0)
    """Open loop: more than this wait on our side; their waiting counts as latency."""
    most_waiting: int = Field(default=2_000, gt=0)
    """With more than this waiting the level is given up: it bears no such load, and what waits
    takes our memory."""
    seed: int = 0

    @model_validator(mode="after")
    def _complete(self) -> LoadShape:
        needs = {"poisson": "rate", "constant": "rate", "ramp": "rate", "closed": "concurrency"}
        wanted = needs.get(self.kind)
        if wanted is not None and getattr(self, wanted) is None:
            raise ValueError(f"{self.kind}: {wanted} is needed")
        if self.kind == "ramp" and self.rate_to is None:
            raise ValueError("ramp: rate_to is needed")
        if self.warm_up + self.cool_down >= self.duration:
            raise ValueError("warm_up and cool_down leave nothing of the duration")
        return self

    @property
    def window(self) -> tuple[float, float]:
        """First and last second of what is counted."""
        return self.warm_up, self.duration - self.cool_down

    @property
    def expected(self) -> int:
        """About how many calls an open loop makes; 0 where only the answers tell."""
        if self.rate is None or self.kind in {"closed", "replay"}:
            return 0
        rate = self.rate if self.rate_to is None else (self.rate + self.rate_to) / 2
        return int(rate * self.duration + 6 * math.sqrt(rate * self.duration)) + 10

    @property
    def short(self) -> str:
        """The level in as few words as tell it from its neighbours."""
        if self.kind == "closed":
            return f"{self.concurrency} in flight"
        if self.kind in {"ramp", "replay"}:
            return self.name
        return f"{self.rate:.4g}/s" if self.kind == "poisson" else f"{self.rate:.4g}/s constant"

    @property
    def name(self) -> str:
        """The level in words."""
        if self.kind == "closed":
            return f"closed loop, {self.concurrency} in flight"
        if self.kind == "ramp":
            return f"ramp {self.rate:.4g} to {self.rate_to:.4g}/s"
        if self.kind == "replay":
            return f"replay at {self.speed:g} times its speed"
        return f"open loop, {self.kind} {self.rate:.4g}/s"


def due_times(shape: LoadShape, trace: tuple[Arrival, ...] = ()) -> Iterator[float]:
    """Yield the seconds at which the calls of an open loop are due, in order.

    Raises:
        ValueError: a closed loop has no such times.
    """
    if shape.kind == "closed":
        raise ValueError("in a closed loop an answer makes the next call due")
    if shape.kind == "replay":
        yield from (a.at / shape.speed for a in trace if a.at / shape.speed < shape.duration)
        return
    rng = random.Random(shape.seed)  # noqa: S311 - arrivals are no secret
    start = shape.rate or 1.0
    slope = ((shape.rate_to or start) - start) / shape.duration
    passed = 0.0
    while True:
        # Unit-rate arrivals, bent by the inverse of the summed rate (Lewis & Shedler 1979).
        at = _inverse(passed, start, slope)
        if shape.kind == "constant" or passed > 0:
            if at >= shape.duration:
                return
            yield at
        passed += 1.0 if shape.kind == "constant" else rng.expovariate(1.0)


def _inverse(passed: float, start: float, slope: float) -> float:
    """The time t at which start x t + slope x t^2 / 2 = passed; infinite if never."""
    if slope == 0:
        return passed / start
    inside = start * start + 2 * slope * passed
    return (math.sqrt(inside) - start) / slope if inside >= 0 else math.inf
