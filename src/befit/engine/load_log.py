"""The calls of one load level as columns: seconds and tokens, nothing quoted.

Whoever measures calls fills one (`load_run`), whoever imports other tools'
results too (`befit.interop`), and `befit.analysis.load` reads them. Memory is
taken up front where the number of calls is known, so that a long measurement
does not grow under its own records.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from befit.core.failure import FailureKind

NAN = float("nan")
COLUMNS = (
    "scheduled",
    "sent",
    "first_token",
    "first_output",
    "last_token",
    "end",
    "input_tokens",
    "output_tokens",
    "hidden_reasoning",
    "cost",
    "passed",
)
"""Columns of numbers; see `Call`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call. Times in seconds since the level began; NaN: did not happen, or not known.

    `scheduled` is when the call was due, `sent` when it really went out;
    `hidden_reasoning` is 1 where reasoning was billed but not streamed, so that
    time per visible token means nothing. `passed` is the value of the derived
    score, NaN where nothing was scored.
    """

    scheduled: float
    sent: float
    end: float
    first_token: float = NAN
    first_output: float = NAN
    last_token: float = NAN
    input_tokens: float = NAN
    output_tokens: float = NAN
    hidden_reasoning: float = 0.0
    cost: float = NAN
    passed: float = NAN
    failure: str | None = None


class CallLog:
    """Calls in the order in which they ended."""

    def __init__(self, expected: int = 0) -> None:
        self.n = 0
        self._room = expected
        self._columns = {name: array("d", bytes(8 * expected)) for name in COLUMNS}
        self._failures = array("h", bytes(2 * expected))
        self._kinds: dict[str, int] = {}

    @classmethod
    def of(cls, calls: Iterable[Call]) -> CallLog:
        """Return a log of given calls."""
        log = cls()
        for call in calls:
            log.add(call)
        return log

    def add(self, call: Call) -> None:
        """Note one call."""
        kind = -1
        if call.failure is not None:
            kind = self._kinds.setdefault(call.failure, len(self._kinds))
        at = self.n
        if at < self._room:
            for name, column in self._columns.items():
                column[at] = getattr(call, name)
            self._failures[at] = kind
        else:
            for name, column in self._columns.items():
                column.append(getattr(call, name))
            self._failures.append(kind)
        self.n = at + 1

    def column(self, name: str) -> memoryview:
        """Return a column as float64, without copying."""
        return memoryview(self._columns[name])[: self.n]

    @property
    def failures(self) -> memoryview:
        """Codes of the failures as int16; -1 for an answer. `kinds` names them."""
        return memoryview(self._failures)[: self.n]

    @property
    def kinds(self) -> tuple[FailureKind | str, ...]:
        """The kinds of failure by code."""
        return tuple(self._kinds)

    def __iter__(self) -> Iterator[Call]:
        kinds = self.kinds
        for i in range(self.n):
            code = self._failures[i]
            numbers = {name: column[i] for name, column in self._columns.items()}
            yield Call(failure=None if code < 0 else kinds[code], **numbers)
