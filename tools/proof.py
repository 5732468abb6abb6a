"""Long simulations of every statistical default; writes `docs/proof/statistics.md`.

The same functions run short in `tests/stats/test_coverage_*.py`. A figure that
leaves its band is printed as such, and the exit code is then 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import stat_simulations as core  # noqa: E402  # found only after the path above
import stat_simulations_later as later  # noqa: E402  # the same
from befit.stats.ecusum import alarm_threshold  # noqa: E402  # after the path above

ROUNDS = 2_000
SEED = 7
LEAST = 0.93
NOMINAL = 0.95
ALARM = 0.05
INTRODUCTION = f"""\
Simulations with known truth, seed {SEED}; written by `make proof`. Coverage is of nominal 95 %
intervals. A figure is kept if it lies within the Monte Carlo band of its promise: three errors
for coverage, 99.9 % for false alarms. Rows without a promise are shown for comparison."""


KEPT = {True: "yes", False: "NO", None: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One figure: what was simulated, what came out, and whether it lies in its band."""

    what: str
    figure: float
    band: str
    kept: bool | None
    rounds: int


def _error(share: float, rounds: int) -> float:
    return float(np.sqrt(share * (1 - share) / rounds))


def covers(what: str, figure: float, rounds: int, *, least: float = LEAST) -> Line:
    """A coverage: at least 93 % within three Monte Carlo errors, and at least the given floor."""
    bound = least - 3 * _error(least, rounds)
    return Line(
        what=what,
        figure=figure,
        band=f"at least {least:.0%}",
        kept=figure >= bound,
        rounds=rounds,
    )


def alarms(what: str, figure: float, rounds: int) -> Line:
    """A share of false alarms: at most 5 % within the 99.9 % Monte Carlo band."""
    bound = ALARM + 3.29 * _error(ALARM, rounds)
    return Line(what=what, figure=figure, band="at most 5 %", kept=figure <= bound, rounds=rounds)


def shown(what: str, figure: float, rounds: int, band: str) -> Line:
    """A figure for comparison, without a promise."""
    return Line(what=what, figure=figure, band=band, kept=None, rounds=rounds)


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


def rates() -> list[Line]:
    """Intervals of one candidate."""
    lines = [
        covers(f"Wilson, p {p}, {n} items", core.cover_wilson(20_000, _rng(), p=p, n=n), 20_000)
        for p, n in ((0.7, 50), (0.9, 100), (0.97, 200))
    ]
    for mean, icc, n in ((0.7, 0.5, 20), (0.9, 0.1, 50), (0.9, 0.5, 50), (0.97, 0.7, 50),
                         (0.97, 0.7, 200)):  # fmt: skip
        found = core.cover_repeats(ROUNDS, _rng(), mean=mean, icc=icc, n=n)
        setting = f"mean {mean}, item correlation {icc}, {n} items x 5 repeats"
        lines.append(covers(f"Wilson-flat: {setting}", found["wilson-flat"], ROUNDS))
        lines.append(
            covers(f"score interval: {setting}", found["score interval"], ROUNDS, least=0.90)
        )
        lines.append(
            shown(f"(Wilson on all calls: {setting})", found["wilson on all calls"], ROUNDS,
                  "the usual mistake")
        )  # fmt: skip
    for mean in (0.6, 0.9):
        for groups in (4, 10, 20, 50):
            figure = core.cover_clusters(ROUNDS, _rng(), mean=mean, icc=0.3, groups=groups)
            lines.append(covers(f"clustered: mean {mean}, {groups} clusters", figure, ROUNDS))
    for weights in ("lognormal 1.0", "lognormal 1.5", "lognormal 2.0", "heavy 30"):
        for p in (0.7, 0.9):
            figure = core.cover_weighted(ROUNDS, _rng(), p=p, n=60, weights=weights)
            lines.append(covers(f"weighted rate {p}: 60 items, weights {weights}", figure, ROUNDS))
    for q, n in ((0.5, 30), (0.95, 200), (0.99, 1000)):
        figure = core.cover_quantile(ROUNDS, _rng(), q=q, n=n)
        lines.append(covers(f"quantile {q} of {n} values", figure, ROUNDS))
    for p, n in ((0.8, 40), (0.3, 40), (0.1, 40)):
        figure = core.cover_cost_per_success(ROUNDS, _rng(), p=p, n=n)
        lines.append(
            covers(f"cost per success: success rate {p}, {n} items", figure, ROUNDS, least=0.90)
        )
    return lines


