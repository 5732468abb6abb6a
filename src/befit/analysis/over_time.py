"""The same candidate on the same samples in several runs: has it changed since?

Runs of other hours and labels (`befit run --label night`) measure anew. What is
compared is the same configuration, prompt, sample set and scorers, sample by sample,
so a difference is the endpoint's: another served model is shown beside it. Samples count by
their weight and in their clusters, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from befit.analysis.items import estimate_over_items
from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.analysis.traits import Traits, design_of
from befit.core.estimate import not_measured
from befit.stats.multiplicity import holm
from befit.stats.paired import paired_difference

Means = Mapping[str, Sequence[float]]
"""Sample id -> pass or not, of each repeat measured in that run."""


def time_curve(
    candidate: str, scenario: str, runs: Sequence[tuple[TimePoint, Means]], *, traits: Traits
) -> TimeCurve | None:
    """Return a candidate's curve over runs, the oldest first; None where there is one run only.

    Args:
        candidate: its name.
        scenario: the scenario's name.
        runs: each run's point (its numbers still to be filled in) and its measurements.
        traits: what the samples say of themselves.
    """
    ordered = sorted((run for run in runs if run[1]), key=lambda run: run[0].created_at)
    if len(ordered) < 2:  # noqa: PLR2004 - one run is no curve
        return None
    first = ordered[0][1]
    points: list[TimePoint] = []
    for place, (point, means) in enumerate(ordered):
        own = np.array([sum(values) / len(values) for values in means.values()])
        clusters, weights = design_of(list(means), traits)
        trials = sum(len(values) for values in means.values())
        difference = not_measured("the first run")
        p_value = None
        shared = sorted(first.keys() & means.keys())
        if place and shared:
            together, heavy = design_of(shared, traits)
            found = paired_difference(
                [sum(means[s]) / len(means[s]) for s in shared],
                [sum(first[s]) / len(first[s]) for s in shared],
                binary_single=False,
                rng=np.random.default_rng(0),
                clusters=together,
                weights=heavy,
            )
            difference, p_value = found.estimate, found.p_value
        points.append(
            replace(
                point,
                passed=estimate_over_items(
                    own,
                    n_trials=trials,
                    n_missing=0,
                    binary=True,
                    clusters=clusters,
                    weights=weights,
                ),
                since_first=difference,
                p_value=p_value,
            )
        )
    return TimeCurve(candidate=candidate, scenario=scenario, points=tuple(points))


def adjusted(curves: Sequence[TimeCurve]) -> tuple[TimeCurve, ...]:
    """Return the curves with the p-values of their last runs adjusted over all of them (Holm).

    Of twenty curves of candidates that have not changed, one would move by chance.
    """
    ends = [curve.points[-1].p_value for curve in curves]
    found = iter(holm([p for p in ends if p is not None]).tolist() if any(ends) else ())
    return tuple(
        curve
        if p is None
        else replace(
            curve,
            points=(*curve.points[:-1], replace(curve.points[-1], p_adjusted=next(found, None))),
        )
        for curve, p in zip(curves, ends, strict=True)
    )
