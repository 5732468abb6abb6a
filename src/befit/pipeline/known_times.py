"""What earlier runs of a project tell of how long a call takes, for the plan of the next one."""

from __future__ import annotations

from befit.analysis.analyse import planned_trials
from befit.core.run import Manifest
from befit.storage.workspace import Workspace

MOST_TRIALS = 20_000
"""Larger runs are not read for a plan."""


def latencies(workspace: Workspace, manifest: Manifest) -> dict[str, float]:
    """Return the mean seconds of a call by candidate, of the newest run that measured it itself.

    Only the very same candidate counts, with its prompt and settings; who was never asked
    before is left out.
    """
    wanted = {entry.fingerprint: entry.candidate.name for entry in manifest.candidates}
    found: dict[str, float] = {}
    for run in workspace.times.others(manifest):
        names = {
            entry.candidate.name: wanted[entry.fingerprint]
            for entry in run.candidates
            if entry.fingerprint in wanted and wanted[entry.fingerprint] not in found
        }
        if names and planned_trials(run) <= MOST_TRIALS:
            found |= _means(workspace, run.id, names)
    return found


def _means(workspace: Workspace, run_id: str, names: dict[str, str]) -> dict[str, float]:
    took: dict[str, list[float]] = {}
    for fact in workspace.facts(run_id):
        if fact.candidate in names and fact.latency is not None and not fact.reused:
            sums = took.setdefault(names[fact.candidate], [0.0, 0])
            sums[0] += fact.latency
            sums[1] += fact.calls or 1
    return {name: seconds / calls for name, (seconds, calls) in took.items()}
