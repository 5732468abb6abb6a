"""The stage that reads a stored run and returns its analysis."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.analyse import analyse, planned_trials
from befit.analysis.columns import Ints
from befit.analysis.extraction import NAMES as FIELD_NAMES
from befit.analysis.findings import in_order
from befit.analysis.frame import OK, Frame, build_frame_of_columns
from befit.analysis.further import MOST_TRIALS, further_scores
from befit.analysis.recall import NAME as FACT
from befit.analysis.results import Analysis, Finding
from befit.analysis.steps import NAMES as STEP_NAMES
from befit.core.policy import Policy
from befit.core.run import Manifest, ManifestScenario, scores_read
from befit.pipeline.beside import (
    earlier_measurements,
    failed_tries,
    judge_costs,
    user_costs,
    whole_costs,
)
from befit.pipeline.earlier_runs import curves_over_time
from befit.pipeline.equality import Sameness, sameness
from befit.pipeline.failing import READ_AT_ONCE, failed_trials, read_outputs
from befit.pipeline.price_changes import AT_ONE_PRICE, mixed_prices
from befit.storage.workspace import Workspace

MOST_TAGGED = 2_000
"""Samples of a scenario up to which curves over its tags are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysed:
    """A run's manifest, its columns and its analysis."""

    manifest: Manifest
    frame: Frame
    analysis: Analysis


def load_frame(
    workspace: Workspace,
    run_id: str,
    *,
    policy: Policy | None = None,
    more: Mapping[str, Sequence[str]] | None = None,
) -> Frame:
    """Return the columns of a stored run, with answers compared as each scenario says.

    Args:
        workspace: where the run is.
        run_id: its id.
        policy: the policy whose gates are to be judged by it; that of the run where None.
        more: scenario -> further scores to be read.

    Raises:
        StoreError: no such run.
    """
    manifest = workspace.manifest(run_id)
    asked = {
        spec.name: {*scores_read(spec, policy or manifest.policy), *(more or {}).get(spec.name, ())}
        for spec in (entry.spec for entry in manifest.scenarios)
    }
    scores = itertools.chain.from_iterable(
        workspace.score_columns(run_id, name, sorted(names)) for name, names in asked.items()
    )
    frame = build_frame_of_columns(
        manifest, workspace.sample_traits(run_id), workspace.pieces(run_id), scores
    )
    return _with_equality(frame, workspace)


def analyse_run(workspace: Workspace, run_id: str) -> Analysed:
    """Analyse a stored run; no model is called.

    Raises:
        StoreError: no such run.
    """
    manifest = workspace.manifest(run_id)
    names = {
        entry.spec.name: workspace.score_names(run_id, entry.spec.name)
        for entry in manifest.scenarios
    }
    few = planned_trials(manifest) <= MOST_TRIALS
    frame = load_frame(workspace, run_id, more=names if few else None)
    parts = itertools.chain.from_iterable(
        workspace.scores(run_id, scenario=entry.spec.name, names=FIELD_NAMES)
        for entry in frame.manifest.scenarios
        if entry.spec.dimension == "extraction"
        or any(scorer.name == "fields" for scorer in entry.spec.scorers)
    )
    steps = itertools.chain.from_iterable(
        workspace.scores(run_id, scenario=entry.spec.name, names=STEP_NAMES)
        for entry in frame.manifest.scenarios
        if _has_steps(entry)
    )
    facts = itertools.chain.from_iterable(
        workspace.scores(run_id, scenario=entry.spec.name, names=(FACT,))
        for entry in frame.manifest.scenarios
        if entry.spec.dimension == "long-context"
        or any(scorer.name == "recall" for scorer in entry.spec.scorers)
    )
    analysis = analyse(
        frame,
        parts=parts,
        failed=failed_trials(workspace, frame),
        steps=steps,
        earlier=earlier_measurements(workspace, frame.manifest),
        tags=_tags(workspace, frame.manifest),
        facts=facts,
    )
    analysis = replace(
        analysis,
        further=further_scores(frame, analysis.dimension_rows, names),
        engineering=whole_costs(workspace, frame.manifest, analysis.engineering),
        judge_costs=judge_costs(workspace, frame.manifest),
        failed_tries=failed_tries(workspace, frame),
        user_costs=user_costs(workspace, frame.manifest),
        over_time=curves_over_time(workspace, frame.manifest),
        findings=in_order((*analysis.findings, *_mixed(workspace, frame))),
    )
    return Analysed(manifest=frame.manifest, frame=frame, analysis=analysis)


