"""Candidates that differ in one setting of sampling only: quality, stability and cost along it.

A sweep is a `matrix` over `samplings`. Only one setting may differ within a line, so
that the line is of that setting; what production runs (`traits: {production: true}`)
is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from befit.analysis.frame import Frame
from befit.analysis.results import EngineeringCell, MatrixRow, StabilityCell
from befit.analysis.split_result import Sweep, SweepPoint
from befit.core.candidate import Candidate
from befit.core.fingerprint import fingerprint

SETTINGS = ("temperature", "top_p", "max_tokens", "reasoning_effort")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def sweeps(
    frame: Frame,
    rows: Sequence[MatrixRow],
    stability: Sequence[StabilityCell],
    engineering: Sequence[EngineeringCell],
) -> tuple[Sweep, ...]:
    """Return the sweeps among the candidates of a run.

    Args:
        frame: the run.
        rows: the scenario rows of the matrix.
        stability: the stability cells.
        engineering: the engineering cells.
    """
    candidates = [entry.candidate for entry in frame.manifest.candidates]
    groups = [(s, g) for s in SETTINGS for g in _groups(candidates, s)]
    steady = {(c.candidate, c.scenario): c.agreement for c in stability}
    costs = {(c.candidate, c.scenario): c.cost_per_task for c in engineering}
    found: list[Sweep] = []
    for row in rows:
        passed = {cell.candidate: cell.estimate for cell in row.cells}
        for setting, group in groups:
            points = tuple(
                SweepPoint(
                    candidate=candidate.name,
                    value=value,
                    shown=str(getattr(candidate.sampling, setting)),
                    passed=passed[candidate.name],
                    agreement=steady.get((candidate.name, row.scenarios[0])),
                    cost=costs.get((candidate.name, row.scenarios[0])),
                    in_production=candidate.traits.production,
                )
                for value, candidate in group
                if candidate.name in passed
            )
            if len(points) > 1:
                found.append(Sweep(scenario=row.scenarios[0], setting=setting, points=points))
    return tuple(found)


def _groups(
    candidates: Sequence[Candidate], setting: str
) -> Iterator[list[tuple[float, Candidate]]]:
    """Yield candidates that are the same but for `setting`, by its value."""
    alike: dict[str, dict[float, Candidate]] = {}
    for candidate in candidates:
        value = _value(setting, candidate)
        if value is None:
            continue
        bare = candidate.model_copy(
            update={"sampling": candidate.sampling.model_copy(update={setting: None})}
        )
        alike.setdefault(fingerprint([bare.fingerprint]), {})[value] = candidate
    for group in alike.values():
        if len(group) > 1:
            yield sorted(group.items(), key=lambda one: one[0])


def _value(setting: str, candidate: Candidate) -> float | None:
    given = getattr(candidate.sampling, setting)
    if setting == "reasoning_effort":
        return float(_EFFORTS.index(given)) if given in _EFFORTS else None
    return None if given is None else float(given)
