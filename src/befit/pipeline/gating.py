"""The regression stage: rerun what a change touches, compare with the baseline on the same samples.

What a change does not touch is not asked again, since trials are kept by what
was asked of whom. Another sample set, scorer or judge makes two runs
incomparable; that is refused unless it is asked for by name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import numpy as np
from pydantic import TypeAdapter

from befit.analysis.confounding import Change, changes
from befit.analysis.frame import Frame
from befit.analysis.items import item_means
from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.estimate import not_measured
from befit.core.policy import Policy
from befit.core.run import Manifest, ManifestCandidate
from befit.core.written import many
from befit.decide.regression import Check, Outcome, Pairing, check_all, outcome_of, skipped
from befit.errors import UsageError
from befit.pipeline.analysing import load_frame
from befit.pipeline.comparable import mismatches_of, planned_mismatches, refuse
from befit.pipeline.readiness import standing
from befit.pipeline.running import run_project
from befit.storage.records import Written
from befit.storage.workspace import Workspace

Across = Literal["refuse", "rerun", "common"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """What differs between a candidate and its baseline, the prompt as a diff."""

    candidate: str
    baseline: str
    fingerprints: tuple[str, str]
    changes: tuple[Change, ...]
    prompt_diff: tuple[str, ...]
    served: tuple[str, ...]
    """Served models of the new run that the baseline's did not have, and the other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A run judged against its baseline."""

    run_id: str
    baseline_run: str
    baseline_name: str
    outcome: Outcome
    checks: tuple[Check, ...]
    differing: tuple[Differing, ...]
    notes: tuple[str, ...]
    made_at: str = ""


def bless(
    workspace: Workspace, run_id: str, *, name: str, by: str, note: str, now: datetime
) -> Written:
    """Name a run as a baseline; the newest of a name counts, older ones stay on record.

    Raises:
        UsageError: the run is not complete, or not one of its trials was answered.
        StoreError: there is no such run.
    """
    status = workspace.status(run_id)
    if status not in {"complete", "partial"}:
        told = standing(workspace, workspace.manifest(run_id), status)
        raise UsageError(
            f"run {run_id} is {told}, so it is no baseline", do="finish it first: befit run"
        )
    answered, missing = held(workspace, run_id)
    if not answered:
        raise UsageError(
            f"run {run_id} is no baseline: none of its {many(missing, 'trial')} was answered",
            why="a change can only be compared with answers",
            do="mend what kept them from coming (befit report names it), then: befit run",
        )
    return workspace.records.write(
        "baseline",
        {"by": by, "note": note, "status": status},
        run_id=run_id,
        created_at=now.isoformat(timespec="seconds"),
        name=name,
    )


def held(workspace: Workspace, run_id: str) -> tuple[int, int]:
    """Return how many trials of a run have an answer, and how many are missing."""
    gone = [fact.status == "missing" for fact in workspace.facts(run_id)]
    return len(gone) - sum(gone), sum(gone)


def baseline_run(workspace: Workspace, words: str) -> tuple[Manifest, str]:
    """Return the run that `words` mean: the name of a baseline, else a run id.

    Raises:
        UsageError: there is neither.
    """
    named = workspace.records.all("baseline", name=words, limit=1)
    if named:
        return workspace.manifest(named[0].run_id), words
    try:
        return workspace.find_run(words), ""
    except UsageError as error:
        names = dict.fromkeys(one.name for one in workspace.records.all("baseline"))
        raise UsageError(
            f"there is no baseline and no run '{words}'",
            where=error.where,
            do=f"baselines: {', '.join(names)}" if names else "name one: befit bless RUN",
        ) from error


def keep_regression(workspace: Workspace, found: Regression, *, now: datetime) -> Written:
    """Write a regression verdict down for good."""
    made = replace(found, made_at=now.isoformat(timespec="seconds"))
    return workspace.records.write(
        "regression",
        _FORM.dump_python(made, mode="json"),
        run_id=made.run_id,
        created_at=made.made_at,
        name=made.baseline_name or made.baseline_run,
    )


def read_regression(written: Written) -> Regression:
    """Return the verdict of a record."""
    return _FORM.validate_python(written.body)


