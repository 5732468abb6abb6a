"""What calls have cost: of earlier sittings as one sum, of this sitting by who was asked.

The answers in the store tell most of it. What none of them tells (a conversation cut short,
a call that may have been billed, the simulated user) is handed to the store as it comes up,
so that the next sitting of the run counts it, too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from befit.core.untold import Untold

_NOTHING = Decimal(0)
_ROUNDING = Decimal("1e-12")
"""USD: what long sums leave over is no money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What a run has cost, in USD."""

    spent: Decimal = _NOTHING
    """Known."""
    uncertain: Decimal = _NOTHING
    """The most that calls may have cost besides of which nobody knows what they cost."""
    unknown: int = 0
    """Calls whose cost nobody knows."""

    @property
    def most(self) -> Decimal:
        """What a cap has to count."""
        return self.spent + self.uncertain

    def __add__(self, other: Bill) -> Bill:
        """Return both as one."""
        return Bill(
            spent=self.spent + other.spent,
            uncertain=self.uncertain + other.uncertain,
            unknown=self.unknown + other.unknown,
        )


NO_BILL = Bill()


class Account:
    """What the calls of one sitting cost, and what the store has to be told of it."""

    def __init__(self) -> None:
        self._open: defaultdict[str, Decimal] = defaultdict(Decimal)
        """Known costs that neither an answer nor a word to the store has told."""
        self._doubts: defaultdict[str, Decimal] = defaultdict(Decimal)
        """Uncertain ones of which the store does not know."""
        self._owed: set[str] = set()
        """Who has costs in `_open` that no answer will tell."""

    def spend(self, who: str, cost: Decimal) -> None:
        """A call has a known cost."""
        self._open[who] += cost

    def doubt(self, who: str, bound: Decimal) -> None:
        """A call may have cost up to `bound`."""
        if bound:
            self._doubts[who] += bound

    def landed(self, candidate: str, cost: Decimal | None, *, user: str | None = None) -> None:
        """An answer is stored, and tells `cost`; `user` is asked beside and told by no answer."""
        if cost:
            self._open[candidate] -= cost
        if user is not None:
            self._owed.add(user)

    def untold(self, *, final: bool = False) -> dict[str, Untold]:
        """Return what the store has to be told now, each sum once.

        In the end (`final`) it is all that no answer has told.
        """
        names = set(self._open) if final else {n for n in self._owed if self._open.get(n)}
        told = {
            name: Untold(
                spent=self._open.pop(name, _NOTHING) if name in names else _NOTHING,
                uncertain=self._doubts.pop(name, _NOTHING),
            )
            for name in names | set(self._doubts)
        }
        return {
            name: cost for name, cost in told.items() if cost.spent + cost.uncertain > _ROUNDING
        }