def _mixed(workspace: Workspace, frame: Frame) -> Iterator[Finding]:
    """Yield whose costs are of several prices."""
    for one in mixed_prices(workspace, frame):
        yield Finding(severity="weak", text=f"{one.text}.", do=AT_ONE_PRICE)


def _tags(workspace: Workspace, manifest: Manifest) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the tags of samples; of large sets none are read, for they are whole texts."""
    return {
        (entry.spec.name, sample.id): sample.tags
        for entry in manifest.scenarios
        if entry.n_samples <= MOST_TAGGED
        for sample in workspace.samples(manifest.id, entry.spec.name)
        if sample.tags
    }


def _has_steps(scenario: ManifestScenario) -> bool:
    """Tell whether a scenario may have scores of single turns or steps."""
    spec = scenario.spec
    staged = spec.dimension in {"multi-turn", "task-chain", "error-recovery", "tool-calling"}
    return staged or bool(spec.every_turn) or any(s.name == "chain" for s in spec.scorers)


def _with_equality(frame: Frame, workspace: Workspace) -> Frame:
    """Replace the answer codes of scenarios that compare whole outputs."""
    answers: Ints | None = None
    for code, scenario in enumerate(frame.manifest.scenarios):
        equality = scenario.spec.equality
        if equality.method == "answer":
            continue
        same = sameness(equality)
        answers = frame.answer.copy() if answers is None else answers
        inside = np.flatnonzero((frame.scenario == code) & (frame.status == OK))
        # All repeats of a candidate and sample come together, whatever the store's order.
        order = np.lexsort((frame.repeat[inside], frame.sample[inside], frame.candidate[inside]))
        for part in _whole_groups(frame, inside[order]):
            outputs = read_outputs(workspace, frame, part)
            keys = [(int(frame.candidate[row]), int(frame.sample[row])) for row in part]
            answers[part] = answer_codes(keys, [outputs[row] for row in part], same)
    return frame if answers is None else replace(frame, answer=answers)


def _whole_groups(frame: Frame, rows: Ints) -> list[list[int]]:
    """Cut sorted rows into lists of about 500 without parting the repeats of a sample."""
    parts: list[list[int]] = []
    groups = itertools.groupby(
        rows.tolist(), key=lambda row: (frame.candidate[row], frame.sample[row])
    )
    for _, group in groups:
        if not parts or len(parts[-1]) >= READ_AT_ONCE:
            parts.append([])
        parts[-1] += group
    return parts


def answer_codes(keys: Sequence[tuple[int, int]], outputs: Sequence[str], same: Sameness) -> Ints:
    """Number the outputs of each candidate and sample so that equal ones have equal numbers.

    An output joins the first cluster whose first member it equals; an empty one
    is no answer (-1).
    """
    codes = np.full(len(keys), -1, dtype=np.int64)
    order = sorted(range(len(keys)), key=lambda i: keys[i])
    for _, group in itertools.groupby(order, key=lambda i: keys[i]):
        firsts: list[str] = []
        for i in group:
            if not outputs[i].strip():
                continue
            found = next((n for n, text in enumerate(firsts) if same(text, outputs[i])), None)
            codes[i] = len(firsts) if found is None else found
            if found is None:
                firsts.append(outputs[i])
    return codes
