"""Runs code in a process of its own, in an empty folder, and reads what its tests came to.

The program inside is `code_child`, which sets the limits before it lets go of the
answer's code; this side makes the folder, keeps the time and never trusts more than
the lines that bear the word agreed on.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from befit.scorers.evidence import storable

CHILD = Path(__file__).with_name("code_child.py")
_SIGNALS = {signal.SIGXCPU: "timeout", signal.SIGKILL: "killed", signal.SIGXFSZ: "too_much_output"}
_GRACE = 2.0
"""Seconds for starting the process, beyond the time of the tests."""
_READ = 2_000_000
"""Bytes of results that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an answer may use."""

    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Files by path (the answer's among them) and the tests to be run on it."""

    files: Mapping[str, str]
    file: str
    tests: tuple[str, ...]
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRan:
    """One test: passed, or what became of it."""

    passed: bool
    label: str
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of all tests; `syntax` where the answer is no Python."""

    tests: tuple[TestRan, ...]
    fence: str
    syntax: str | None = None
    error: str | None = None


def run(job: Job, limits: Limits) -> Ran:
    """Run all tests of one answer; whatever the code does, this returns."""
    word = secrets.token_hex(8)
    with (
        tempfile.TemporaryDirectory(prefix="befit-code-") as folder,
        tempfile.TemporaryFile() as out,
    ):
        try:
            _write(Path(folder), job)
        except (OSError, ValueError) as error:
            return _broken(job, f"the files cannot be laid out: {error}")
        order = {
            "word": word,
            "results": out.fileno(),
            "file": job.file,
            "tests": list(job.tests),
            "command": list(job.command),
            "seconds": limits.seconds,
            "bytes": limits.megabytes * 1_000_000,
        }
        try:
            code = _process(order, folder, out, limits)
        except OSError as error:
            return _broken(job, f"no process: {error.strerror or error}")
        out.seek(0)
        # The folder's name is another each time; the same answer gets the same words.
        lines = _lines(out.read(_READ).replace(f"{folder}/".encode(), b""), word)
    return _ran(job, lines, code)


def _process(order: dict[str, Any], folder: str, out: IO[bytes], limits: Limits) -> int | None:
    """Start the child, give it its order, wait; returns its exit code, None after the time."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
    }
    child = subprocess.Popen(  # noqa: S603 - our own program; no shell
        [sys.executable, "-s", "-S", "-P", "-B", "-W", "ignore", str(CHILD)],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(out.fileno(),),
        start_new_session=True,
    )
    try:
        with suppress(BrokenPipeError):
            child.communicate(json.dumps(order).encode(), timeout=limits.seconds + _GRACE)
        return child.wait(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # The whole group, for what the answer may have started.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _write(folder: Path, job: Job) -> None:
    files = dict(job.files)
    if job.command:
        files[job.file] = "\n".join((files[job.file], *job.tests, ""))
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "replace"))


def _lines(raw: bytes, word: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in raw.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("word") == word:
            found.append(value)
    return found


def _ran(job: Job, lines: list[dict[str, Any]], code: int | None) -> Ran:
    fence = next((str(line["fence"]) for line in lines if "fence" in line), "")
    broken = next((str(line["broken"]) for line in lines if "broken" in line), None)
    if broken is not None or (not fence and code is not None):
        return _broken(job, broken or f"the process ended with {code} before it began")
    syntax = next((storable(str(line["syntax"])) for line in lines if "syntax" in line), None)
    if job.command:
        return _commanded(job, fence, code)
    done: dict[int, TestRan] = {}
    for line in lines:
        if isinstance(line.get("test"), int):
            why = line.get("why")
            done.setdefault(
                line["test"],
                TestRan(
                    passed=line.get("label") == "passed",
                    label=str(line.get("label")),
                    why=storable(str(why)) if why else None,
                ),
            )
    ended = "syntax_error" if syntax else _end(code)
    tests: list[TestRan] = []
    for number in range(len(job.tests)):
        lost = TestRan(passed=False, label=ended, why=syntax)
        tests.append(done.get(number, lost))
        if number not in done and not syntax:
            ended = "not_run"
    return Ran(tests=tuple(tests), fence=fence, syntax=syntax)


def _commanded(job: Job, fence: str, code: int | None) -> Ran:
    if code == 127:  # noqa: PLR2004 - "command not found", as shells say it
        return _broken(job, f"'{job.command[0]}' cannot be started")
    label = "passed" if code == 0 else "failed" if code is not None and code > 0 else _end(code)
    why = None if code == 0 else f"exit code {code}"
    return Ran(tests=(TestRan(passed=code == 0, label=label, why=why),), fence=fence)


def _end(code: int | None) -> str:
    """Return the word for how a process ended that said nothing more."""
    if code is None:
        return "timeout"
    return _SIGNALS.get(signal.Signals(-code), "crashed") if code < 0 else "exited"


def _broken(job: Job, why: str) -> Ran:
    lost = TestRan(passed=False, label="scorer_error")
    return Ran(tests=(lost,) * len(job.tests), fence="", error=storable(why))
