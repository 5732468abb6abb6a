"""The spend cap: each call reserves the most it can cost before it is sent.

Three sums are kept apart: what is known to be spent, what may have been billed
without our knowing (a cut stream, a timeout: counted at the upper bound), and
what calls in flight may still cost. The cap holds for their total, therefore it
cannot be overshot as long as the provider keeps to `max_tokens` and the process is not killed:
calls in flight at a `kill -9` are known to nobody afterwards.
"""

from __future__ import annotations

import asyncio
from decimal import Decimal

from befit.core.failure import FailureKind
from befit.core.price import MILLION, Price
from befit.engine.bill import NO_BILL, Account, Bill
from befit.engine.stop import Drain

_NEVER_BILLED: frozenset[FailureKind] = frozenset(
    {
        "connect",
        "rate_limited",
        "overloaded",
        "auth",
        "billing",
        "not_found",
        "bad_request",
        "context_length",
        "target_error",
        "scripted_turn",
    }
)


def upper_bound(price: Price, *, input_tokens: int, output_tokens: int) -> Decimal:
    """Return the most a call can cost in USD: every token at the dearest rate of its side."""
    if price.above is not None and price.for_input(input_tokens) is not price:
        higher = upper_bound(price.above, input_tokens=input_tokens, output_tokens=output_tokens)
        plain = price.model_copy(update={"above": None, "above_tokens": None})
        lower = upper_bound(plain, input_tokens=input_tokens, output_tokens=output_tokens)
        return max(higher, lower)
    dearest_in = max(
        rate
        for rate in (
            price.input,
            price.cache_read,
            price.cache_write_5m,
            price.cache_write_1h,
            price.image_input,
            price.audio_input,
        )
        if rate is not None
    )
    dearest_out = max(
        rate for rate in (price.output, price.reasoning, price.audio_output) if rate is not None
    )
    per_token = input_tokens * dearest_in + output_tokens * dearest_out
    return per_token / MILLION + price.per_request


class Budget:
    """The money of one run, in USD. Without a cap it only counts."""

    def __init__(
        self,
        *,
        cap: Decimal | None,
        drain: Drain,
        before: Bill = NO_BILL,
        beside: Bill = NO_BILL,
    ) -> None:
        self.cap = cap
        self.spent = before.spent
        """Known costs, those of earlier sittings of this run included."""
        self.unknown = before.unknown
        """Calls whose cost nobody knows: no price, no usage, or failed after it may have cost."""
        self.uncertain = before.uncertain
        """Upper bound of calls that may have been billed without our knowing; as `spent`."""
        self.beside = beside
        """What other runs have cost that the cap is for, too."""
        self.account = Account()
        self.reserved = Decimal(0)
        self.refused: Decimal | None = None
        """What the call may cost at most for which there was no money left."""
        self._drain = drain
        self._settled = asyncio.Event()

    @property
    def needs(self) -> Decimal | None:
        """The least cap in which the refused call fits; None where none was refused."""
        if self.refused is None:
            return None
        return self.spent + self.uncertain + self.beside.most + self.refused

    async def reserve(self, bound: Decimal) -> bool:
        """Reserve `bound`, waiting for calls in flight where only they stand in the way.

        Returns False when it does not fit and nothing in flight can free enough,
        or when the run is draining. A bound of 0 (unknown price) always fits.
        """
        if self.cap is None or bound == 0:
            return True
        limit = self.cap - self.beside.most
        while self.spent + self.uncertain + self.reserved + bound > limit:
            if self.reserved == 0 or self._drain.started:
                self.refused = bound
                return False
            self._settled.clear()
            await self._settled.wait()
        self.reserved += bound
        return True

    def settle(self, bound: Decimal, *, cost: Decimal | None, who: str = "") -> None:
        """The call has answered: its reservation becomes its cost (the bound, if unknown)."""
        if self.cap is not None:
            self._free(bound)
        if cost is not None:
            self.spent += cost
            self.account.spend(who, cost)
            return
        self.unknown += 1
        if bound:
            self._doubt(bound, who)

    def settle_failed(self, bound: Decimal, *, kind: FailureKind | None, who: str = "") -> bool:
        """The call has failed (`kind`), or was cut short by a stop (None).

        Returns whether it may have cost something of which nobody knows what it is.
        """
        if self.cap is not None:
            self._free(bound)
        if kind in _NEVER_BILLED or not bound:
            return False
        self.unknown += 1
        self._doubt(bound, who)
        return True

    def _doubt(self, bound: Decimal, who: str) -> None:
        self.uncertain += bound
        self.account.doubt(who, bound)

    def _free(self, bound: Decimal) -> None:
        if bound:
            self.reserved -= bound
        self._settled.set()
