"""Long simulations of blind review; writes `docs/proof/review.md`.

The same functions run short in `tests/stats/test_review_simulations.py`. A figure
that leaves its band is printed as such, and the exit code is then 1.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import review_simulations as simulated  # noqa: E402  # found only after the path above

SEED = 7
FULL = 2_000
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else FULL
COVERED = 0.93, 0.97
WRONG, CAUGHT = 0.05, 0.90
INTRODUCTION = f"""\
Simulated reviewers of known kinds judge four candidates of known strength; seed {SEED}; written
by `make proof`. 100 votes of work each, 8 gold items, 4 attention checks, 8 mirrored items, six
calibration items in at most two attempts. Coverage is of nominal 95 % intervals, 10 reviewers
drawn anew in each round, 50 samples, 3 pairs each, 3 reviewers a pair. What good reviewers would
say in the long run is the truth; a bad one who is not found makes it wrong."""
Row = tuple[str, float, str, int, bool]


def band(share: float, rounds: int) -> float:
    """Half-width of the 99.9 % Monte Carlo band of a share."""
    return 3.29 * float(np.sqrt(share * (1 - share) / rounds))


def quality() -> list[Row]:
    """What the rule set before the study finds."""
    rows: list[Row] = []
    for kind in (*simulated.GOOD, *simulated.BAD):
        stopped, left_out, either = simulated.detection(kind, ROUNDS, seed=SEED)
        good = kind in simulated.GOOD
        rows.append((f"{kind}: stopped by calibration", stopped, "shown", ROUNDS, True))
        promise = f"at most {WRONG:.0%}" if good else f"at least {CAUGHT:.0%}"
        for what, figure in (("left out by the rule alone", left_out), ("by either", either)):
            kept = (
                figure <= WRONG + band(WRONG, ROUNDS)
                if good
                else figure >= CAUGHT - band(CAUGHT, ROUNDS)
            )
            rows.append((f"{kind}: {what}", figure, promise, ROUNDS, kept))
    sly = simulated.SLY
    stopped, left_out, either = simulated.detection(sly, ROUNDS, seed=SEED)
    rows.append((f"{sly}: stopped by calibration", stopped, "shown", ROUNDS, True))
    rows.append((f"{sly}: left out by the rule alone", left_out, "shown", ROUNDS, True))
    kept = either >= CAUGHT - band(CAUGHT, ROUNDS)
    rows.append((f"{sly}: by either", either, f"at least {CAUGHT:.0%}", ROUNDS, kept))
    return rows


def results(what: str, *, people: int, bad: tuple[str, ...]) -> list[Row]:
    """Coverage and order."""
    found = simulated.coverage(ROUNDS, seed=SEED + len(bad), people=people, bad=bad)
    rows: list[Row] = [
        (f"{what}: intervals of {name} cover", found[key], "93 % to 97 %", ROUNDS,
         COVERED[0] <= found[key] <= COVERED[1])
        for key, name in (("difference", "rating differences"), ("win rate", "win rates"))
    ]  # fmt: skip
    rows.append(
        (f"{what}: the planted order is recovered", found["order"], "at least 90%", ROUNDS,
         found["order"] >= 0.9 - band(0.9, ROUNDS))
    )  # fmt: skip
    return rows


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    lines = ["| what | figure | promise | rounds | kept |", "|---|---|---|---|---|"]
    lines += [
        f"| {what} | {figure:.3f} | {promise} | {rounds:,} | {'yes' if kept else 'NO'} |"
        for what, figure, promise, rounds, kept in rows
    ]
    return "\n".join(lines)


def main() -> int:
    """Run all and write the page."""
    begun = time.monotonic()
    parts = {
        "Who is found": quality(),
        "What is found out": [
            *results("good reviewers only", people=10, bad=()),
            *results("with one lazy, one adversarial, one position-biased", people=13,
                     bad=simulated.BAD),
        ],
    }  # fmt: skip
    text = "# Can the votes be believed?\n\n" + INTRODUCTION + "\n"
    text += "".join(f"\n## {title}\n\n{table(rows)}\n" for title, rows in parts.items())
    print(text)
    print(f"{time.monotonic() - begun:.0f} s")
    if ROUNDS >= FULL:
        (ROOT / "docs" / "proof" / "review.md").write_text(text, encoding="utf-8")
    return 0 if all(row[-1] for rows in parts.values() for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
