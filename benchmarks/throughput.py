"""What a trial costs befit in CPU and memory, beside a raw loop in the same run.

    python benchmarks/throughput.py            # 1k and 10k at 0 ms, 1k at 500 ms
    python benchmarks/throughput.py --full     # also 100k, and streamed answers
    python benchmarks/throughput.py --rounds 5 # the first two as often, in turn

Each measurement is a process of its own against a fast local server in another
one; user and system CPU and the peak of memory are read from the ended process.
Wall times on a shared machine mean little, therefore ratios are printed; so does one CPU time
where neighbours share the caches, therefore rounds: each kind in turn, least and median.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEASURED = Path(__file__).with_name("measured.py")
CONCURRENCY = 100


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What one process has used."""

    cpu: float
    wall: float
    calling: float
    """Seconds from the first call to the last answer."""
    megabytes: float


@contextmanager
def server(seconds: float) -> Iterator[str]:
    """Start the fast server, answering after `seconds`; yield its base URL."""
    script = json.dumps({"answer": "42", "first_token": {"seconds": seconds}})
    command = [sys.executable, "-m", "befit.testing", "--fast", "--script", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None  # noqa: S101  # PIPE was asked for
            yield json.loads(process.stdout.readline())["base_url"]
        finally:
            process.kill()


def measure(kind: str, count: int, base_url: str) -> Usage:
    """Run one measurement to its end and return what it has used."""
    command = [sys.executable, str(MEASURED), kind, str(count), base_url]
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None  # noqa: S101  # PIPE was asked for
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    told = json.loads(said) if process.returncode == 0 else {}
    if told.get("right") != count:
        sys.exit(f"{kind} {count}: failed: {said}")
    return Usage(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        calling=told["seconds"],
        megabytes=usage.ru_maxrss / 1024,
    )


def compare(count: int, base_url: str, kinds: list[str]) -> dict[str, Usage]:
    """Measure all kinds at one size and print them as ratios of the first."""
    found: dict[str, Usage] = {}
    for kind in kinds:
        found[kind] = used = measure(kind, count, base_url)
        first = found[kinds[0]]
        print(
            f"{count:>7}  {kind:<15} {used.cpu:7.2f} CPU s  {used.cpu / first.cpu:5.2f}x"
            f"  {used.wall:7.2f} s  {used.wall / first.wall:5.2f}x  {used.megabytes:6.0f} MB",
            flush=True,
        )
    return found


def _spread(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"least {min(values):.3f}, median {statistics.median(values):.3f} of {len(values)}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--full", action="store_true", help="100,000 items and streamed answers")
    parser.add_argument("--rounds", type=int, default=1, help="of the first two sizes")
    given = parser.parse_args()
    full = given.full
    kinds = ["raw", "befit", "befit-streamed"] if full else ["raw", "befit"]
    print(f"{os.cpu_count()} cores, concurrency {CONCURRENCY}; answers at once")
    with server(0.0) as base_url:
        rounds = [
            (compare(1_000, base_url, kinds), compare(10_000, base_url, kinds))
            for _ in range(max(1, given.rounds))
        ]
        for kind in kinds:
            further = [(large[kind].cpu - small[kind].cpu) / 9 for small, large in rounds]
            print(f"         {kind:<15} {_spread(further)} ms CPU per further item")
        if full:
            compare(100_000, base_url, ["raw", "befit"])
    print("answers after 500 ms")
    with server(0.5) as base_url:
        for kind, used in compare(1_000, base_url, ["raw", "befit"]).items():
            print(f"         {kind:<15} {500 / used.calling:.0f} of {CONCURRENCY} in flight")


if __name__ == "__main__":
    main()
