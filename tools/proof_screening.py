"""Long simulations of screening; writes `docs/proof/screening.md`.

The same functions run short in `tests/stats/test_screening_simulations.py`. A
figure that leaves its band is printed as such, and the exit code is then 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import stat_simulations_screening as sim  # noqa: E402  # found only after the path above

ROUNDS, MODELS = 2_000, 1_000
SEED = 7
BASES = (0.3, 0.45, 0.6, 0.75, 0.85)
INTRODUCTION = f"""\
# Does screening call ties ties, and find what was learnt by heart?

Simulations with known truth, seed {SEED}; written by `python tools/proof_screening.py`. Eight
models answer 200 shared items (difficulty spread 1.5 logits): five of base 75 %, then 70, 65 and
60 %. A figure is kept if it lies within three Monte Carlo errors of its promise. Rows without a
promise are shown for comparison.
"""


def _error(share: float, rounds: int) -> float:
    return float(np.sqrt(share * (1 - share) / rounds))


def _row(
    what: str, figure: float, rounds: int, *, least: float | None = None, most: float | None = None
) -> tuple[str, bool]:
    kept, promise = "", "shown"
    if least is not None:
        promise = f"at least {100 * least:.0f} %"
        kept = "yes" if figure >= least - 3 * _error(least, rounds) else "NO"
    if most is not None:
        promise = f"at most {100 * most:.0f} %"
        kept = "yes" if figure <= most + 3 * _error(most, rounds) else "NO"
    return f"| {what} | {100 * figure:.1f} % | {promise} | {rounds:,} | {kept} |", kept != "NO"


def _ranks() -> list[tuple[str, bool]]:
    paired = sim.rank_field(ROUNDS, np.random.default_rng(SEED))
    bare = sim.rank_field(ROUNDS, np.random.default_rng(SEED), by_item=False)
    rows = [
        _row("some two of the five equal models share no letter", paired["equals split"], ROUNDS,
             most=0.05),
        _row("the model 15 points worse is told from the best", paired["worst told from the best"],
             ROUNDS, least=0.90),
        _row("interval of a value holds the truth", paired["values covered"], 8 * ROUNDS,
             least=0.93),
        _row("interval of a paired gap holds the truth", paired["gaps covered"], 3 * ROUNDS,
             least=0.93),
        _row("without results per item: equals share no letter", bare["equals split"], ROUNDS,
             most=0.05),
        _row("without results per item: the worst is told from the best",
             bare["worst told from the best"], ROUNDS),
    ]  # fmt: skip
    for shift in (0.0, 0.01, 0.03):
        covered = sim.cover_runs(
            ROUNDS, np.random.default_rng(SEED), p=0.8, n=500, runs=3, shift=shift
        )
        what = f"3 runs of 500 items whose level moves by {100 * shift:.0f} points: covered"
        rows.append(_row(what, covered, ROUNDS, least=0.93))
    return rows


def _contaminated() -> list[tuple[str, bool]]:
    rows = []
    for base in BASES:
        found = sim.contaminated(MODELS, np.random.default_rng(SEED), base=base)
        promised = base == 0.45  # noqa: PLR2004 - the setting of the promise
        rows.append(
            _row(f"base {100 * base:.0f} %: the contaminated model is found", found["found"],
                 MODELS, least=0.90 if promised else None)
        )  # fmt: skip
        rows.append(_row(f"base {100 * base:.0f} %: with strong evidence", found["strong"], MODELS))
        rows.append(
            _row(f"base {100 * base:.0f} %: an honest model is flagged", found["honest flagged"],
                 MODELS, most=0.05)
        )  # fmt: skip
    return rows


def main() -> int:
    """Run everything, print and write the page; return 1 if a figure leaves its band."""
    parts, whole = [INTRODUCTION], True
    about = (
        "A model knows 30 % of 200 public items by heart; perturbed items are harder for all by"
        " half a logit; five references of a similar base (within ten points).\nThe higher the"
        " base, the fewer items are left that only memory could have answered, so the power falls."
    )
    for title, text, run in (
        ("Rank groups and intervals", "", _ranks),
        ("Contamination", about, _contaminated),
    ):
        lines = [f"## {title}", ""] + ([text, ""] if text else [])
        lines += ["| what | figure | promise | rounds | kept |", "|---|---|---|---|---|"]
        found = run()
        whole = whole and all(kept for _, kept in found)
        lines += [*(row for row, _ in found), ""]
        print("\n".join(lines), flush=True)
        parts += lines
    page = ROOT / "docs" / "proof" / "screening.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
