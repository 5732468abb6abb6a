"""Ctrl-C while a load or a fallback check is measured: 130, and what ended before is kept."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from befit.testing.provider import FakeProcess
from befit.testing.script import Delay, Script
from cli_ground import PROJECT, environment, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
THIRD = """\
  - name: slow
    target: openai
    model: m-slow
    base_url: ${BASE_URL}
    api_key: ${API_KEY}
    sampling: {temperature: 0, top_p: 1, max_tokens: 20}
    price: {input: 0.15, output: 0.60}
scenarios:
"""


def start(folder: Path, base_url: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from befit.cli.main import main; main()", *words],
        cwd=folder,
        env=environment(base_url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(seen: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not seen() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert seen()


def kept(folder: Path) -> list[tuple[str, str]]:
    """Kind and primary (or candidate) of each record of the workspace."""
    path = folder / ".befit" / "workspace.db"
    if not path.exists():
        return []
    database = sqlite3.connect(path)
    try:
        rows = database.execute("SELECT kind, body FROM records").fetchall()
    except sqlite3.OperationalError:
        return []  # not made yet
    finally:
        database.close()
    return [(kind, json.loads(body)["body"].get("fallback", "")) for kind, body in rows]


def test_a_stopped_check_has_shown_and_kept_the_edges_that_ended(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL.replace("scenarios:\n", THIRD, 1), n=2)
    # The third candidate never answers, so the second edge cannot end by itself.
    script = Script(healthy_models=("m-good", "m-bad"), rates={"stall": 1.0})
    with FakeProcess(script) as provider:
        words = ["fallback", "check", "--measure", "--edge", "good:bad", "--edge", "good:slow"]
        started = start(folder, provider.base_url, *words)
        wait_for(lambda: bool(kept(folder)))
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert "good -> bad" in out
    assert "good -> slow" not in out
    assert "shown and kept: good:bad" in err
    assert "Traceback" not in err
    assert kept(folder) == [("fallback", "bad")]


def test_an_interrupted_load_ends_with_130_whatever_its_calls_would_say(tmp_path: Path) -> None:
    # Four calls a second are due and one place serves two of them: not to be used, either.
    words = ["--shape", "constant:4", "--set", "most_in_flight=1", "--duration", "120"]
    folder = write_project(tmp_path, text=ONLY_TOTAL, n=2)
    script = Script(first_token=Delay(seconds=0.5), answer="12")
    with FakeProcess(script, log=tmp_path / "requests.jsonl") as provider:
        started = start(folder, provider.base_url, "load", *words, "--set", "warm_up=0")
        wait_for(lambda: len(provider.requests) > 3)
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert "Traceback" not in err


def test_a_load_that_is_ended_at_once_says_that_nothing_is_kept(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL, n=2)
    script = Script(rates={"stall": 1.0})
    with FakeProcess(script, log=tmp_path / "requests.jsonl") as provider:
        started = start(folder, provider.base_url, "load", "--shape", "closed:2")
        wait_for(lambda: len(provider.requests) > 1)
        started.send_signal(signal.SIGINT)
        # The same signal twice within a moment can be one: the second is another.
        time.sleep(0.5)
        started.send_signal(signal.SIGTERM)
        _, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert "nothing of it is kept" in err
    assert kept(folder) == []