def run_and_compare(
    project: Project,
    workspace: Workspace,
    *,
    baseline: str,
    across: Across = "refuse",
    label: str = "",
    only: str = "",
) -> Regression:
    """Rerun what the change touches and judge it against the baseline.

    Args:
        project: the project as it is now.
        workspace: where both runs are.
        baseline: the name of a blessed run, or a run.
        across: what to do where sample set or scorers differ: refuse; run the old configuration
            again on what there is now; or compare only what both have in common.
        label: measure anew under this name (a periodic check).
        only: the one candidate to look at.

    Raises:
        UsageError: not comparable, or no candidate or scenario in common.
    """
    manifest, name = baseline_run(workspace, baseline)
    if only:
        project = _only(project, only)
    if across == "refuse":
        refuse(list(planned_mismatches(manifest, project)))  # before anything is spent
    settings = project.settings.model_copy(update={"label": label} if label else {})
    ran = run_project(project, workspace, settings=settings)
    new = load_frame(workspace, ran.manifest.id)
    old = load_frame(workspace, manifest.id)
    note = ""
    if across == "rerun" and (list(mismatches_of(workspace, old, new))):
        again = replace(project, candidates=tuple(_old_candidates(project, manifest)))
        rerun = run_project(again, workspace, settings=settings)
        old = load_frame(workspace, rerun.manifest.id)
        note = f"the configuration of baseline {manifest.id} was run again as {rerun.manifest.id}"
    found = compare_frames(
        workspace, old, new, policy=project.policy, across=across, baseline_name=name
    )
    return replace(found, notes=(note, *found.notes)) if note else found


def _only(project: Project, name: str) -> Project:
    kept = tuple(c for c in project.candidates if c.name == name)
    if not kept:
        known = ", ".join(c.name for c in project.candidates)
        raise UsageError(f"there is no candidate '{name}'", do=f"known: {known}")
    return replace(project, candidates=kept)


def _old_candidates(project: Project, manifest: Manifest) -> Iterator[Candidate]:
    """Yield the baseline's candidates with the keys of their present namesakes."""
    now = {c.name: c for c in project.candidates}
    for entry in manifest.candidates:
        own = now.get(entry.candidate.name)
        if own is not None:
            yield entry.candidate.model_copy(update={"api_key": own.api_key})


def compare_frames(
    workspace: Workspace,
    old: Frame,
    new: Frame,
    *,
    policy: Policy,
    across: Across = "refuse",
    baseline_name: str = "",
) -> Regression:
    """Judge each candidate of `new` against its baseline: the one of its name, else the only one.

    Raises:
        UsageError: nothing in common, or not comparable and not told what to do.
    """
    pairs = list(_partners(old.manifest, new.manifest))
    shared = [name for name in new.scenarios if name in old.scenarios]
    if not pairs or not shared:
        raise UsageError(
            f"runs {old.manifest.id} and {new.manifest.id} have no "
            f"{'scenario' if pairs else 'candidate'} in common",
            do="compare runs of the same project, or name the candidate alike",
        )
    mismatches = list(mismatches_of(workspace, old, new))
    if across == "refuse":
        refuse(mismatches)
    out = {m.scenario for m in mismatches if m.kind == "scorer"} if across == "common" else set()
    made: list[Pairing] = []
    left: list[Check] = []
    for before, after in pairs:
        for scenario in shared:
            margin = policy.margin_of(scenario)
            names = after.candidate.name, before.candidate.name, scenario
            if scenario in out:
                left.append(
                    skipped(
                        *names, margin=margin, why="the scorers differ", nothing=not_measured("")
                    )
                )
                continue
            made.append(_pairing(old, new, before=names[1], after=names[0], scenario=scenario,
                                 margin=margin))  # fmt: skip
    checks = (*check_all(made), *left)
    missing = [name for name in old.scenarios if name not in new.scenarios]
    notes = [m.text for m in mismatches]
    if new.manifest.id == old.manifest.id or _same_answers(workspace, old, new):
        notes.append("no answer is new: nothing that the runs have in common was touched")
    notes += [f"{name} of the baseline is not in the new run" for name in missing]
    notes += [f"{one.candidate} on {one.scenario}: {one.note}" for one in checks if one.lacking]
    return Regression(
        run_id=new.manifest.id,
        baseline_run=old.manifest.id,
        baseline_name=baseline_name,
        outcome=outcome_of(checks),
        checks=checks,
        differing=tuple(_differing(old, new, before, after) for before, after in pairs),
        notes=tuple(notes),
    )


