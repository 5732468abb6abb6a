"""The scores of whole trials that stand in no row of the matrix, each as an estimate of its own.

A scorer gives more than its first score: whether to call at all beside whether the calls are
right, what was retained beside what was answered. They are means over samples like the
matrix's, and what a gate on one of them is judged by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from befit.analysis.frame import Frame
from befit.analysis.items import Items, item_means
from befit.analysis.matrix import specs
from befit.analysis.results import FurtherScore, MatrixRow
from befit.core.estimate import not_measured
from befit.core.policy import LESS_IS_BETTER
from befit.stats.distributions import one_sided
from befit.stats.gates import against_ceiling, against_floor

MOST_TRIALS = 50_000
"""Trials of a run up to which all its scores are read; beyond, those that are asked for."""
NO_MEASURE = frozenset({
    "pass",
    "no_fault",  # given to those only that have a fault
    # over all fields at once they have a table of their own
    *("selective_accuracy", "hallucination", "missed", "coverage"),
})  # fmt: skip
_UNREAD = (
    f"not read of a run of more than {MOST_TRIALS:,} trials; a gate on it, or `accept.metrics`, "
    "has it measured"
)


def further_scores(
    frame: Frame, rows: Iterable[MatrixRow], names: Mapping[str, Iterable[str]]
) -> tuple[FurtherScore, ...]:
    """Return the scores that no row of the matrix shows, by scenario, score and candidate.

    Args:
        frame: the run, with the columns of those that were read.
        rows: the rows of the matrix, by dimension.
        names: scenario -> all names of its whole-trial scores; not measured where not read.
    """
    shown = {(name, row.metric) for row in rows for name in row.scenarios}
    found: list[FurtherScore] = []
    for code, spec in enumerate(specs(frame)):
        for metric in sorted(set(names.get(spec.name, ())) - NO_MEASURE):
            if (spec.name, metric) in shown:
                continue
            read = (code, metric) in frame.metrics
            items = item_means(frame, (code,), metric) if read else None
            limit = spec.accept.metrics.get(metric)
            found += [
                FurtherScore(
                    scenario=spec.name,
                    metric=metric,
                    candidate=name,
                    estimate=not_measured(_UNREAD) if items is None else items.estimate(place),
                    threshold=limit,
                    below_gate=None if items is None else _below(items, place, limit),
                )
                for place, name in enumerate(frame.candidates)
            ]
    return tuple(found)


def _below(items: Items, candidate: int, limit: float | None) -> bool | None:
    bounds = items.estimate(candidate, level=one_sided(0.95))
    if limit is None or bounds.value is None:
        return None
    if items.metric.startswith(LESS_IS_BETTER):
        outcome = against_ceiling(bounds, ceiling=limit)
    else:
        outcome = against_floor(bounds, floor=limit)
    return {"pass": False, "fail": True}.get(outcome)
