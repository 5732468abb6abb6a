"""Failing over: a request goes to the first target, and on some failures to the next.

The same policy as a route's: a caller's own fault goes back to the caller; what
may be cured elsewhere goes on. Every dead attempt is kept, with its time and
what it may have cost, because the provider may bill it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from befit.core.completion import Completion, Request
from befit.core.failure import Failure, FailureKind
from befit.core.price import Price, cost
from befit.core.protocols import Target
from befit.errors import TargetError

STAYS: frozenset[FailureKind] = frozenset({"bad_request", "content_filter", "scripted_turn"})
"""The caller's own faults, and refusals: no other model is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One target of a chain, with the request in its own words."""

    name: str
    target: Target
    request: Request
    price: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dead:
    """One attempt that came to nothing."""

    name: str
    failure: Failure
    seconds: float
    cost: Decimal | None
    """What its provider says it cost; None where it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chained:
    """What came of a chain. Times count from the moment the first member was asked."""

    served_by: str | None
    completion: Completion | None
    first_token: float | None
    end: float
    dead: tuple[Dead, ...]
    cost: Decimal | None
    """Of the answer alone."""

    @property
    def total_cost(self) -> Decimal | None:
        """The answer and the dead attempts whose cost is known; None where the answer's is not."""
        if self.cost is None:
            return None
        return self.cost + sum((d.cost for d in self.dead if d.cost is not None), Decimal(0))


async def run_chain(members: Sequence[Member], *, stays: frozenset[FailureKind] = STAYS) -> Chained:
    """Ask the members in order until one answers, or one fails in a class of `stays`."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    dead: list[Dead] = []
    for member in members:
        asked = loop.time()
        try:
            answer = await member.target.generate(replace(member.request, scheduled=asked))
        except TargetError as error:
            usage = None if error.partial is None else error.partial.usage
            dead.append(
                Dead(
                    name=member.name,
                    failure=error.failure,
                    seconds=loop.time() - asked,
                    cost=None if usage is None else cost(usage, member.price),
                )
            )
            if error.failure.kind in stays:
                break
            continue
        first = answer.timing.first_token
        return Chained(
            served_by=member.name,
            completion=answer,
            first_token=None if first is None else asked - started + first,
            end=loop.time() - started,
            dead=tuple(dead),
            cost=cost(answer.usage, member.price),
        )
    return Chained(
        served_by=None,
        completion=None,
        first_token=None,
        end=loop.time() - started,
        dead=tuple(dead),
        cost=None,
    )
