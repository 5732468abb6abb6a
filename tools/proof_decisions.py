"""Long simulations of the decision; writes `docs/proof/decisions.md`.

The same functions run short in `tests/scenarios/`. A figure that leaves its band
is printed as such, and the exit code is then 1.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import planted_worlds as planted  # noqa: E402  # found only after the path above
import race_simulations as races  # noqa: E402  # the same

SEED = 7
WORLDS = 1_000
ROUNDS = 2_000
COVERED = 0.93, 0.97
INTRODUCTION = f"""\
Simulated candidates of known quality, stability, price and latency; seed {SEED}; written by
`make proof`. "At most 5 %" is kept within its 99.9 % Monte Carlo band, "at least" likewise."""
Row = tuple[str, float, str, int, bool]


def band(share: float, rounds: int) -> float:
    """Half-width of the 99.9 % Monte Carlo band of a share."""
    return 3.29 * float(np.sqrt(share * (1 - share) / rounds))


def at_most(what: str, figure: float, most: float, rounds: int) -> Row:
    """A share that must not be larger."""
    return what, figure, f"at most {most:.0%}", rounds, figure <= most + band(most, rounds)


def at_least(what: str, figure: float, least: float, rounds: int) -> Row:
    """A share that must not be smaller."""
    return what, figure, f"at least {least:.0%}", rounds, figure >= least - band(least, rounds)


def routes() -> list[Row]:
    """Planted routes."""
    rng = np.random.default_rng(SEED)
    clear = list(planted.play(WORLDS, rng, clear=True))
    every = list(planted.play(WORLDS, rng))
    good = sum(v.optimal and v.decided for v in clear) / WORLDS
    wrong = sum(v.decided and not v.optimal and not v.fails for v in every) / WORLDS
    savings = planted.cover_savings(ROUNDS, rng)
    return [
        at_least("clear worlds: the true best routes are chosen", good, 0.9, WORLDS),
        at_most("clear worlds: a route goes to a truly failing candidate",
                sum(v.fails for v in clear) / WORLDS, 0.05, WORLDS),
        at_most("all worlds: a route goes to a truly failing candidate",
                sum(v.fails for v in every) / WORLDS, 0.05, WORLDS),
        ("all worlds: ... that misses a floor by twice the detectable difference",
         sum(v.fails_badly for v in every) / WORLDS, "never", WORLDS,
         not any(v.fails_badly for v in every)),
        at_most("all worlds: decided, passing, but not the best routes", wrong, 0.05, WORLDS),
        ("all worlds: decided", sum(v.decided for v in every) / WORLDS, "shown", WORLDS, True),
        at_most("four equal candidates called different",
                planted.false_differences(WORLDS, rng), 0.05, WORLDS),
        ("intervals of monthly savings cover", savings, "93 % to 97 %", ROUNDS,
         COVERED[0] <= savings <= COVERED[1]),
    ]  # fmt: skip


def until_decided() -> list[Row]:
    """Races against a fixed size."""
    rng = np.random.default_rng(SEED)
    rounds = 500
    found = [races.race(rng, races.gap_world(rng)) for _ in range(rounds)]
    tied = [races.race(rng, races.tied_world(rng)) for _ in range(rounds)]
    decided = [one for one in found if one.ending == "decided"]
    saved = 1 - float(np.median([one.used for one in found]))
    return [
        at_most("rivals 10 points below: decided for the wrong one",
                sum(not one.right for one in decided) / rounds, 0.05, rounds),
        ("rivals 10 points below: decided", len(decided) / rounds, "shown", rounds, True),
        ("rivals 10 points below: calls saved, median", saved, "at least 50 %", rounds,
         saved >= 0.5),  # noqa: PLR2004 - the promise
        at_most("tied leaders: one is put out",
                sum(one.ending == "decided" or not one.right for one in tied) / rounds, 0.05,
                rounds),
        ("tied leaders: ended in futility",
         sum(one.ending == "futility" for one in tied) / rounds, "shown", rounds, True),
        ("tied leaders: ended at the cap, no saving claimed",
         sum(one.ending == "cap" for one in tied) / rounds, "shown", rounds, True),
    ]  # fmt: skip


def regression() -> list[Row]:
    """Checks against a baseline, margin 5 points."""
    rng = np.random.default_rng(SEED)

    def share(change: float, outcome: str) -> float:
        found = [races.regression(rng, change=change) for _ in range(ROUNDS)]
        return found.count(outcome) / ROUNDS

    n = races.MARGIN_N
    return [
        at_most(f"true change of minus the margin passes ({n} samples)", share(-0.05, "pass"),
                0.05, ROUNDS),
        at_least(f"no change passes ({n} samples)", share(0.0, "pass"), 0.8, ROUNDS),
        at_least(f"a fall of twice the margin fails ({n} samples)", share(-0.10, "fail"), 0.8,
                 ROUNDS),
        at_most(f"no change fails ({n} samples)", share(0.0, "fail"), 0.05, ROUNDS),
    ]  # fmt: skip


def main() -> int:
    """Run everything, print and write the page; return 1 if a figure leaves its band."""
    parts = ["# Are the decisions right?", "", INTRODUCTION, ""]
    broken = 0
    sections = (
        (f"Routes, {planted.N} samples a scenario", routes),
        (f"Stopping at the decision, against {races.FIXED} samples", until_decided),
        ("Regression", regression),
    )
    for title, run in sections:
        started = time.process_time()
        rows = run()
        lines = [
            f"## {title}",
            "",
            "| what | figure | promise | rounds | kept |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {what} | {figure:.3f} | {promise} | {rounds:,} | {'yes' if kept else 'NO'} |"
            for what, figure, promise, rounds, kept in rows
        ]
        broken += sum(not row[-1] for row in rows)
        print(
            "\n".join(lines), f"\n({time.process_time() - started:.0f} CPU seconds)\n", flush=True
        )
        parts += [*lines, ""]
    page = ROOT / "docs" / "proof" / "decisions.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
