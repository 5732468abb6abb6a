"""Kills a run twenty times and writes what came of it: `python tools/proof_kill.py`.

A fake provider answers over HTTP after 150 ms; a run of 6,000 slots at
concurrency 50 is killed with SIGKILL at random moments and started again by the
same command. The page goes to docs/proof/resume.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from kill_ground import Killing, kill_and_resume  # noqa: E402  # its folder is added above

CONCURRENCY = 50
KILLS = 20
PAGE = """# Killed and resumed

Written by `python tools/proof_kill.py` (seed {seed}). A run of {slots} slots at
concurrency {concurrency} against the fake provider (answers after 150 ms) was ended by
SIGKILL at a random moment, {kills} times over, and started again by the same command each time.

| | |
|---|---|
| slots stored at the end | {finished} of {slots} |
| stored more than once | {twice} |
| stored before a kill and gone after it | {lost} |
| calls in flight at a kill and made again, at most | {most} (bound: {concurrency}) |
| the same, over all kills | {total} |
| calls that reached the provider | {calls} |
| status at the end | {status} |

In flight at each kill: {each}.
"""


def page(found: Killing, seed: int) -> str:
    """Return the page for one proof."""
    return PAGE.format(
        seed=seed,
        slots=found.slots,
        concurrency=CONCURRENCY,
        kills=found.kills,
        finished=found.finished,
        twice=found.twice,
        lost=found.lost,
        most=max(found.repaid),
        total=sum(found.repaid),
        calls=found.calls,
        status=found.status,
        each=", ".join(str(count) for count in found.repaid),
    )


def holds(found: Killing) -> bool:
    """Return whether everything promised was kept."""
    once = found.finished == found.slots and found.twice == 0 and found.lost == 0
    paid = max(found.repaid) <= CONCURRENCY
    return once and paid and found.calls == found.slots + sum(found.repaid)


def main() -> int:
    """Kill, resume, write; return 1 where something promised was not kept."""
    parser = argparse.ArgumentParser(description="Kill a run twenty times and resume it.")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "proof" / "resume.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = kill_and_resume(
            Path(folder),
            samples=1200,
            repeats=5,
            concurrency=CONCURRENCY,
            kills=KILLS,
            seed=given.seed,
        )
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(page(found, given.seed), encoding="utf-8")
    print(given.out.read_text(encoding="utf-8"))
    return 0 if holds(found) else 1


if __name__ == "__main__":
    sys.exit(main())
