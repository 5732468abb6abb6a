"""Killing a run again and again: shared by the test and by the longer proof."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from befit.storage.workspace import Workspace
from befit.testing.provider import FakeProcess
from befit.testing.script import Delay, Script
from engine_ground import RUN

CHILD = Path(__file__).with_name("resume_child.py")


@dataclass
class Killing:
    """What came of it. Counts are of slots and of calls that reached the provider."""

    slots: int
    kills: int = 0
    repaid: list[int] = field(default_factory=list)
    """Calls that were in flight at each kill and therefore made again."""
    stored_at_kill: list[int] = field(default_factory=list)
    lost: int = 0
    """Slots that were stored before a kill and not after it."""
    twice: int = 0
    """Slots stored more than once at the end."""
    finished: int = 0
    status: str = ""
    calls: int = 0


def kill_and_resume(
    folder: Path, *, samples: int, repeats: int, concurrency: int, kills: int, seed: int
) -> Killing:
    """Start the run, kill it `kills` times at random moments, then let it end."""
    rng = random.Random(seed)  # noqa: S311 (moments to kill at, no secret)
    found = Killing(slots=samples * repeats)
    most = found.slots // kills
    script = Script(first_token=Delay(seconds=0.15))
    stored: set[tuple[str, int]] = set()
    repaid = 0
    with FakeProcess(script, log=folder / "requests.jsonl") as provider:
        numbers = [str(n) for n in (samples, repeats, concurrency)]
        command = [sys.executable, str(CHILD), str(folder), provider.base_url, *numbers]
        for _ in range(kills):
            child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            # By progress, not by time: a busy machine must not kill before anything began.
            _await_lines(folder / "requests.jsonl", more=rng.randint(0, most))
            time.sleep(rng.uniform(0.0, 0.1))
            os.kill(child.pid, signal.SIGKILL)
            child.wait(10)
            child.stdout.close()
            time.sleep(0.3)  # what was sent arrives
            found.kills += 1
            now = _stored(folder)
            found.lost += len(stored - set(now))
            stored = set(now)
            in_flight = len(provider.requests) - len(stored) - repaid
            found.repaid.append(in_flight)
            found.stored_at_kill.append(len(stored))
            repaid += in_flight
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        found.status = (ended.stdout.split() or [ended.stderr])[-1]
        found.calls = len(provider.requests)
    final = _stored(folder)
    found.finished = len(final)
    found.twice = sum(count - 1 for count in Counter(final).values())
    return found


def _await_lines(log: Path, *, more: int, seconds: float = 60.0) -> None:
    """Return when `log` has grown by `more` lines, or after `seconds`."""
    until = time.monotonic() + seconds
    with log.open("rb") as lines:
        lines.seek(0, os.SEEK_END)
        while more > 0 and time.monotonic() < until:
            more -= lines.read().count(b"\n")
            time.sleep(0.01)


def _stored(folder: Path) -> list[tuple[str, int]]:
    with Workspace.open(folder / ".befit") as store:
        return [(f.sample_id, f.repeat) for f in store.facts(RUN) if f.status == "ok"]
