"""Votes that were made elsewhere find the run whose answers they are about.

Candidates and samples are told by their names in the run. Nothing is guessed: every
candidate and every sample of the table has to be in the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from befit.core.run import Manifest
from befit.errors import UsageError
from befit.review.elsewhere import DEFAULT_SCENARIO, Origin, Told
from befit.review.records import ScenarioInfo
from befit.storage.workspace import Workspace

RUNS = 20
"""Newest runs that are looked through where none is named."""


def run_of_votes(
    workspace: Workspace, told: Sequence[Told], /, *, run_id: str | None
) -> tuple[Manifest | None, list[Told]]:
    """Return the run that votes are about, and the votes with its scenarios; None: no run has them.

    Args:
        workspace: where the runs are.
        told: the votes.
        run_id: the run, its beginning or `latest`; None looks for the newest that has all of them.

    Raises:
        StoreError: there is no such run.
        UsageError: the run that was named lacks a candidate or a sample of the votes.
    """
    if run_id is not None:
        manifest = workspace.find_run(run_id)
        lacking, placed = _placed(workspace, manifest, told)
        if lacking:
            raise UsageError(
                f"{lacking} is not in run {manifest.id}",
                why="votes are about candidates and samples of a run, by their names in it",
                do="name them as the run does, or name another run",
            )
        return manifest, placed
    for manifest, _ in sorted(workspace.runs(), key=lambda one: one[0].created_at)[-RUNS:][::-1]:
        lacking, placed = _placed(workspace, manifest, told)
        if not lacking:
            return manifest, placed
    return None, list(told)


def _placed(
    workspace: Workspace, manifest: Manifest, told: Sequence[Told]
) -> tuple[str, list[Told]]:
    """Return what the run lacks ("" where nothing), and the votes with its scenarios."""
    names = {entry.candidate.name for entry in manifest.candidates}
    strange = next((n for one in told for n in (one.left, one.right) if n not in names), None)
    if strange is not None:
        return f"candidate '{strange}'", []
    wanted = {one.sample for one in told}
    homes: dict[str, list[str]] = {}
    for entry in manifest.scenarios:
        for sample in workspace.samples(manifest.id, entry.spec.name):
            if sample.id in wanted:
                homes.setdefault(sample.id, []).append(entry.spec.name)
    found = []
    for one in told:
        here = homes.get(one.sample, [])
        if one.scenario in here:
            found.append(one)
        elif one.scenario == DEFAULT_SCENARIO and len(here) == 1:
            found.append(replace(one, scenario=here[0]))
        elif one.scenario == DEFAULT_SCENARIO and here:
            return f"one scenario of sample '{one.sample}' (it is in {' and '.join(here)})", []
        else:
            return f"sample '{one.sample}' of {one.scenario}", []
    return "", found


def origin_of(workspace: Workspace, manifest: Manifest, told: Sequence[Told], /) -> Origin:
    """Return the run as a study of votes names it: each answer's trial is its first repeat."""
    wanted = {(v.scenario, v.sample, name) for v in told for name in (v.left, v.right)}
    found: dict[tuple[str, str, str], tuple[int, str]] = {}
    for fact in workspace.facts(manifest.id):
        place = (fact.scenario, fact.sample_id, fact.candidate)
        if place in wanted and not fact.variant:
            held = found.get(place)
            if held is None or fact.repeat < held[0]:
                found[place] = (fact.repeat, fact.key_id)
    seen = {one.scenario for one in told}
    return Origin(
        id=manifest.id,
        project=manifest.project,
        keys={place: key for place, (_, key) in found.items()},
        scenarios=[
            ScenarioInfo(name=s.spec.name, critical=s.spec.critical, dimension=s.spec.dimension)
            for s in manifest.scenarios
            if s.spec.name in seen
        ],
    )
