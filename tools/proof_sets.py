"""The long form of the simulations behind test sets; writes docs/proof/sets.md."""

from __future__ import annotations

import sys
import time
from math import sqrt
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import set_simulations as sets  # noqa: E402 - the tests' own simulations

ROUNDS = 2_000
LOGS = 10
LOW, HIGH = 0.93, 0.97


def main() -> int:
    """Run everything, print and write the page; return 1 if a figure leaves its band."""
    rows: list[tuple[str, str, str, bool | None]] = []
    started = time.process_time()
    coverage, wrong = sets.sampling_rounds(ROUNDS, logs=LOGS)
    rows.append(("weighted estimate of 200 samples covers the truth of the log",
                 f"{coverage:.3f}", "0.93 to 0.97", LOW <= coverage <= HIGH))  # fmt: skip
    rows.append(("drawings with a stratum left empty, an exact or a template duplicate",
                 str(len(wrong)), "0", not wrong))  # fmt: skip
    rng = np.random.default_rng(7)
    bound = 0.05 + 3.29 * sqrt(0.05 * 0.95 / ROUNDS)
    for now in (300, 2_000, 20_000):
        share = sets.false_alarms(ROUNDS, rng, now=now)
        rows.append((f"nothing moved, {now:,} new lines: any stratum named", f"{share:.3f}",
                     f"at most {bound:.3f}", share <= bound))  # fmt: skip
    for by in (0.02, 0.05, 0.1):
        named, held = sets.shift_found(ROUNDS, rng, by=by)
        rows.append((f"French grew by {100 * by:g} points in 2,000 new lines: named",
                     f"{named:.3f}", "shown", None))  # fmt: skip
        least = 0.93 - 3 * sqrt(0.93 * 0.07 / ROUNDS)
        rows.append((f"and the interval holds {100 * by:g} points", f"{held:.3f}",
                     "at least 0.93", held >= least))  # fmt: skip
    words = {True: "yes", False: "NO", None: ""}
    page = [
        "# Do drawn sets stand for their log, and is coverage quiet when nothing moved?",
        "",
        (
            f"{ROUNDS:,} seeded repetitions each; sampling over {LOGS} planted logs of 6,000"
            " lines (one stratum is 0.5 % of them) with exact, template and "
            "paraphrased duplicates. Made by `python tools/proof_sets.py`."
        ),
        "",
        "| what | figure | promise | kept |",
        "|---|---|---|---|",
        *(f"| {what} | {figure} | {band} | {words[kept]} |" for what, figure, band, kept in rows),
        "",
    ]
    text = "\n".join(page)
    print(text, f"({time.process_time() - started:.0f} CPU seconds)")
    (ROOT / "docs" / "proof" / "sets.md").write_text(text, encoding="utf-8")
    return 1 if any(kept is False for *_, kept in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
