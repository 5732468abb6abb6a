"""Whether two runs measured by the same yardstick: sample sets, scorers and their versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from befit.analysis.frame import Frame
from befit.config.project import Project
from befit.core.run import Manifest
from befit.core.scenario import ScenarioSpec
from befit.errors import UsageError
from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Something that makes two runs incomparable."""

    scenario: str
    kind: Literal["samples", "scorer"]
    text: str


def mismatches_of(workspace: Workspace, old: Frame, new: Frame) -> Iterator[Mismatch]:
    """Yield what sets two runs apart: sample sets, scorers, versions of scorers."""
    sides = [{s.spec.name: s for s in frame.manifest.scenarios} for frame in (old, new)]
    for name in new.scenarios:
        if name not in sides[0]:
            continue
        left, right = sides[0][name], sides[1][name]
        if left.set_version != right.set_version:
            yield Mismatch(
                scenario=name,
                kind="samples",
                text=f"{name}: the sample sets differ ({left.set_version[:8]}, "
                f"{right.set_version[:8]})",
            )
        versions = [versions_of(workspace, frame, name) for frame in (old, new)]
        declared = list(_yardsticks(left.spec, right.spec))
        yield from declared
        if not declared and versions[0] and versions[1] and versions[0] != versions[1]:
            told = " and ".join(
                ", ".join(f"{k} {v}" for k, v in sorted(side.items())) for side in versions
            )
            yield Mismatch(
                scenario=name, kind="scorer", text=f"{name}: the scorers' versions differ ({told})"
            )


def versions_of(workspace: Workspace, frame: Frame, scenario: str) -> dict[str, str]:
    """Return scorer -> version of one scored trial of a scenario."""
    rows = np.flatnonzero(
        (frame.scenario == frame.scenarios.index(scenario)) & ~np.isnan(frame.passed)
    )
    if not len(rows):
        return {}
    place = frame.place(int(rows[0]))
    return {s.scorer: s.version for s in workspace.score_details(frame.manifest.id, *place)}


def planned_mismatches(manifest: Manifest, project: Project) -> Iterator[Mismatch]:
    """Yield what is known before a run: sample sets and scorers as they are declared."""
    before = {s.spec.name: s for s in manifest.scenarios}
    for scenario in project.scenarios:
        old = before.get(scenario.name)
        if old is None:
            continue
        now = project.summaries[scenario.name].set_version
        if old.set_version != now:
            text = f"{scenario.name}: the sample sets differ ({old.set_version[:8]}, {now[:8]})"
            yield Mismatch(scenario=scenario.name, kind="samples", text=text)
        yield from _yardsticks(old.spec, scenario.spec)


def _yardsticks(old: ScenarioSpec, new: ScenarioSpec) -> Iterator[Mismatch]:
    if old.scorers != new.scorers:
        yield Mismatch(scenario=new.name, kind="scorer", text=f"{new.name}: the scorers differ")
    before, after = ({j.fingerprint: j.name for j in spec.judges} for spec in (old, new))
    if before.keys() != after.keys():
        gone = ", ".join(f"{name} {key[:8]}" for key, name in before.items() if key not in after)
        come = ", ".join(f"{name} {key[:8]}" for key, name in after.items() if key not in before)
        text = f"{new.name}: the judges differ ({gone or 'none'} before, {come or 'none'} now)"
        yield Mismatch(scenario=new.name, kind="scorer", text=text)


def refuse(found: Sequence[Mismatch]) -> None:
    """Raise UsageError if there is any mismatch."""
    if found:
        raise UsageError(
            f"not comparable: {'; '.join(m.text for m in found)}",
            why="a difference could come from the yardstick instead of the candidate",
            do="--across rerun (asks the old configuration again), or --across common",
        )
