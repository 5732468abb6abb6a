"""The stage that puts a stored run into one document: analysis plus quoted examples."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from befit.analysis.columns import chunks
from befit.analysis.confounding import changes
from befit.analysis.engineering_cost import untold_tries
from befit.analysis.findings import in_order
from befit.analysis.frame import Frame
from befit.analysis.results import Analysis
from befit.core.decision import Decision
from befit.core.policy import Policy
from befit.core.run import Manifest, RunStatus
from befit.core.score import Score
from befit.core.trial import Trial
from befit.decide.diff import differences, policy_changes
from befit.pipeline.analysing import Analysed, analyse_run
from befit.pipeline.deciding import decide_frame, evidence_beside, read_decision
from befit.pipeline.equality import describe
from befit.pipeline.failing import READ_AT_ONCE
from befit.pipeline.measured import causes_found, checked_edges, load_results
from befit.pipeline.review_results import (
    notes_of_run,
    people_findings,
    people_votes,
    results_of_run,
)
from befit.report.conclusion import conclusion
from befit.report.document import CUT, Document, ExampleTrial, Provenance, Quote
from befit.report.people import without_score_advice
from befit.review.result import Result
from befit.storage.workspace import Workspace

AUDITED = 6
"""Passes shown for an audit, per report."""
QUOTED = 200
"""Failures quoted in a report that is cut to size."""
PROMPT_CUT = 2_000

Place = tuple[str, str, str, str, int]


def make_document(
    workspace: Workspace, run_id: str, *, full: bool = False, policy: Policy | None = None
) -> Document:
    """Return the document of a stored run.

    Args:
        workspace: where the run is.
        run_id: its id.
        full: show outputs and prompts whole instead of cut to size.
        policy: the project's policy as it is now, to tell where a decision is of another.

    Raises:
        StoreError: no such run.
    """
    analysed = analyse_run(workspace, run_id)
    manifest, people = analysed.manifest, results_of_run(workspace, run_id)
    asked = people_findings(workspace, run_id, people)
    sheets, late = notes_of_run(workspace, run_id)
    own = analysed.analysis
    kept = without_score_advice(own.findings, own.dimension_rows, people)
    analysis = replace(own, findings=in_order((*kept, *asked)))
    reader = _Examples(workspace, analysed.frame, cut=None if full else CUT)
    pairs = combinations([entry.candidate for entry in manifest.candidates], 2)
    return Document(
        title=manifest.project,
        provenance=_provenance(workspace, analysed),
        conclusion=conclusion(analysis, people),
        manifest=manifest,
        analysis=analysis,
        equality={s.spec.name: describe(s.spec.equality) for s in manifest.scenarios},
        changes={(a.name, b.name): changes(a, b) for a, b in pairs},
        failures=tuple(reader.failures(analysis)),
        passes=tuple(reader.passes()),
        loads=load_results(workspace, manifest),
        edges=checked_edges(workspace, manifest),
        causes=causes_found(workspace, manifest),
        people=people,
        notes=sheets,
        overdue=late,
        **_decided(workspace, analysed, people, policy=policy),
    )


def _decided(
    workspace: Workspace,
    analysed: Analysed,
    people: Sequence[Result],
    *,
    policy: Policy | None = None,
) -> dict[str, Any]:
    """Return the newest decision on the run; else one made by its own policy, if it has any."""
    manifest = analysed.manifest
    kept = workspace.records.all("decision", run_id=manifest.id, limit=1)
    earlier = [
        one
        for one in workspace.records.all("decision", name=manifest.project, limit=20)
        if one.run_id != manifest.id and one.created_at <= (kept[0].created_at if kept else "9")
    ][:1]
    asked = manifest.tiers or manifest.policy != Policy()
    accepts = [entry.spec.accept for entry in manifest.scenarios]
    asked = asked or any(one.pass_rate is not None or one.metrics for one in accepts)
    if not kept and not (asked and len(analysed.frame.candidate)):
        return {}
    decision = read_decision(kept[0]) if kept else _made_now(workspace, analysed.frame, people)
    since = differences(read_decision(earlier[0]), decision) if earlier else ()
    return {
        "decision": decision,
        "decision_record": kept[0].id if kept else "",
        "policy_since": () if policy is None else policy_changes(decision.policy, policy),
        "since": since,
        "since_record": earlier[0].id if earlier else "",
    }


def _made_now(workspace: Workspace, frame: Frame, people: Sequence[Result]) -> Decision:
    outside = evidence_beside(workspace, frame.manifest, people=people)
    return decide_frame(frame, outside=outside, votes=people_votes(people))


def _status(workspace: Workspace, manifest: Manifest) -> RunStatus:
    """Return a run's status; one that no process is at work on any more was interrupted."""
    status = workspace.status(manifest.id)
    left = status == "running" and workspace.holder(manifest.plan_fingerprint) is None
    return "interrupted" if left else status


