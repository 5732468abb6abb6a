"""How a run has ended."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from befit.core.failure import Failure, FailureKind
from befit.core.run import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A candidate that was stopped early, why, and how many of its slots were not run."""

    candidate: str
    cause: Failure
    not_run: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """The counts of one sitting of a run.

    `ok`, `candidate_failures` and `missing` are slots that landed in this
    sitting (`reused` of them without a call); `already` were filled before it.
    `not_run` are those never tried, None where their number was not counted.
    `unknown` are calls whose cost nobody knows, failed ones and those of earlier sittings included.
    `spent` and `uncertain` are of the whole run, earlier sittings included: what is known, and
    the upper bound in USD of calls that may have been billed without our knowing.
    """

    status: RunStatus
    ok: int
    candidate_failures: int
    missing: int
    reused: int
    already: int
    not_run: int | None
    retries: int
    spent: Decimal
    uncertain: Decimal
    failures: dict[FailureKind, int]
    stopped: tuple[Stopped, ...]
    seconds: float
    warnings: tuple[str, ...] = ()
    """What the reader of the results has to know: patterns that took too long."""
    unknown: int = 0
    refused: Decimal | None = None
    """USD that the call may cost at most for which the cap left no money."""
    needs: Decimal | None = None
    """USD: the least cap in which that call fits beside all that was spent before."""
    unscored: int = 0
    """Answers that are stored and still wait for a scorer of the user's own."""