def comparisons() -> list[Line]:
    """Differences and ranks."""
    lines = []
    for n, k in ((30, 1), (100, 1), (50, 5), (200, 5)):
        figure = core.cover_difference(ROUNDS, _rng(), gap=0.1, n=n, k=k)
        lines.append(covers(f"paired difference of 0.1: {n} items x {k}", figure, ROUNDS))
        figure = core.false_differences(ROUNDS, _rng(), n=n, k=k)
        lines.append(alarms(f"equal pairs called different: {n} items x {k}", figure, ROUNDS))
    for weights in ("lognormal 1.0", "lognormal 1.5", "lognormal 2.0", "heavy 30"):
        for k in (1, 5):
            figure = core.cover_weighted_difference(ROUNDS, _rng(), n=60, k=k, weights=weights)
            what = f"weighted difference of 0.1: 60 items x {k}, weights {weights}"
            lines.append(covers(what, figure, ROUNDS))
    figure = core.false_amount_differences(ROUNDS, _rng(), n=40)
    lines.append(alarms("equal amounts called different: 40 items", figure, ROUNDS))
    figure = core.false_splits(ROUNDS, _rng(), candidates=5, n=60)
    lines.append(alarms("five equal candidates split into groups", figure, ROUNDS))
    figure = core.cover_rank_sets(ROUNDS, _rng(), candidates=5, n=60)
    lines.append(covers("all rank sets of five candidates hold at once", figure, ROUNDS))
    return lines


def later_stages() -> list[Line]:
    """Judged rates, sequential tests, monitoring."""
    month, rounds = 144_000, 200
    budget = alarm_threshold(observations=month, alarms=0.05)
    lines = [
        alarms("a duel of equals, looked at after every item, has a winner",
               later.false_winners(ROUNDS, _rng()), ROUNDS),
        alarms("steady traffic, looked at after every observation, called a drop",
               later.false_drops(ROUNDS, _rng()), ROUNDS),
        alarms("a month of 144,000 steady observations raises an alarm (budget 5 %)",
               later.alarms_per_month(rounds, _rng(), threshold=budget, length=month), rounds),
        shown("median observations from a drop of 95 % to 80 % until that alarm",
              later.alarm_delay(rounds, _rng(), p=0.8, threshold=budget), rounds, "shown"),
        shown("the same for a drop to 90 %",
              later.alarm_delay(rounds, _rng(), p=0.9, threshold=budget), rounds, "shown"),
        covers("confidence sequence of 0.95 holds at every look",
               later.cover_always(ROUNDS, _rng(), p=0.95), ROUNDS),
        covers("PPI++, 60 labels and 400 judged",
               later.cover_judged(ROUNDS, _rng(), labels=60, rest=400), ROUNDS),
        covers("Rogan-Gladen, 500 judged, calibrated on 80 + 80",
               later.cover_corrected(ROUNDS, _rng(), n=500, calibration=80), ROUNDS),
        covers("stratified estimate", later.cover_stratified(ROUNDS, _rng()), ROUNDS),
        covers("gap of two Bradley-Terry ratings, 200 votes",
               later.cover_rating_gap(ROUNDS, _rng(), votes=200), ROUNDS),
    ]  # fmt: skip
    won, length = later.duel_length(rounds, _rng(), share=0.8)
    lines.append(shown("duels won by the better of 80 : 20", won, rounds, "shown"))
    lines.append(shown("discordant items until then, mean", length, rounds, "shown"))
    return lines


def _table(title: str, lines: list[Line]) -> str:
    rows = [
        f"## {title}",
        "",
        "| what | figure | promise | rounds | kept |",
        "|---|---|---|---|---|",
    ]
    rows += [
        f"| {x.what} | {x.figure:.3f} | {x.band} | {x.rounds:,} | {KEPT[x.kept]} |" for x in lines
    ]
    return "\n".join(rows)


def main() -> int:
    """Run everything, print and write the page; return 1 if a figure leaves its band."""
    sections: list[tuple[str, Callable[[], list[Line]]]] = [
        ("One candidate", rates),
        ("Comparisons", comparisons),
        ("Judged, sequential, monitored", later_stages),
    ]
    broken = 0
    parts = ["# Do the intervals cover, do the tests cry wolf?", "", INTRODUCTION, ""]
    for title, run in sections:
        started = time.process_time()
        lines = run()
        broken += sum(line.kept is False for line in lines)
        table = _table(title, lines)
        print(table, f"\n({time.process_time() - started:.0f} CPU seconds)\n", flush=True)
        parts += [table, ""]
    page = ROOT / "docs" / "proof" / "statistics.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
