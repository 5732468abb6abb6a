"""A run that stops itself: who is out, who is proven, which scenario is settled, at every look.

All evidence is by betting, so looking often costs nothing: against floors, the
chance that a bad candidate is ever proven, or a good one ever put out, is at
most the policy's error over all pairs; in a duel without a floor a rival is put
out where another beats it with evidence of M(M - 1) / error, and a scenario
ends in futility where all that are left lie within the margin of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log
from typing import Literal

import numpy as np

from befit.analysis.columns import Floats
from befit.core.decision import Verdict
from befit.stats.betting import (
    Units,
    log_evidence_above,
    log_evidence_below,
    log_evidence_better,
)

LEAST = 20
"""Items before which costs are not put in order."""
Ending = Literal["decided", "futility"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One scenario of a race: what is asked of it."""

    scenario: str
    floor: float | None
    """Of the pass rate; None: whoever is best."""


@dataclass(slots=True, kw_only=True)
class State:
    """Where a scenario stands; lists are by candidate. Verdicts never change once given."""

    alive: list[bool]
    verdicts: list[Verdict]
    ending: Ending | None = None
    beaten_by: dict[int, int] = field(default_factory=dict)
    behind: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Who can no longer be chosen -> who is proven and comes first, and by what it does."""


@dataclass(slots=True, kw_only=True)
class Race:
    """All scenarios of a race. `look` is called with all items so far, at any time."""

    lanes: Sequence[Lane]
    candidates: int
    error: float
    margin: float
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states = [
            State(
                alive=[True] * self.candidates,
                verdicts=["insufficient_evidence"] * self.candidates,
            )
            for _ in self.lanes
        ]

    @property
    def settled(self) -> bool:
        """Whether every scenario has ended."""
        return all(state.ending is not None for state in self.states)

    def asked(self, lane: int) -> tuple[int, ...]:
        """Return the candidates that are still worth asking on a scenario."""
        state = self.states[lane]
        if state.ending is not None:
            return ()
        return tuple(m for m in range(self.candidates) if state.alive[m])

    def look(
        self,
        lane: int,
        means: Floats,
        costs: Floats | None = None,
        *,
        units: Units | None = None,
    ) -> State:
        """Judge a scenario after the items so far.

        Args:
            lane: which scenario.
            means: item means (candidates, items) in [0, 1], NaN where not asked.
            costs: USD per task by candidate, NaN where unknown; None: cost does not matter.
            units: which items come together, and what they weigh; None: each alone, and all alike.
        """
        state = self.states[lane]
        if state.ending is None:
            floor = self.lanes[lane].floor
            if floor is None:
                self._duel(state, means, units)
            else:
                self._against_floor(state, means, costs, floor=floor, units=units)
        return state

    def _against_floor(
        self,
        state: State,
        means: Floats,
        costs: Floats | None,
        *,
        floor: float,
        units: Units | None,
    ) -> None:
        needed = log(self.candidates * len(self.lanes) / self.error)
        for m in range(self.candidates):
            if not state.alive[m] or state.verdicts[m] != "insufficient_evidence":
                continue
            if log_evidence_above(means[m], mean=floor, units=units) >= needed:
                state.verdicts[m] = "pass"
            elif log_evidence_below(means[m], mean=floor, units=units) >= needed:
                state.verdicts[m] = "fail"
                state.alive[m] = False
        if not any(verdict != "fail" for verdict in state.verdicts):
            state.ending = "decided"
            return
        if int((~np.isnan(means)).sum(axis=1).max(initial=0)) < LEAST:
            return
        order = self._by_cost(means, costs)
        proven = [m for m in order if state.verdicts[m] == "pass"]
        if proven:
            # whoever is dearer than a proven one can no longer be chosen
            for m in order[order.index(proven[0]) + 1 :]:
                state.alive[m] = False
                known = costs is not None and not np.isnan(costs).all()
                state.behind.setdefault(m, (proven[0], "cost" if known else "pass rate"))
        left = [m for m in order if state.alive[m] and state.verdicts[m] != "fail"]
        if left and state.verdicts[left[0]] == "pass":
            state.ending = "decided"

    def _by_cost(self, means: Floats, costs: Floats | None) -> list[int]:
        if costs is None or np.isnan(costs).all():
            with np.errstate(invalid="ignore"):
                quality = np.array([np.nanmean(row) if (~np.isnan(row)).any() else -1.0
                                    for row in means])  # fmt: skip
            return [int(m) for m in np.argsort(-quality, kind="stable")]
        return [int(m) for m in np.argsort(np.where(np.isnan(costs), np.inf, costs), kind="stable")]

    def _duel(self, state: State, means: Floats, units: Units | None) -> None:
        pairs = max(1, self.candidates * (self.candidates - 1))
        needed = log(pairs * len(self.lanes) / self.error)
        alive = [m for m in range(self.candidates) if state.alive[m]]
        for i in alive:
            for j in alive:
                if i == j or not state.alive[j]:
                    continue
                if log_evidence_better(means[i] - means[j], units=units) >= needed:
                    state.alive[j], state.verdicts[j] = False, "fail"
                    state.beaten_by[j] = i
        left = [m for m in range(self.candidates) if state.alive[m]]
        if len(left) == 1:
            state.verdicts[left[0]], state.ending = "pass", "decided"
        elif all(self._equal(means[i] - means[j], needed, units) for i, j in combinations(left, 2)):
            for m in left:
                state.verdicts[m] = "pass"
            state.ending = "futility"

    def _equal(self, gaps: Floats, needed: float, units: Units | None) -> bool:
        """Tell whether the mean gap is shown to lie inside the margin on both sides."""
        above = log_evidence_better(-gaps, margin=-self.margin, units=units)
        below = log_evidence_better(gaps, margin=-self.margin, units=units)
        return above >= needed and below >= needed


def verdicts_of(race: Race, names: Sequence[str]) -> Mapping[tuple[str, str], Verdict]:
    """Return (scenario, candidate) -> verdict on the pass rate, as far as there is one."""
    return {
        (lane.scenario, name): state.verdicts[m]
        for lane, state in zip(race.lanes, race.states, strict=True)
        for m, name in enumerate(names)
    }
