"""One call to a target, with everything around it: limits, budget, retries, timeouts.

Whatever the target does, the result is data: a completion, or the final failure
with the failed tries before it. Only a draining run raises (`Abandoned`).
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from decimal import Decimal
from time import monotonic
from typing import Any

from befit.core.completion import Attempt, Completion, Request
from befit.core.failure import Failure, FailureKind
from befit.core.price import cost
from befit.core.protocols import Target
from befit.engine.budget import Budget, upper_bound
from befit.engine.clock import Clock
from befit.engine.job import Pairing
from befit.engine.limiter import Limiter
from befit.engine.retry import RetryPolicy
from befit.engine.stop import Abandoned, Drain
from befit.engine.tokens import OUTPUT_WHEN_UNSET, input_bound
from befit.errors import TargetError
from befit.plugins import contained

GRACE = 5.0
"""Seconds beyond the total time limit after which a target that ignores it is cut off."""


WATCH = 1.0
"""Seconds between two looks at the calls under way."""
_NOTHING = Decimal(0)


@dataclass(slots=True)
class Ledger:
    """What the calls of one trial have cost and gone through."""

    started: float
    """`monotonic()` when the trial began."""
    attempts: list[Attempt] = field(default_factory=list)
    waited: float = 0.0
    """Seconds that calls were due before the try that ended them began."""
    retried: Decimal | None = None
    """What failed tries have cost, as far as the provider has said it; part of `cost`."""
    untold: int = 0
    """Failed tries that may have been billed without our knowing."""
    _sum: Decimal = _NOTHING
    _known: int = 0
    _unknown: int = 0

    @property
    def cost(self) -> Decimal | None:
        """What the answers have cost; None where one cost is unknown, or none was given."""
        return self._sum if self._known and not self._unknown else None

    def add(self, spent: Decimal | None) -> None:
        """Count the cost of one more answer."""
        if spent is None:
            self._unknown += 1
        else:
            self._known += 1
            self._sum += spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A call that has failed, with what had arrived of an answer."""

    failure: Failure
    partial: Completion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all endpoints of a run share."""

    clock: Clock
    rng: random.Random
    drain: Drain
    budget: Budget
    retry: RetryPolicy


class Caller:
    """Makes the calls of one endpoint."""

    def __init__(self, shared: Shared, limiter: Limiter, *, counts_tokens: bool) -> None:
        self._shared = shared
        self._limiter = limiter
        self._counts_tokens = counts_tokens
        self._bounded = counts_tokens or shared.budget.cap is not None
        """Whether anybody asks what a call can use at most."""
        self.retries = 0
        self._until: dict[asyncio.Task[Any], float] = {}
        self._overdue: set[asyncio.Task[Any]] = set()

    async def call(
        self, target: Target, request: Request, pairing: Pairing, ledger: Ledger
    ) -> Completion | Failed:
        """Return the answer or the final failure; failed tries before it go to `ledger`.

        The caller holds a place of the limiter; while waiting to try again the
        place is free for others.

        Raises:
            Abandoned: the run is draining, or the spend cap is reached.
        """
        shared, limiter = self._shared, self._limiter
        tokens, bound = self._bounds(request, pairing) if self._bounded else (0, _NOTHING)
        due, waited, tries = shared.clock.monotonic(), ledger.waited, 0
        while True:
            if limiter.restrains:
                await limiter.admit(tokens)
            if bound and not await shared.budget.reserve(bound):
                shared.drain.start("capped")
                raise Abandoned
            started = shared.clock.monotonic()
            ledger.waited = waited + started - due
            outcome = await self._attempt(target, request, pairing, bound)
            if isinstance(outcome, Completion):
                if outcome.usage is None:
                    bound = bound or _most(request, pairing)
                self._settle(outcome, pairing, ledger, tokens=tokens, bound=bound)
                return outcome
            failure = outcome.failure
            most = bound or _most(request, pairing)
            spent = self._settle_failed(outcome, pairing, ledger, bound=most)
            limiter.failed(failure, started=started)
            tries += 1
            delay = shared.retry.delay(failure, tries, shared.rng)
            if delay is None:
                return outcome
            self.retries += 1
            if spent is not None:
                ledger.retried = spent + (ledger.retried or 0)
            ledger.attempts.append(
                Attempt(
                    failure=failure,
                    started=started - ledger.started,
                    waited=delay,
                    usage=None if outcome.partial is None else outcome.partial.usage,
                )
            )
            await self._pause(delay)

    async def watch(self) -> None:
        """Cut off targets that ignore their time limit, until cancelled.

        One task looks at all calls once a second: a timer for each call would
        cost more than the rest of what the engine does around it.
        """
        while True:
            await asyncio.sleep(WATCH)
            now = monotonic()
            overdue = [task for task, until in self._until.items() if until < now]
            for task in overdue:
                self._overdue.add(task)
                task.cancel()

    async def _attempt(
        self, target: Target, request: Request, pairing: Pairing, bound: Decimal
    ) -> Completion | Failed:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a coroutine that runs has its task
        limit = request.timeouts.total + GRACE
        self._until[task] = monotonic() + limit
        try:
            return await target.generate(request)
        except TargetError as error:
            return Failed(failure=error.failure, partial=error.partial)
        except asyncio.CancelledError:
            if task in self._overdue:
                self._overdue.discard(task)
                task.uncancel()
                return _failed("timeout_total", f"no end after {limit:g} s")
            if not task.cancelling():
                return _failed("target_error", "the target cancelled its own call")
            most = bound or _most(request, pairing)
            self._shared.budget.settle_failed(most, kind=None, who=pairing.candidate.name)
            raise
        except BaseException as error:
            bug = contained(error)
            if bug is None:
                raise
            # This trial's failure only, whatever it was meant to end.
            return _failed("target_error", f"{type(bug).__name__}: {bug}"[:500])
        finally:
            del self._until[task]

    async def _pause(self, seconds: float) -> None:
        """Wait with the place given up; in any case it is held again on return."""
        self._limiter.release()
        try:
            if await self._shared.clock.wait(self._shared.drain.event, seconds):
                raise Abandoned  # noqa: TRY301  # the place is taken back in one spot
            await self._limiter.acquire()
        except BaseException:
            self._limiter.take_back()
            raise

    def _bounds(self, request: Request, pairing: Pairing) -> tuple[int, Decimal]:
        """Return the most tokens and the most USD this call can use."""
        capped = self._shared.budget.cap is not None and pairing.price is not None
        if not capped and not self._counts_tokens:
            return 0, _NOTHING
        given = input_bound(request.messages, static=pairing.static_bytes)
        bound = _most(request, pairing, given=given) if capped else _NOTHING
        return given // 3 + (request.sampling.max_tokens or 1_000), bound

    def _settle(
        self,
        completion: Completion,
        pairing: Pairing,
        ledger: Ledger,
        *,
        tokens: int,
        bound: Decimal,
    ) -> None:
        spent = cost(completion.usage, pairing.price)
        self._shared.budget.settle(bound, cost=spent, who=pairing.candidate.name)
        ledger.add(spent)
        if self._counts_tokens and completion.usage is not None:
            usage = completion.usage
            used = usage.input_tokens + usage.output_tokens
            self._limiter.used(admitted=tokens, tokens=used)
        if completion.headers or self._limiter.limit < self._limiter.stated:
            self._limiter.answered(completion.headers, needed_tokens=max(1, tokens))

    def _settle_failed(
        self, failed: Failed, pairing: Pairing, ledger: Ledger, *, bound: Decimal
    ) -> Decimal | None:
        """Count and return what a failed call has cost, where the provider has said it."""
        budget, partial, who = self._shared.budget, failed.partial, pairing.candidate.name
        usage = None if partial is None else partial.usage
        spent = None if usage is None else cost(usage, pairing.price)
        if spent is None:
            ledger.untold += budget.settle_failed(bound, kind=failed.failure.kind, who=who)
            return None
        budget.settle(bound, cost=spent, who=who)
        ledger.add(spent)
        return spent


def _most(request: Request, pairing: Pairing, *, given: int | None = None) -> Decimal:
    """Return the most USD a call can cost; 0 where no price is known. `given`: its input tokens."""
    if pairing.price is None:
        return _NOTHING
    if given is None:
        given = input_bound(request.messages, static=pairing.static_bytes)
    allowed = request.sampling.max_tokens
    output = OUTPUT_WHEN_UNSET if allowed is None else allowed
    return upper_bound(pairing.price, input_tokens=given, output_tokens=output)


def _failed(kind: FailureKind, message: str) -> Failed:
    return Failed(failure=Failure(kind=kind, message=message))
