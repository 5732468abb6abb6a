"""Key facts found, micro beside macro: over all facts, and as the mean of samples.

Macro (the matrix's figure) counts every sample once, micro every fact; they part
where samples with many facts fare differently. By position in the text too. Both by the weight
of the sample and in its cluster, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from befit.analysis.frame import CANDIDATE_FAILURE, Frame
from befit.analysis.items import estimate_over_items
from befit.analysis.recall_result import MOST_MISSED, MissedFact, RecallCell
from befit.core.estimate import Estimate
from befit.core.landed import ScoreRow
from befit.stats.ratio import estimate_ratio

NAME = "fact"
SCORER = "recall"
POSITIONS = ("start", "middle", "end")
_POSITION = re.compile(r" \((start|middle|end)\)$")


_Key = tuple[str, str]
"""Scenario and candidate, or sample and fact."""


@dataclass(slots=True)
class _Seen:
    """One candidate on one scenario: fact by fact, one value for each answer."""

    facts: dict[_Key, list[float]] = field(default_factory=dict)

    def by_sample(self, position: str = "") -> dict[str, list[float]]:
        """Return the values by sample, of the facts that stand there ("" all)."""
        found: dict[str, list[float]] = {}
        for (sample, fact), values in self.facts.items():
            place = _POSITION.search(fact)
            if not position or (place and place[1] == position):
                found.setdefault(sample, []).extend(values)
        return found


def recall_cells(frame: Frame, rows: Iterable[ScoreRow]) -> tuple[RecallCell, ...]:
    """Return a cell for each candidate and scenario with facts.

    Answers in which the candidate itself failed hold none of the facts, as in the matrix.
    """
    found: dict[_Key, _Seen] = {}
    asked: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        if row.scorer != SCORER or row.part is None or row.value is None or row.variant:
            continue
        cell = found.setdefault((row.scenario, row.candidate), _Seen())
        cell.facts.setdefault((row.sample_id, row.part), []).append(row.value)
        asked.setdefault(row.scenario, {}).setdefault(row.sample_id, set()).add(row.part)
    if not found:
        return ()
    order = [(s, c) for s in frame.scenarios if s in asked for c in frame.candidates]
    cells = (_cell(frame, key, found.get(key, _Seen()), asked[key[0]]) for key in order)
    return tuple(cell for cell in cells if cell is not None)


def _cell(frame: Frame, key: _Key, seen: _Seen, asked: Mapping[str, set[str]]) -> RecallCell | None:
    scenario, candidate = frame.scenarios.index(key[0]), frame.candidates.index(key[1])
    rows = frame.rows(candidate=candidate, scenario=scenario) & (frame.variant == 0)
    for row in np.flatnonzero(rows & (frame.status == CANDIDATE_FAILURE)):
        sample = frame.samples[frame.sample[row]].id
        for fact in sorted(asked.get(sample, ())):
            seen.facts.setdefault((sample, fact), []).append(0.0)
    whole = seen.by_sample()
    if not whole:
        return None
    answers: dict[str, int] = {}
    for (sample, _), values in seen.facts.items():
        answers[sample] = max(answers.get(sample, 0), len(values))
    repeats = frame.manifest.scenarios[scenario].spec.repeats_of(
        frame.manifest.candidates[candidate].candidate
    )
    n_trials = sum(answers.values())
    counts = _Counts(n_trials=n_trials, n_missing=max(0, repeats * len(asked) - n_trials))
    missed = _missed(seen.facts)
    places = frame.codes_in(key[0])
    codes = np.array([places[sample] for sample in whole])
    positions = ((name, seen.by_sample(name)) for name in POSITIONS)
    return RecallCell(
        candidate=key[1],
        scenario=key[0],
        macro=estimate_over_items(
            np.array([sum(values) / len(values) for values in whole.values()]),
            n_trials=n_trials,
            n_missing=counts.n_missing,
            binary=False,
            clusters=frame.clusters_of(codes),
            weights=frame.weights_of(codes),
        ),
        micro=_micro(frame, places, whole, counts),
        by_position=tuple(
            (name, _micro(frame, places, own, counts)) for name, own in positions if own
        ),
        missed=tuple(missed[:MOST_MISSED]),
        n_missed=len(missed),
    )


class _Counts(NamedTuple):
    """Answers that were to hold facts, not the facts in them: that is what was run."""

    n_trials: int
    n_missing: int


def _missed(facts: Mapping[_Key, list[float]]) -> list[MissedFact]:
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


def _micro(
    frame: Frame, places: Mapping[str, int], by_sample: Mapping[str, list[float]], counts: _Counts
) -> Estimate:
    codes = np.array([places[sample] for sample in by_sample])
    weights = frame.weights_of(codes)
    own = np.ones(len(codes)) if weights is None else weights
    found = estimate_ratio(
        own * [sum(values) for values in by_sample.values()],
        own * [len(values) for values in by_sample.values()],
        n_trials=counts.n_trials,
        n_missing=counts.n_missing,
        clusters=frame.clusters_of(codes),
        limits=(0.0, 1.0),
    )
    return found if weights is None else replace(found, method=f"weighted, {found.method}")
