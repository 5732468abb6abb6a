"""Conversations turn by turn and chains step by step: two curves for each candidate.

The curve over turns is the share of answers that hold at each turn. The curve over
steps is the share of chains still alive after each step (Kaplan-Meier): a chain
dies at its first step that is missing, also where the candidate failed itself (a loop
until the cap); trials lost to the infrastructure are not in it, which is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from befit.analysis.frame import MISSING, Frame
from befit.analysis.results import ChainCurve, StepSurvival, TurnCurve
from befit.core.estimate import Estimate
from befit.core.landed import ScoreRow
from befit.stats.means import estimate_mean
from befit.stats.survival import survival

TURN, STEP = "conversation", "step"
NAMES = (TURN, STEP)
"""Score names whose parts the curves are made of."""
_TURN = re.compile(r"^turn (\d+)$")
_STEP = re.compile(r"^step (\d+):")


def step_curves(
    frame: Frame, rows: Iterable[ScoreRow]
) -> tuple[tuple[TurnCurve, ...], tuple[ChainCurve, ...]]:
    """Return both kinds of curves from part scores, in the order of scenarios and candidates."""
    turns: dict[tuple[str, str], dict[int, dict[str, list[float]]]] = {}
    chains: dict[tuple[str, str], dict[tuple[str, int], dict[int, float]]] = {}
    for row in rows:
        if row.part is None or row.value is None or row.variant:
            continue
        cell = (row.scenario, row.candidate)
        if row.name == TURN and (found := _TURN.match(row.part)):
            by_turn = turns.setdefault(cell, {}).setdefault(int(found[1]), {})
            by_turn.setdefault(row.sample_id, []).append(row.value)
        elif row.name == STEP and (found := _STEP.match(row.part)):
            chain = chains.setdefault(cell, {}).setdefault((row.sample_id, row.repeat), {})
            chain[int(found[1])] = row.value
    cells = [(s, c) for s in frame.scenarios for c in frame.candidates]
    return (
        tuple(_turn_curve(cell, turns[cell]) for cell in cells if cell in turns),
        tuple(
            _chain_curve(cell, chains[cell], _missing(frame, cell))
            for cell in cells
            if cell in chains
        ),
    )


def _missing(frame: Frame, cell: tuple[str, str]) -> int:
    scenario, candidate = frame.scenarios.index(cell[0]), frame.candidates.index(cell[1])
    mask = frame.rows(candidate=candidate, scenario=scenario)
    return int((frame.status[mask] == MISSING).sum())


def _turn_curve(cell: tuple[str, str], turns: dict[int, dict[str, list[float]]]) -> TurnCurve:
    return TurnCurve(
        candidate=cell[1],
        scenario=cell[0],
        turns=tuple(
            (
                turn,
                estimate_mean(
                    [sum(values) / len(values) for values in samples.values()],
                    n_trials=sum(len(values) for values in samples.values()),
                    n_missing=0,
                    binary=True,
                ),
            )
            for turn, samples in sorted(turns.items())
        ),
    )


def _chain_curve(
    cell: tuple[str, str], chains: dict[tuple[str, int], dict[int, float]], n_missing: int
) -> ChainCurve:
    ends: list[int] = []
    broke: list[int] = []
    repeats = Counter(sample for sample, _ in chains)
    for steps in chains.values():
        lost = [step for step, value in steps.items() if value < 1.0]
        ends.append(min(lost) if lost else max(steps))
        broke.append(int(bool(lost)))
    return ChainCurve(
        candidate=cell[1],
        scenario=cell[0],
        n_chains=len(chains),
        n_missing=n_missing,
        longest=max(max(steps) for steps in chains.values()),
        unbroken=estimate_mean(
            [1.0] * len(repeats), n_trials=len(chains), n_missing=n_missing, binary=True
        ),
        points=tuple(
            StepSurvival(
                step=int(point.step),
                at_risk=point.at_risk,
                failed=point.failed,
                alive=Estimate(
                    value=point.value,
                    low=point.low,
                    high=point.high,
                    n_samples=len(repeats),
                    n_trials=len(chains),
                    n_missing=n_missing,
                    method="kaplan-meier, greenwood, log(-log)",
                ),
            )
            for point in survival(
                ends, broke, weights=[1 / repeats[sample] for sample, _ in chains]
            )
        ),
    )
