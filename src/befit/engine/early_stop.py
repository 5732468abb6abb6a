"""Stopping a candidate that cannot work: a wrong key, a wrong address, a model that is not there.

Spending an hour to fail ten thousand times in the same way helps nobody. What
was not run is reported with the cause, and runs when the cause is mended.
"""

from __future__ import annotations

from befit.core.failure import Failure, FailureKind

FIRST = 5
"""So many failures at the start, without one success, stop the candidate."""
LATER = 25
"""So many in a row stop a candidate that has worked before (a key that was withdrawn)."""

_AT_START: frozenset[FailureKind] = frozenset(
    {"auth", "billing", "not_found", "bad_request", "connect"}
)
_LATER: frozenset[FailureKind] = frozenset({"auth", "billing", "not_found"})


class EarlyStop:
    """Watches the final outcomes of one candidate's trials. `cause` is set when it must stop."""

    def __init__(self) -> None:
        self.cause: Failure | None = None
        self._worked = False
        self._row = 0
        self._refused: set[str] = set()

    def note(self, failure: Failure | None, *, sample_id: str) -> None:
        """Note the end of a trial: None is an answer, whatever its worth."""
        if failure is None or failure.blame == "candidate":
            self._worked = True
            self._row = 0
            self._refused.clear()
            return
        if failure.kind not in (_LATER if self._worked else _AT_START):
            # The endpoint is alive: a 500 says nothing about key or address.
            self._row = 0
            self._worked = self._worked or failure.kind not in _AT_START
            return
        if failure.kind == "bad_request":
            # One bad sample is refused in each repeat; that is the sample's fault.
            if sample_id in self._refused:
                return
            self._refused.add(sample_id)
        self._row += 1
        if self._row >= (LATER if self._worked else FIRST):
            self.cause = failure
