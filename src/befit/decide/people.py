"""The quality of scenarios that have no automatic score: what people said of the answers.

A win rate says how often people preferred a candidate to the others; a rubric how
good they found it, on 0..1. Neither is a pass rate, so every estimate names what it
is, and the decision says which tiers rest on people alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from befit.analysis.columns import Bools
from befit.analysis.items import Items
from befit.core.decision import PREFERRED, versus
from befit.core.estimate import Estimate, not_measured
from befit.decide.gates import at_level
from befit.stats.groups import compact_letters

PEOPLE = ("human_win_rate", "human_rubric")
"""What people say of a candidate; the first that was asked is the quality."""
WORDS = {"human_win_rate": "win rate by people", "human_rubric": "lowest rubric row by people"}
ERROR = 0.05


def quality_by_people(
    items: Items,
    scenario: str,
    candidates: Sequence[str],
    outside: Mapping[tuple[str, str, str], Estimate],
) -> tuple[str, tuple[Estimate, ...]]:
    """Return the metric and what people said of each candidate.

    Nothing where an automatic score exists or nobody was asked. A candidate that people
    have not seen is not measured.
    """
    if not np.isnan(items.mean).all():
        return "", ()
    for metric in PEOPLE:
        said = [outside.get((metric, scenario, name)) for name in candidates]
        if any(one is not None and one.value is not None for one in said):
            return metric, tuple(_worded(one, metric) for one in said)
    return "", ()


def _worded(said: Estimate | None, metric: str) -> Estimate:
    if said is None or said.value is None:
        return not_measured("people have not seen its answers")
    return replace(said, method=f"{WORDS[metric]}, {said.method}")


def preferred(said: Sequence[Estimate]) -> Bools:
    """[i, j]: people are shown to prefer i to j.

    Intervals of the two that do not overlap at the level of all pairs together (Bonferroni):
    whatever the covariance of two means, the error of their difference is at most the sum of
    their errors, so this claims too little, never too much.
    """
    count = len(said)
    found = np.zeros((count, count), dtype=np.bool_)
    level = 1 - ERROR / max(1, count * (count - 1) // 2)
    bounds = [at_level(one, level) for one in said]
    for i, j in permutations(range(count), 2):
        low, high = bounds[i].low, bounds[j].high
        found[i, j] = low is not None and high is not None and low > high
    return found


def told_apart(
    metric: str,
    scenario: str,
    candidates: Sequence[str],
    outside: Mapping[tuple[str, str, str], Estimate],
) -> Bools | None:
    """[i, j]: the pooled votes tell i and j apart, i preferred; None where nobody compared.

    The test of pairs that the review's own letters come from, so that a decision and the
    review it rests on never say two things. `metric`: the quality; a rubric compares nobody.
    """
    if metric != PEOPLE[0]:
        return None
    found = np.zeros((len(candidates), len(candidates)), dtype=np.bool_)
    known = False
    for i, j in permutations(range(len(candidates)), 2):
        one = outside.get((PREFERRED, scenario, versus(candidates[i], candidates[j])))
        known = known or one is not None
        found[i, j] = one is not None and one.value == 1.0
    return found if known else None


def letters_of(said: Sequence[Estimate], better: Bools) -> tuple[str, ...]:
    """Return the rank group letters; empty for a candidate that people have not seen."""
    seen = [m for m, one in enumerate(said) if one.value is not None]
    order = sorted(range(len(seen)), key=lambda at: -(said[seen[at]].value or 0.0))
    inner = better[np.ix_(seen, seen)]
    letters = dict(zip(seen, compact_letters(inner | inner.T, order=order), strict=True))
    return tuple(letters.get(m, "") for m in range(len(said)))
