"""Key facts found, micro beside macro: over all facts, and as the mean of samples.

Macro (the matrix's figure) weighs every sample alike, micro every fact; they part
where samples with many facts fare differently. By position in the text too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from befit.analysis.frame import Frame
from befit.analysis.recall_result import MOST_MISSED, MissedFact, RecallCell
from befit.core.estimate import Estimate
from befit.core.landed import ScoreRow
from befit.stats.means import estimate_mean
from befit.stats.ratio import estimate_ratio

NAME = "fact"
SCORER = "recall"
POSITIONS = ("start", "middle", "end")
_POSITION = re.compile(r" \((start|middle|end)\)$")


_Counts = dict[str, list[float]]
"""Sample -> one value for each fact and repeat."""


def recall_cells(frame: Frame, rows: Iterable[ScoreRow]) -> tuple[RecallCell, ...]:
    """Return a cell for each candidate and scenario with facts."""
    found: dict[tuple[str, str], dict[str, _Counts]] = {}
    facts: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    for row in rows:
        if row.scorer != SCORER or row.part is None or row.value is None or row.variant:
            continue
        cell = found.setdefault((row.scenario, row.candidate), {})
        place = _POSITION.search(row.part)
        own = facts.setdefault((row.scenario, row.candidate), {})
        own.setdefault((row.sample_id, row.part), []).append(row.value)
        for name in ("", place[1]) if place else ("",):
            cell.setdefault(name, {}).setdefault(row.sample_id, []).append(row.value)
    order = [(s, c) for s in frame.scenarios for c in frame.candidates]
    return tuple(_cell(key, found[key], facts[key]) for key in order if key in found)


def _cell(
    key: tuple[str, str], by: dict[str, _Counts], facts: dict[tuple[str, str], list[float]]
) -> RecallCell:
    whole = by[""]
    trials = sum(len(values) for values in whole.values())
    missed = _missed(facts)
    return RecallCell(
        candidate=key[1],
        scenario=key[0],
        macro=estimate_mean(
            [sum(values) / len(values) for values in whole.values()],
            n_trials=trials,
            n_missing=0,
            binary=False,
        ),
        micro=_micro(whole),
        by_position=tuple((name, _micro(by[name])) for name in POSITIONS if by.get(name)),
        missed=tuple(missed[:MOST_MISSED]),
        n_missed=len(missed),
    )


def _missed(facts: dict[tuple[str, str], list[float]]) -> list[MissedFact]:
    """Return the facts that were missed, the ones missed most first."""
    found = [
        MissedFact(
            sample_id=sample,
            fact=fact,
            missed=sum(value < 1.0 for value in values),
            asked=len(values),
        )
        for (sample, fact), values in facts.items()
    ]
    return sorted(
        (one for one in found if one.missed), key=lambda one: (-one.missed / one.asked, one.asked)
    )


def _micro(counts: _Counts) -> Estimate:
    return estimate_ratio(
        [sum(values) for values in counts.values()],
        [float(len(values)) for values in counts.values()],
        n_trials=sum(len(values) for values in counts.values()),
        n_missing=0,
        limits=(0.0, 1.0),
    )