def _same_answers(workspace: Workspace, old: Frame, new: Frame) -> bool:
    """Tell whether every answer of the new run is one of the old run."""
    known = set(workspace.all_trial_ids(old.manifest.id))
    return all(key in known for key in workspace.all_trial_ids(new.manifest.id))


def _partners(
    old: Manifest, new: Manifest
) -> Iterator[tuple[ManifestCandidate, ManifestCandidate]]:
    by_name = {entry.candidate.name: entry for entry in old.candidates}
    alone = len(old.candidates) == 1 and len(new.candidates) == 1
    for entry in new.candidates:
        partner = by_name.get(entry.candidate.name) or (old.candidates[0] if alone else None)
        if partner is not None:
            yield partner, entry


_FORM: TypeAdapter[Regression] = TypeAdapter(Regression)


def _pairing(
    old: Frame, new: Frame, *, before: str, after: str, scenario: str, margin: float
) -> Pairing:
    sides = []
    for frame, name in ((old, before), (new, after)):
        items = item_means(frame, (frame.scenarios.index(scenario),), "pass")
        means = items.mean[frame.candidates.index(name)]
        ids = [frame.samples[code].id for code in items.samples]
        clusters = [frame.samples[code].cluster or f"\0{frame.samples[code].id}"
                    for code in items.samples]  # fmt: skip
        sides.append((items, dict(zip(ids, means, strict=True)), ids, clusters))
    (left, was, _, _), (right, now, ids, clusters) = sides
    plans = [
        next(one for one in frame.manifest.scenarios if one.spec.name == scenario)
        for frame in (old, new)
    ]
    kept = [i for i, one in enumerate(ids) if one in was]
    shared = tuple(ids[i] for i in kept)
    grouped = [clusters[i] for i in kept]
    same_set = plans[0].set_version == plans[1].set_version
    note = (
        "" if len(shared) == max(len(was), len(now)) else f"{many(len(shared), 'sample')} in common"
    )
    return Pairing(
        candidate=after,
        baseline=before,
        scenario=scenario,
        old=np.array([was[one] for one in shared], dtype=np.float64),
        new=np.array([now[one] for one in shared], dtype=np.float64),
        ids=shared,
        margin=margin,
        single=left.single and right.single,
        clusters=grouped if len(set(grouped)) < len(grouped) else None,
        weights=None if right.weights is None else right.weights[kept],
        planned=plans[1].n_samples if same_set else len(shared),
        note=note,
    )


def _differing(
    old: Frame, new: Frame, before: ManifestCandidate, after: ManifestCandidate
) -> Differing:
    a, b = before.candidate, after.candidate
    found = changes(a, b)
    served = [
        {
            frame.served_models[code]
            for code in np.unique(
                frame.served[
                    (frame.candidate == frame.candidates.index(name)) & (frame.served >= 0)
                ]
            )
        }
        for frame, name in ((old, a.name), (new, b.name))
    ]
    return Differing(
        candidate=b.name,
        baseline=a.name,
        fingerprints=(before.fingerprint, after.fingerprint),
        changes=found,
        prompt_diff=tuple(_prompt_diff(found)),
        served=tuple(
            [f"no longer answered by {name}" for name in sorted(served[0] - served[1])]
            + [f"now answered by {name}" for name in sorted(served[1] - served[0])]
        ),
    )


def _prompt_diff(found: Sequence[Change]) -> Iterator[str]:
    for one in found:
        if one.part in {"prompt", "template"} and one.key != "shots":
            yield from difflib.unified_diff(
                one.a.splitlines(), one.b.splitlines(), f"old {one.key}", f"new {one.key}",
                lineterm="", n=1,
            )  # fmt: skip
