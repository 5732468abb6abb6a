"""Reads what other runs measured of the same candidates, for the curves over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from befit.analysis.analyse import planned_trials
from befit.analysis.over_time import adjusted, time_curve
from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.core.run import Manifest, ManifestScenario
from befit.engine.limits import calls_in_flight
from befit.storage.workspace import Workspace

MOST_TRIALS = 20_000
"""Larger runs are not read for a curve."""


@dataclass(slots=True)
class _Held:
    """What one run measured of a candidate on a scenario."""

    passes: dict[str, list[float]] = field(default_factory=dict)
    """By sample."""
    who: set[str] = field(default_factory=set)
    """Who answered."""
    traits: dict[str, tuple[str | None, float]] = field(default_factory=dict)
    """Cluster and weight by sample."""


_Measured = dict[tuple[str, str], _Held]
"""By candidate and scenario."""


def curves_over_time(workspace: Workspace, manifest: Manifest) -> tuple[TimeCurve, ...]:
    """Return a curve for each candidate and scenario that other runs measured too.

    Only answers a run measured itself count: one that was taken over is no new look.
    """
    if planned_trials(manifest) > MOST_TRIALS:
        return ()
    others = [
        other for other in workspace.times.others(manifest) if planned_trials(other) <= MOST_TRIALS
    ]
    if not others:
        return ()
    read = [(run, _measured(workspace, run.id)) for run in (*reversed(others), manifest)]
    driven = {run.id: calls_in_flight(run) for run, _ in read}
    curves: list[TimeCurve] = []
    for entry in manifest.scenarios:
        for known in manifest.candidates:
            found = [
                (run, name, held[name, entry.spec.name])
                for run, held in read
                for name in _same(run, entry, known.fingerprint)
                if (name, entry.spec.name) in held
            ]
            # The set is the same in all of them, so is what its samples say of themselves.
            traits = {one: told for _, _, held in found for one, told in held.traits.items()}
            runs = [
                (_point(run, held.who, driven[run.id][name]), held.passes)
                for run, name, held in found
            ]
            curve = time_curve(known.candidate.name, entry.spec.name, runs, traits=traits)
            if curve is not None:
                curves.append(curve)
    return adjusted(curves)


def _same(run: Manifest, entry: ManifestScenario, fingerprint: str) -> Iterator[str]:
    """Yield the candidate's name in a run that asked and judged the very same."""
    theirs = next((s for s in run.scenarios if s.spec.name == entry.spec.name), None)
    if theirs is None or theirs.set_version != entry.set_version:
        return
    if theirs.spec.scorers != entry.spec.scorers:
        return
    for known in run.candidates:
        prompt = known.candidate.prompt
        alike = theirs.spec.execution_fingerprint(prompt) == entry.spec.execution_fingerprint(
            prompt
        )
        if known.fingerprint == fingerprint and alike:
            yield known.candidate.name
            return


def _measured(workspace: Workspace, run_id: str) -> _Measured:
    found: _Measured = {}
    for fact in workspace.facts(run_id):
        if fact.reused or fact.variant or fact.passed is None or fact.status == "missing":
            continue
        held = found.setdefault((fact.candidate, fact.scenario), _Held())
        held.passes.setdefault(fact.sample_id, []).append(fact.passed)
        held.traits[fact.sample_id] = fact.cluster, fact.weight
        if fact.served_model:
            held.who.add(fact.served_model)
    return found


def _point(run: Manifest, who: set[str], concurrency: int) -> TimePoint:
    return TimePoint(
        run_id=run.id,
        created_at=run.created_at,
        label=run.label or run.settings.label,
        served=tuple(sorted(who)),
        concurrency=concurrency,
    )
