"""What a client that waits for each answer would have reported: coordinated omission, shown.

A naive client sends the next call only when the last one has come back, and
times it from sending. During a stall it makes one call instead of many, and
that one is all it tells of the stall (Tene, "How NOT to Measure Latency").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.load import Columns, Quantiles, quantiles, times_of
from befit.core.estimate import Estimate
from befit.core.written import many

TELLING = 1.5
"""The note is worth showing where the tails differ by more than this factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """Latency of the same server as both kinds of client see it."""

    scheduled: Quantiles
    """From the moment each call was due."""
    naive: Quantiles
    """From sending, of the calls that a waiting client would have made."""
    calls_left_out: int
    """Calls that it would never have made."""

    @property
    def note(self) -> str:
        """The difference in a sentence; "" where there is none worth telling.

        Where no call had to wait, the two differ by a late generator only, which is told as such.
        """
        if not self.calls_left_out:
            return ""
        for name in ("p99", "p95"):
            ours: Estimate = getattr(self.scheduled, name)
            theirs: Estimate = getattr(self.naive, name)
            if ours.value is None or theirs.value is None or ours.value < TELLING * theirs.value:
                continue
            return (
                f"A client that waits for each answer before it sends the next would have "
                f"reported a {name} of {theirs.value:.3g} s instead of {ours.value:.3g} s: it "
                f"would have left out {many(self.calls_left_out, 'call')}, those that had to wait."
            )
        return ""


def naive_closed_loop(calls: Columns) -> Naive:
    """Return what one waiting client would have seen of the same calls."""
    due, sent, end = calls["scheduled"], calls["sent"], calls["end"]
    made = np.zeros(calls.n, dtype=bool)
    free = -np.inf
    for i in range(calls.n):
        if due[i] >= free:
            made[i] = True
            free = end[i]
    service = np.where(calls.failed | ~made, np.nan, end - sent)
    return Naive(
        scheduled=quantiles(times_of(calls)["latency"], n_missing=int(calls.failed.sum())),
        naive=quantiles(service[made], n_missing=int(calls.failed[made].sum())),
        calls_left_out=int((~made).sum()),
    )
