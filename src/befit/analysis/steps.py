"""Conversations turn by turn and chains step by step: two curves for each candidate.

The curve over turns is the share of answers that hold at each turn. The curve over
steps is the share of chains still alive after each step (Kaplan-Meier): a chain
dies at its first step that is missing, also where the candidate failed itself (a loop
until the cap); trials lost to the infrastructure are not in it, which is counted. Samples count
by their weight and in their clusters, as everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from befit.analysis.frame import MISSING, Frame
from befit.analysis.items import estimate_over_items
from befit.analysis.results import ChainCurve, StepSurvival, TurnCurve
from befit.core.estimate import Estimate
from befit.core.landed import ScoreRow
from befit.stats.survival import Survival, survival
from befit.stats.weighted import effective_number

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
    places = {name: frame.codes_in(name) for name in {name for name, _ in (*turns, *chains)}}
    return (
        tuple(
            _turn_curve(frame, cell, turns[cell], places[cell[0]])
            for cell in cells
            if cell in turns
        ),
        tuple(
            _chain_curve(frame, cell, chains[cell], places[cell[0]])
            for cell in cells
            if cell in chains
        ),
    )


def _missing(frame: Frame, cell: tuple[str, str]) -> int:
    scenario, candidate = frame.scenarios.index(cell[0]), frame.candidates.index(cell[1])
    mask = frame.rows(candidate=candidate, scenario=scenario)
    return int((frame.status[mask] == MISSING).sum())


def _turn_curve(
    frame: Frame,
    cell: tuple[str, str],
    turns: dict[int, dict[str, list[float]]],
    places: Mapping[str, int],
) -> TurnCurve:
    def estimate(samples: dict[str, list[float]]) -> Estimate:
        codes = np.array([places[sample] for sample in samples])
        return estimate_over_items(
            np.array([sum(values) / len(values) for values in samples.values()]),
            n_trials=sum(len(values) for values in samples.values()),
            n_missing=0,
            binary=True,
            clusters=frame.clusters_of(codes),
            weights=frame.weights_of(codes),
        )

    return TurnCurve(
        candidate=cell[1],
        scenario=cell[0],
        turns=tuple((turn, estimate(samples)) for turn, samples in sorted(turns.items())),
    )


def _chain_curve(
    frame: Frame,
    cell: tuple[str, str],
    chains: dict[tuple[str, int], dict[int, float]],
    places: Mapping[str, int],
) -> ChainCurve:
    repeats = Counter(sample for sample, _ in chains)
    codes = np.array([places[sample] for sample in repeats])
    n_missing = _missing(frame, cell)
    points, method = _alive(frame, chains, dict(zip(repeats, codes, strict=True)))
    return ChainCurve(
        candidate=cell[1],
        scenario=cell[0],
        n_chains=len(chains),
        n_missing=n_missing,
        longest=max(max(steps) for steps in chains.values()),
        unbroken=estimate_over_items(
            np.ones(len(codes)),
            n_trials=len(chains),
            n_missing=n_missing,
            binary=True,
            clusters=frame.clusters_of(codes),
            weights=frame.weights_of(codes),
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
                    n_samples=len(codes),
                    n_trials=len(chains),
                    n_missing=n_missing,
                    method=method,
                ),
            )
            for point in points
        ),
    )


def _alive(
    frame: Frame, chains: dict[tuple[str, int], dict[int, float]], code_of: Mapping[str, int]
) -> tuple[tuple[Survival, ...], str]:
    """Return the curve over steps and its method, by the code of each sample."""
    ends: list[int] = []
    broke: list[bool] = []
    for steps in chains.values():
        lost = [step for step, value in steps.items() if value < 1.0]
        ends.append(min(lost) if lost else max(steps))
        broke.append(bool(lost))
    codes = np.array([code_of[sample] for sample, _ in chains])
    repeats = Counter(codes.tolist())
    mass = np.array([1 / repeats[code] for code in codes.tolist()])
    alone = np.array(list(repeats))
    clusters, weights = frame.clusters_of(alone), frame.weights_of(alone)
    if clusters is None and weights is None:
        return survival(ends, broke, weights=mass), "kaplan-meier, greenwood, log(-log)"
    method = "kaplan-meier, log(-log)"
    if weights is not None:  # they add up to the number of samples that know as much
        mass = mass * frame.weight[codes] * (weights.sum() / np.square(weights).sum())
        method = f"weighted {method}, {effective_number(weights):.1f} effective"
    if clusters is not None:
        method += f", {len(np.unique(clusters))} clusters"
    units = codes if clusters is None else frame.cluster[codes]
    return survival(ends, broke, weights=mass, units=units), method