def _provenance(workspace: Workspace, analysed: Analysed) -> Provenance:
    manifest, frame = analysed.manifest, analysed.frame
    overall = [cell for cell in analysed.analysis.engineering if cell.scenario is None]
    known = [cell.total_cost for cell in overall if cell.total_cost is not None]
    return Provenance(
        project=manifest.project,
        run_id=manifest.id,
        label=manifest.label,
        created_at=manifest.created_at,
        status=_status(workspace, manifest),
        befit_version=manifest.befit_version,
        n_candidates=len(manifest.candidates),
        n_scenarios=len(manifest.scenarios),
        n_samples=sum(s.n_samples for s in manifest.scenarios),
        n_trials=len(frame.candidate),
        spent=sum(known) if known else None,
        unknown_cost_calls=sum(cell.unknown_cost_calls for cell in overall)
        + untold_tries(frame, ~frame.reused),
        set_versions={s.spec.name: s.set_version for s in manifest.scenarios},
        uncertain_cost=sum(float(one.uncertain) for one in workspace.untold(manifest.id).values()),
    )


class _Examples:
    """Reads whole trials for the few places that are quoted."""

    def __init__(self, workspace: Workspace, frame: Frame, *, cut: int | None) -> None:
        self._workspace = workspace
        self._frame = frame
        self._cut = cut

    def failures(self, analysis: Analysis) -> list[ExampleTrial]:
        """Return up to five examples of each failure mode, candidate and scenario.

        Cut to size, a report quotes the first of each before the second of any,
        at most `QUOTED` in all; they come in the order of the counts.
        """
        wanted = [
            (turn, index, (count.candidate, count.scenario, *example), count.mode)
            for index, count in enumerate(analysis.failures)
            for turn, example in enumerate(count.examples)
        ]
        if self._cut is not None:
            wanted = sorted(wanted)[:QUOTED]
        wanted.sort(key=lambda one: (one[1], one[0]))
        return self._read([(place, mode) for _, _, place, mode in wanted])

    def passes(self) -> list[ExampleTrial]:
        """Return a few passes, drawn with a fixed seed so that a report can be made again."""
        frame = self._frame
        rows = np.flatnonzero(frame.passed >= 1)
        draw = random.Random(frame.manifest.id)  # noqa: S311 - an audit sample, no secret
        chosen = draw.sample(range(len(rows)), min(AUDITED, len(rows)))
        return self._read([(frame.place(int(rows[at])), "pass") for at in sorted(chosen)])

    def _read(self, wanted: Sequence[tuple[Place, str]]) -> list[ExampleTrial]:
        """Read the trials of some places, a few hundred at a time."""
        found: list[ExampleTrial] = []
        for part in chunks(wanted, READ_AT_ONCE):
            places = [place for place, _ in part]
            keys = self._workspace.trial_ids(self._frame.manifest.id, places)
            known = dict.fromkeys(key for key in keys if key is not None)
            trials = self._workspace.trials(list(known))
            made = (
                self._example(trials.get(key or ""), place, mode=mode)
                for key, (place, mode) in zip(keys, part, strict=True)
            )
            found += [example for example in made if example is not None]
        return found

    def _example(self, trial: Trial | None, place: Place, *, mode: str) -> ExampleTrial | None:
        candidate, scenario, sample_id, variant, repeat = place
        run_id = self._frame.manifest.id
        sample = self._workspace.sample(run_id, scenario, sample_id)
        if trial is None or sample is None:
            return None
        output = trial.output if trial.failure is None else f"[{trial.failure.kind}]"
        shown = output if self._cut is None else output[: self._cut]
        asked = [message.text for message in trial.transcript if message.role == "user"]
        prompt = asked[-1] if asked else ""
        return ExampleTrial(
            candidate=candidate,
            scenario=scenario,
            sample_id=sample_id,
            variant=variant,
            repeat=repeat,
            mode=mode,
            prompt=prompt if self._cut is None else prompt[:PROMPT_CUT],
            expected=sample.target,
            output=shown,
            cut=len(output) - len(shown),
            quotes=tuple(_quotes(self._workspace.score_details(run_id, *place))),
        )


def _quotes(scores: Iterable[Score]) -> Iterator[Quote]:
    for score in scores:
        if score.scorer == "befit":
            continue
        yield Quote(
            scorer=score.scorer,
            name=score.name,
            part=score.part,
            value=score.value,
            label=score.label,
            rule=score.rule,
            span=score.span,
            answer=score.answer,
            explanation=score.explanation,
        )
