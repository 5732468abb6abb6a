"""The one writer: scores what has landed and commits whatever is waiting, in one transaction.

While one batch is being committed the next one gathers, so the batches are as large as the
load is high; an answer waits for others `LINGER` at most, and not at all where none is to come.
Where a batch is stored, in the event loop or beside it, is the business of `store_work`.
Answers that code of the user's own has to judge are stored first and scored afterwards (`late`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from befit.core.landed import Landed
from befit.core.score import Score
from befit.engine.arrival import Arrival
from befit.engine.bill import Account
from befit.engine.job import EngineStore, user_name
from befit.engine.late import LateScoring
from befit.engine.masking import Masking
from befit.engine.scoring import Scoring
from befit.engine.store_work import StoreWork

MOST = 100
"""Arrivals of one batch: some milliseconds of the event loop's time."""
ROUNDS = 20
"""Turns of the event loop at most for which a batch gathers before it is committed."""
LINGER = 0.002
"""Seconds for which a batch waits for answers of calls in flight: a transaction costs as much as
storing ten of them."""


class Writer:
    """Commits arrivals to one run. `run` is its task; `close` ends it when all is stored."""

    def __init__(
        self,
        *,
        run_id: str,
        store: EngineStore,
        scorings: dict[str, Scoring],
        account: Account,
    ) -> None:
        self._run_id = run_id
        self._account = account
        self._scorings = scorings
        self.work = StoreWork(store)
        """Everything else that the run does at the store goes through here, too."""
        self.in_flight: Callable[[], int] = int
        """Returns how many calls of the run are under way or wait to be stored."""
        self._waiting: list[tuple[Arrival, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._error: BaseException | None = None
        self.masking = Masking()
        """Takes the run's keys out of what is stored."""
        twins = {name: scoring.twin() for name, scoring in scorings.items()}
        self.late = LateScoring(twins, self._add_scores)

    async def land(self, arrival: Arrival) -> None:
        """Return when `arrival` is committed.

        Raises:
            StoreError: it could not be, nor can anything else.
        """
        await self.hand_over(arrival)
        if self.late.waiting or self.late.error is not None:
            await self.late.room()

    def hand_over(self, arrival: Arrival) -> asyncio.Future[None]:
        """Put `arrival` in the queue; the future is done when it is committed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._error is not None:
            done.set_exception(self._error)
            return done
        self._waiting.append((arrival, done))
        self._wake.set()
        return done

    async def run(self) -> None:
        """Commit until closed; a failing store fails every arrival, never in silence."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._waiting:
                await self._gather()
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._commit(batch)
                if self._waiting:
                    self._wake.set()
            if self._closing and not self._waiting:
                await self._tell_costs(final=True)
                return

    async def _gather(self) -> None:
        """Let answers that are already in the socket join the batch, while more keep coming.

        The loop goes round without waiting, so an idle run loses nothing; a busy one commits
        larger batches, which cost less for each answer.
        """
        for _ in range(ROUNDS):
            before = len(self._waiting)
            await asyncio.sleep(0)
            if len(self._waiting) in (before, MOST):
                break
        if len(self._waiting) < min(MOST, self.in_flight()):
            await asyncio.sleep(LINGER)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What scorers could not judge, in sentences."""
        told = [*self._scorings.values(), *self.late.scorings.values()]
        found = [one for scoring in told for one in scoring.warnings]
        return tuple(dict.fromkeys((*self.masking.warnings, *found)))

    def close(self) -> None:
        """Let `run` end once everything handed over is committed."""
        self._closing = True
        self._wake.set()

    def shut_down(self) -> None:
        """End the work at the store, after `run` has ended."""
        self.work.shut_down()

    async def _commit(self, batch: list[tuple[Arrival, asyncio.Future[None]]]) -> None:
        arrivals = [arrival for arrival, _ in batch]
        try:
            late = await self.work.do(
                lambda store: self._store_batch(store, arrivals), trials=len(arrivals)
            )
            for arrival in arrivals:
                self._book(arrival)
            await self._tell_costs()
        except Exception as error:  # noqa: BLE001  # whatever the store raises reaches the run
            self._error = error
            for _, done in batch:
                if not done.done():
                    done.set_exception(error)
            return
        for _, done in batch:
            if not done.done():
                done.set_result(None)
        if late:
            self.late.put(late)

    def _book(self, arrival: Arrival) -> None:
        """Take what a stored answer tells of its cost off what is still to be told."""
        if not arrival.reused:
            trial, slot = arrival.trial, arrival.slot
            user = None if trial.user_cost is None else user_name(slot.scenario)
            self._account.landed(slot.candidate, trial.cost, user=user)

    async def _tell_costs(self, *, final: bool = False) -> None:
        """Tell the store what calls have cost that no answer tells."""
        costs = self._account.untold(final=final)
        if costs and self._error is None:
            await self.work.do(lambda store: store.add_untold(self._run_id, costs))

    def _store_batch(self, store: EngineStore, arrivals: list[Arrival]) -> list[Arrival]:
        """Score and store a batch; return those that are stored without scores."""
        scorings = self._scorings
        late: list[Arrival] = []
        landed: list[Landed] = []
        for arrival in arrivals:
            arrival.trial = self.masking.trial(arrival.trial, candidate=arrival.slot.candidate)
            # Answer and target alike: else a masked answer would miss a target with the value.
            arrival.sample = self.masking.record(arrival.sample)
            scoring = scorings[arrival.slot.scenario]
            if scoring.is_foreign(arrival.sample, arrival.trial):
                late.append(arrival)
                scores: tuple[Score, ...] = ()
            else:
                scores = scoring.score(arrival.sample, arrival.trial)
            landed.append(
                Landed(slot=arrival.slot, trial=arrival.trial, scores=scores, reused=arrival.reused)
            )
        store.commit(self._run_id, landed)
        return late

    def _add_scores(self, landed: Sequence[Landed]) -> None:
        """Add scores, from the thread of the late ones."""
        self.work.from_thread(lambda store: store.add_scores(self._run_id, landed))
