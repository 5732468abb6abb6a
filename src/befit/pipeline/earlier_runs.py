"""Reads what other runs measured of the same candidates, for the curves over time."""

from __future__ import annotations

from collections.abc import Iterator

from befit.analysis.analyse import planned_trials
from befit.analysis.over_time import adjusted, time_curve
from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.core.run import Manifest, ManifestScenario
from befit.storage.workspace import Workspace

MOST_TRIALS = 20_000
"""Larger runs are not read for a curve."""

_Measured = dict[tuple[str, str], tuple[dict[str, list[float]], set[str]]]
"""(candidate, scenario) -> passes by sample, and who answered."""


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
    curves: list[TimeCurve] = []
    for entry in manifest.scenarios:
        for known in manifest.candidates:
            runs = [
                (_point(run, who), passes)
                for run, held in read
                for name in _same(run, entry, known.fingerprint)
                if (name, entry.spec.name) in held
                for passes, who in [held[name, entry.spec.name]]
            ]
            curve = time_curve(known.candidate.name, entry.spec.name, runs)
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
        passes, who = found.setdefault((fact.candidate, fact.scenario), ({}, set()))
        passes.setdefault(fact.sample_id, []).append(fact.passed)
        if fact.served_model:
            who.add(fact.served_model)
    return found


def _point(run: Manifest, who: set[str]) -> TimePoint:
    return TimePoint(
        run_id=run.id,
        created_at=run.created_at,
        label=run.label or run.settings.label,
        served=tuple(sorted(who)),
        concurrency=run.settings.concurrency,
    )
