"""Work at the store: in the event loop while it is brief, on the thread where it is not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from befit.engine import store_work
from befit.engine.store_work import FIRST_REST, FORGIVEN, TIDY, StoreWork
from befit.errors import StoreBusyError
from befit.storage.workspace import Workspace
from befit.testing.store import landed, manifest

HERE, APART = "here", "apart"


@pytest.fixture
def store(tmp_path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / ".befit") as opened:
        opened.create(manifest("r-0001"))
        yield opened


def _where(_store: object) -> str:
    return HERE if threading.current_thread() is threading.main_thread() else APART


async def _done(work: StoreWork, times: int, *, trials: int = 0) -> list[str]:
    try:
        return [await work.do(_where, trials=trials) for _ in range(times)]
    finally:
        work.shut_down()


def test_brief_work_is_done_in_the_event_loop(store):
    assert asyncio.run(_done(StoreWork(store), 3)) == [HERE, HERE, HERE]


def test_a_store_that_cannot_be_brief_is_always_spoken_to_from_the_thread():
    class Server:
        def brief(self) -> None:
            return None

    assert asyncio.run(_done(StoreWork(Server()), 3)) == [APART, APART, APART]


def test_after_work_that_took_long_the_next_ones_go_to_the_thread(store, monkeypatch):
    seconds = iter([0.0, 1.0])  # the first piece of work takes a second
    monkeypatch.setattr(store_work, "perf_counter", lambda: next(seconds, 2.0))
    places = asyncio.run(_done(StoreWork(store), FIRST_REST + 2))
    assert places == [HERE, *[APART] * FIRST_REST, HERE]


def test_each_further_long_one_sends_twice_as_many_to_the_thread(store, monkeypatch):
    seconds = iter([0.0, 1.0, 1.0, 2.0])
    monkeypatch.setattr(store_work, "perf_counter", lambda: next(seconds, 3.0))
    places = asyncio.run(_done(StoreWork(store), 2 + 3 * FIRST_REST + 1))
    assert places == [HERE, *[APART] * FIRST_REST, HERE, *[APART] * 2 * FIRST_REST, HERE]


def test_a_long_one_after_many_brief_ones_counts_as_the_first(store, monkeypatch):
    brief = [0.0] * (2 * FORGIVEN)
    seconds = iter([0.0, 1.0, *brief, 0.0, 1.0])
    monkeypatch.setattr(store_work, "perf_counter", lambda: next(seconds, 2.0))
    places = asyncio.run(_done(StoreWork(store), 1 + FIRST_REST + FORGIVEN + 1 + FIRST_REST + 1))
    rest = [APART] * FIRST_REST
    assert places == [HERE, *rest, *[HERE] * FORGIVEN, HERE, *rest, HERE]


def test_from_time_to_time_a_batch_goes_to_the_thread_where_the_log_is_folded_in(store):
    places = asyncio.run(_done(StoreWork(store), 5, trials=TIDY // 2))
    assert places == [HERE, APART, HERE, APART, HERE]


def test_work_that_would_wait_for_another_writer_is_done_by_the_thread(store):
    """Another connection holds the lock of the writer until the thread has begun to wait."""
    tried: list[str] = []

    async def go() -> None:
        work = StoreWork(store)
        with store._database.session() as other:
            driver = other.connection.driver_connection
            driver.execute("BEGIN IMMEDIATE")

            def commit(kept: Workspace) -> None:
                tried.append(_where(kept))
                if tried[-1] == APART:
                    driver.execute("ROLLBACK")
                kept.commit("r-0001", [landed("s1")])

            await work.do(commit, trials=1)
        work.shut_down()

    asyncio.run(go())
    assert tried == [HERE, APART]
    assert [fact.sample_id for fact in store.facts("r-0001")] == ["s1"]


def test_a_write_of_a_brief_store_raises_at_once_where_another_is_writing(store):
    brief = store.brief()
    with store._database.session() as other:
        driver = other.connection.driver_connection
        driver.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            brief.commit("r-0001", [landed("s1")])
        driver.execute("ROLLBACK")
    assert list(store.facts("r-0001")) == []
    brief.commit("r-0001", [landed("s1")])
    assert [fact.sample_id for fact in store.facts("r-0001")] == ["s1"]


def test_after_a_brief_write_the_connection_waits_for_others_again(store):
    def asked(words: str) -> int:
        with store._database.session() as any_of_the_pool:
            driver = any_of_the_pool.connection.driver_connection
            return driver.execute(f"PRAGMA {words}").fetchone()[0]

    before = asked("busy_timeout"), asked("wal_autocheckpoint")
    store.brief().commit("r-0001", [landed("s1")])
    assert (asked("busy_timeout"), asked("wal_autocheckpoint")) == before == (30_000, 4_000)


def test_work_that_another_thread_asks_for_is_done_on_the_thread_of_the_store(store):
    work = StoreWork(store)
    names = work.from_thread(lambda _: threading.current_thread().name)
    work.shut_down()
    assert names.startswith("befit-store")


def test_an_error_of_the_store_reaches_who_asked(store):
    async def go() -> None:
        work = StoreWork(store)
        try:
            await work.do(lambda kept: kept.commit("r-none", [landed("s1")]))
        finally:
            work.shut_down()

    with pytest.raises(Exception, match="no run r-none"):
        asyncio.run(go())
