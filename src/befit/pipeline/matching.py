"""Which samples of two runs are the same measurement, and whether the same judge judged them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from befit.analysis.frame import OK, Frame
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.core.written import many
from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The ids under which both runs have the same sample, and what was left out."""

    ids: tuple[str, ...]
    notes: tuple[str, ...] = ()


def shared_samples(
    workspace: Workspace, a: Frame, b: Frame, scenario: str, *, same_targets: bool
) -> Shared:
    """Return the samples that the two runs share in a scenario, in the order of the first.

    An id stands for the same sample only where the input is the same and, with
    `same_targets`, the target and the checks too.
    """
    ids = [[i.id for i in f.samples if f.scenarios[i.scenario] == scenario] for f in (a, b)]
    there = set(ids[1])
    common = [name for name in ids[0] if name in there]
    sets = [_set_version(frame, scenario) for frame in (a, b)]
    if a.manifest.id == b.manifest.id or sets[0] == sets[1]:
        return Shared(ids=tuple(common))
    others = _fingerprints(workspace, b, scenario)
    kept: list[str] = []
    changed = {"input": 0, "target": 0}
    for sample in workspace.samples(a.manifest.id, scenario):
        other = others.get(sample.id)
        if sample.id not in there or other is None:
            continue
        if sample.input_fingerprint != other[0]:
            changed["input"] += 1
        elif same_targets and judged_by(sample) != other[1]:
            changed["target"] += 1
        else:
            kept.append(sample.id)
    told = [_named(workspace, scenario, version) for version in sets]
    what = f"{scenario}: the sample sets differ ({told[0]}, {told[1]})"
    notes = [f"{what}; compared on {many(len(kept), 'sample')} in both"]
    notes += [
        f"{scenario}: {many(count, 'sample')} left out: the same id but another {part}"
        for part, count in changed.items()
        if count
    ]
    return Shared(ids=tuple(kept), notes=tuple(notes))


def _fingerprints(workspace: Workspace, frame: Frame, scenario: str) -> dict[str, tuple[str, str]]:
    return {
        sample.id: (sample.input_fingerprint, judged_by(sample))
        for sample in workspace.samples(frame.manifest.id, scenario)
    }


def judged_by(sample: Sample) -> str:
    """Return all of a sample that a scorer may look at, as text."""
    return sample.model_dump_json(include={"target", "checks", "turns"})


def _set_version(frame: Frame, scenario: str) -> str:
    return next(s.set_version for s in frame.manifest.scenarios if s.spec.name == scenario)


def _named(workspace: Workspace, scenario: str, version: str) -> str:
    """Return the name a version was frozen under, with its hash; else the hash alone."""
    held = workspace.sets.versions(scenario)
    name = next((one.name for one in held if one.version == version), "")
    return f"'{name}' {version[:12]}" if name else version[:12]


def scorers_differ(workspace: Workspace, a: Frame, b: Frame, scenario: str) -> bool:
    """Tell whether a scenario was judged in another way: other scorers, or another version of one.

    The scorers' settings stand in the manifest, which is amended when a run is scored
    again; their versions stand in the scores themselves.
    """
    left, right = _spec(a, scenario), _spec(b, scenario)
    if left.accept.latency != right.accept.latency or left.scorers != right.scorers:
        return True
    rows = [_answered(frame, scenario) for frame in (a, b)]
    both = [name for name in rows[0] if name in rows[1]]
    if not both:
        return False
    # One sample judged in both: its own checks are among its scorers.
    made = [
        {
            (score.scorer, score.version)
            for score in workspace.score_details(frame.manifest.id, *frame.place(found[both[0]]))
        }
        for frame, found in zip((a, b), rows, strict=True)
    ]
    return made[0] != made[1]


def _spec(frame: Frame, scenario: str) -> ScenarioSpec:
    return next(s.spec for s in frame.manifest.scenarios if s.spec.name == scenario)


def _answered(frame: Frame, scenario: str) -> dict[str, int]:
    """Return a row of each sample that was answered, by sample id."""
    code = frame.scenarios.index(scenario)
    rows = np.flatnonzero((frame.scenario == code) & (frame.status == OK))
    samples, first = np.unique(frame.sample[rows], return_index=True)
    return {
        frame.samples[sample].id: int(rows[at])
        for sample, at in zip(samples.tolist(), first.tolist(), strict=True)
    }


def served_notes(a: Frame, b: Frame, first: str, second: str) -> tuple[str, ...]:
    """Say where one candidate was answered by different models in the two runs."""
    if first != second or a.manifest.id == b.manifest.id:
        return ()
    served = [_served(frame, first) for frame in (a, b)]
    if not all(served) or served[0] == served[1]:
        return ()
    one, other = (", ".join(sorted(models)) for models in served)
    return (f"{first} was answered by {one} in the one run and by {other} in the other",)


def _served(frame: Frame, candidate: str) -> set[str]:
    own = frame.served[frame.candidate == frame.candidates.index(candidate)]
    return {frame.served_models[code] for code in np.unique(own[own >= 0]).tolist()}
