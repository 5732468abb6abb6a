from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from befit.errors import StoreError
from befit.storage.workspace import Workspace
from befit.testing.store import landed, manifest

WRITER = Path(__file__).with_name("store_writer.py")
SECONDS = 30


@contextmanager
def process(*words):
    child = subprocess.Popen(
        [sys.executable, str(WRITER), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate(timeout=SECONDS)


def go(*children):
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()


def counts(workspace):
    with workspace._database.read() as connection:
        return [
            connection.scalar(text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - fixed names
            for table in ("trials", "slots", "evidence", "scores")
        ]


def test_two_writers_on_one_run_lose_nothing_and_double_nothing(workspace, location):
    with (
        process("write", location, 0, 400, 20) as one,
        process("write", location, 200, 400, 20) as two,  # half of it is the same slots
    ):
        go(one, two)
        for child in (one, two):
            child.communicate(timeout=SECONDS)
            assert child.returncode == 0
    assert counts(workspace) == [600, 600, 600, 1200]
    ids = [fact.sample_id for fact in workspace.facts("r-0001")]
    assert ids == [f"s{n:05d}" for n in range(600)]


def test_a_reader_sees_whole_batches_while_another_process_writes(workspace, location):
    with process("write", location, 0, 600, 20) as child:
        go(child)
        seen = [len(list(workspace.facts("r-0001"))) for _ in range(20)]
        child.communicate(timeout=SECONDS)
    assert all(n % 20 == 0 for n in seen)
    assert seen == sorted(seen)
    assert counts(workspace)[1] == 600


def test_threads_share_one_workspace(workspace):
    def write(first):
        for start in range(first, first + 100, 10):
            workspace.commit("r-0001", [landed(f"s{n:04d}") for n in range(start, start + 10)])

    threads = [threading.Thread(target=write, args=(n * 50,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert counts(workspace) == [250, 250, 250, 500]


@pytest.mark.usefixtures("workspace")
def test_kill_9_in_the_middle_of_a_batch_loses_nothing_committed(location):
    done = 0
    for round_ in range(4):
        with process("write", location, 0, 20_000, 50) as child:
            go(child)
            for _ in range(2 + round_):
                done = max(done, int(child.stdout.readline()))
            time.sleep(0.003 * round_)  # so that it dies at different points
            os.kill(child.pid, signal.SIGKILL)
            child.wait(timeout=SECONDS)
        with Workspace.open(location) as after:
            trials, slots, evidence, scores = counts(after)
            assert slots >= done
            assert slots % 50 == 0
            assert (trials, evidence, scores) == (slots, slots, 2 * slots)
            keys = [fact.key_id for fact in after.facts("r-0001")]
            assert len(after.trials(keys)) == slots
            if after._database.is_sqlite:
                with after._database.read() as connection:
                    assert connection.scalar(text("PRAGMA integrity_check")) == "ok"


def test_the_second_to_hold_a_plan_is_told_who_has_it(workspace, location):
    with process("hold", location, "plan-1") as child:
        assert child.stdout.readline() == "holding\n"
        holder = workspace.holder("plan-1")
        assert (holder.pid, holder.host) == (child.pid, socket.gethostname())
        assert holder.since.startswith("20")
        with pytest.raises(StoreError, match="at work") as caught, workspace.hold("plan-1"):
            pass
        assert f"process {child.pid} on {socket.gethostname()} since {holder.since}" in str(
            caught.value
        )
        with workspace.hold("plan-2"):
            assert workspace.holder("plan-2").pid == os.getpid()
        child.communicate("\n", timeout=SECONDS)
    assert workspace.holder("plan-1") is None


def test_what_a_killed_process_held_is_free(workspace, location):
    with process("hold", location, "plan-1") as child:
        assert child.stdout.readline() == "holding\n"
        os.kill(child.pid, signal.SIGKILL)
        child.wait(timeout=SECONDS)
    deadline = time.monotonic() + SECONDS
    while workspace.holder("plan-1") is not None and time.monotonic() < deadline:
        time.sleep(0.05)  # a server notices the broken connection a moment later
    assert workspace.holder("plan-1") is None
    with workspace.hold("plan-1"):
        assert workspace.holder("plan-1").pid == os.getpid()


def test_one_process_cannot_hold_a_plan_twice(workspace, location):
    with workspace.hold("plan-1"), Workspace.open(location) as other:
        for again in (workspace, other):
            with pytest.raises(StoreError, match="at work"), again.hold("plan-1"):
                pass


def test_two_processes_may_make_a_workspace_at_once(location):
    opened = []

    def make():
        with Workspace.open(location) as workspace:
            opened.append(workspace.runs())

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert opened == [[]] * 4


def test_two_runs_at_once_get_numbers_of_their_own(workspace):
    threads = [
        threading.Thread(target=workspace.create, args=(manifest(f"r-1{n}"),)) for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len(workspace.runs()) == 7
