"""Answers are stored in few transactions: together with those of calls that are in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from befit.core.landed import Landed
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.engine import writer
from befit.engine.arrival import Arrival
from befit.engine.bill import Account
from befit.engine.scoring import Scoring
from befit.engine.writer import Writer
from befit.storage.workspace import Workspace
from befit.testing.store import SCENARIO, landed, manifest

SPEC = ScenarioSpec(name=SCENARIO, dimension="knowledge")
SECOND = 0.02
"""Seconds after which the second of two answers comes."""


class Counted:
    """A workspace that counts what is committed at once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.batches: list[int] = []

    def brief(self) -> Counted:
        return self

    def commit(self, run_id: str, batch: Sequence[Landed], /) -> None:
        self.batches.append(len(batch))
        self._workspace.commit(run_id, batch)


def _batches(folder, *, in_flight: int) -> list[int]:
    """Return the sizes of the batches of two answers of which one comes later."""

    async def go(store: Counted) -> None:
        one = Writer(
            run_id="r-0001",
            store=store,
            scorings={SCENARIO: Scoring.of(SPEC)},
            account=Account(),
        )
        one.in_flight = lambda: in_flight
        running = asyncio.create_task(one.run())
        found = [landed(f"s{number}") for number in range(2)]
        sample = Sample(id="s", input="one")
        first, second = (Arrival(each.slot, sample, each.trial) for each in found)
        stored = [one.hand_over(first)]
        await asyncio.sleep(SECOND)
        stored.append(one.hand_over(second))
        await asyncio.gather(*stored)
        one.close()
        await running
        one.shut_down()

    with Workspace.open(folder / ".befit") as opened:
        opened.create(manifest("r-0001"))
        store = Counted(opened)
        asyncio.run(go(store))
        return store.batches


def test_an_answer_that_is_alone_waits_for_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "LINGER", 60.0)
    assert _batches(tmp_path, in_flight=1) == [1, 1]


def test_an_answer_waits_a_little_for_calls_in_flight(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "LINGER", 10 * SECOND)
    assert _batches(tmp_path, in_flight=2) == [2]
