"""What the evidence says, in at most five sentences. No recommendation: that takes a policy."""

from __future__ import annotations

from collections.abc import Sequence

from befit.analysis.results import APART, COVERAGE, Analysis, MatrixRow
from befit.report.numbers import percent, tie_of_all
from befit.report.people import by_people
from befit.review.result import Result

LINES = 5


def conclusion(analysis: Analysis, people: Sequence[Result] = ()) -> tuple[str, ...]:
    """Return the sentences that come first in every rendering.

    `people`: the results of reviews; they speak for the rows that no score measures.
    """
    lines = [
        *_gates(analysis.scenario_rows),
        *[by_people(row, people) or _leaders(row) for row in _by_weight(analysis.dimension_rows)],
    ]
    missing = [f.text for f in analysis.findings if f.severity == "missing"]
    if not missing or not missing[0].startswith("Stability"):
        lines += _stability(analysis)
    if missing:
        more = len(missing) - 1
        rest = f" ({more} more {'gap' if more == 1 else 'gaps'} below)" if more else ""
        return (*lines[: LINES - 1], f"Missing: {missing[0]}{rest}")
    return tuple(lines[:LINES])


def _by_weight(rows: Sequence[MatrixRow]) -> list[MatrixRow]:
    """Critical rows first, else in the matrix's order; one row per dimension."""
    first: dict[str, MatrixRow] = {}
    for row in rows:
        first.setdefault(row.dimension, row)
    return sorted(first.values(), key=lambda row: not row.critical)


def _gates(rows: Sequence[MatrixRow]) -> list[str]:
    """Say who meets the acceptance thresholds of critical scenarios."""
    lines: list[str] = []
    for row in rows:
        if row.threshold is None or not row.critical:
            continue
        met = [c.candidate for c in row.cells if c.below_gate is False]
        failed = [c.candidate for c in row.cells if c.below_gate is True]
        unsure = [
            c.candidate for c in row.cells if c.below_gate is None and c.estimate.value is not None
        ]
        parts = [
            f"{', '.join(met)} {'meets' if len(met) == 1 else 'meet'} it"
            if met
            else "nobody is shown to meet it"
        ]
        parts += (
            [f"{', '.join(failed)} {'fails' if len(failed) == 1 else 'fail'} it"] if failed else []
        )
        parts += [f"the evidence does not settle {', '.join(unsure)}"] if unsure else []
        lines.append(
            f"{row.title} (critical, pass rate of at least {100 * row.threshold:g} %): "
            f"{'; '.join(parts)}."
        )
    return lines


def _leaders(row: MatrixRow) -> str:
    measured = [cell for cell in row.cells if cell.estimate.value is not None]
    name = f"{row.title} ({row.metric_title.lower()})"
    if not measured:
        return f"{name}: not measured."
    # A row that compares candidates ranks those with enough of the planned samples only:
    # nobody is called the best, or worse than another, on what happened to be scored.
    thin = [c.candidate for c in measured if row.differences and c.candidate not in row.rank_sets]
    measured = [cell for cell in measured if cell.candidate not in thin]
    gaps = f"{', '.join(thin)} not ranked (less than {100 * COVERAGE:.0f} % of the planned samples)"
    if not measured:
        return f"{name}: {gaps}."
    tie = tie_of_all([cell.estimate for cell in measured])
    if tie is not None:
        left = f"; {gaps}" if thin else ""
        return f"{name}: all have the same value, {percent(tie)}: nobody leads{left}."
    best = max(measured, key=lambda cell: cell.estimate.value or 0.0)
    worse = {
        d.b if d.verdict == "better" else d.a
        for d in row.differences
        if d.verdict in APART
        and not {d.a, d.b} & set(thin)
        and (d.a if d.verdict == "better" else d.b) == best.candidate
    }
    unlike = {
        d.b if d.a == best.candidate else d.a
        for d in row.differences
        if best.candidate in {d.a, d.b} and d.estimate.value is None and not {d.a, d.b} & set(thin)
    }
    rest = [c.candidate for c in measured if c is not best and c.candidate not in worse]
    tied = [name for name in rest if name not in unlike]
    shown = f"{name}: {best.candidate} {percent(best.estimate)}"
    if len(measured) == 1:
        return f"{shown}; {gaps}." if thin else f"{shown}."
    if not rest and not thin:
        return f"{shown} is better than every other candidate."
    parts = [f"cannot be told from {', '.join(tied)}"] if tied else []
    parts += [f"better than {', '.join(sorted(worse))}"] if worse else []
    parts += (
        [f"not compared with {', '.join(sorted(unlike))} (no sample in common)"] if unlike else []
    )
    parts += [gaps] if thin else []
    return f"{shown} {'; '.join(parts)}."


def _stability(analysis: Analysis) -> list[str]:
    measured = [cell for cell in analysis.stability if cell.agreement.value is not None]
    if not measured:
        return ["Stability over repeats is not measured."]
    worst = min(measured, key=lambda cell: cell.agreement.value or 0.0)
    if worst.agreement.value == 1.0:
        return ["Every repeated answer agrees with the others to its sample."]
    where = f"{worst.candidate} on {worst.scenario}"
    return [f"Least consistent: {where}, {percent(worst.agreement)} of repeated answers agree."]
