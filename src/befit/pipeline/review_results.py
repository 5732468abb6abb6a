"""The stage that brings what people said together with what the run has measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from befit.analysis.results import Finding
from befit.core.decision import StudyVotes
from befit.core.estimate import Estimate, not_measured
from befit.core.run import Manifest
from befit.errors import StoreError
from befit.pipeline.review_scores import (
    JUDGED,
    answer_scores,
    both_orders,
    judged_pairs,
    judges_of_run,
    keys_of,
    rivals_of,
    vote_scores,
)
from befit.review.automatic import against_people
from befit.review.board import unblinded_result
from befit.review.concluding import named
from befit.review.desk import load_pool
from befit.review.judges import Wording, choose_wording
from befit.review.notes import notes, notes_of_study, overdue
from befit.review.pooling import RUBRIC, WIN_RATE, pooled
from befit.review.quality import excluded_by
from befit.review.records import RecordSheet, Sealed, Study
from befit.review.result import Result
from befit.review.rows import Row, read_rows, work_of
from befit.review.states import mapping_of
from befit.storage.workspace import Workspace

RESTING = (
    *("pass_rate", "pass", "ceiling", "reliable", "worst_prompt", "prompt_spread"),
    *("cost_per_success", "fallback_retention"),
)
"""Metrics that are counted from passes."""
_UNCALIBRATED = (
    "insufficient evidence, uncalibrated judge: no review by people has shown that it agrees with "
    "them; run `befit review create`, or gate on a score that no judge gives"
)
Gates = Mapping[tuple[str, str, str], Estimate]


def people_result(workspace: Workspace, study: Study, mapping: Sealed, /) -> Result:
    """Return the result of an unblinded study, beside the scores and judges of its run."""
    found = unblinded_result(workspace.reviews, study, mapping)
    pool = load_pool(workspace.reviews, study.id)
    rows = named(read_rows(workspace.reviews, study.id, pool), mapping)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    notes_of_study(workspace.reviews, study, rows, mapping, at=now)
    mine = [one for one in notes(workspace.reviews) if one.state != "withdrawn"]
    names = {entry.candidate for entry in mapping.answers.values()}
    mine = [one for one in mine if one.study == study.id or
            (not one.study and one.candidate in names)]  # fmt: skip
    found = replace(found, notes=tuple(mine), overdue=len(overdue(mine, now=now)))
    manifest = _manifest(workspace, study)
    places = keys_of(pool, mapping)
    if manifest is None or not places:
        return found
    known = answer_scores(workspace, study.run_id, [k for pair in places.values() for k in pair])
    counted = work_of(rows, without=excluded_by(found.quality))
    rivals = rivals_of(manifest)
    pairs = {
        metric: judged_pairs(pool, mapping, places, known, metric, rivals=rivals)
        for metric in JUDGED
    }
    orders = both_orders(workspace, study.run_id)
    return replace(
        found,
        automatic=against_people(counted, vote_scores(counted, places, known)),
        judges=judges_of_run(study, manifest, counted, pairs, orders=orders),
    )


def _manifest(workspace: Workspace, study: Study) -> Manifest | None:
    try:
        return workspace.manifest(study.run_id) if study.run_id else None
    except StoreError:
        return None  # the run was made in another workspace


def results_of_run(workspace: Workspace, run_id: str, /) -> tuple[Result, ...]:
    """Return the results of all unblinded studies on a run, newest first."""
    studies = [Study.model_validate(body) for body in workspace.reviews.studies(run_id=run_id)]
    return tuple(
        people_result(workspace, study, mapping_of(workspace.reviews, study))
        for study in studies
        if study.state == "unblinded"
    )


def people_gates(results: Sequence[Result], /) -> Gates:
    """Return what people's gates are held against: (metric, scenario, candidate) -> estimate.

    The votes of several studies are pooled by the rule of `review/pooling.py`.
    """
    return pooled(results)[0]


def people_votes(results: Sequence[Result], /) -> tuple[StudyVotes, ...]:
    """Return which votes of which studies are behind `people_gates`."""
    return pooled(results)[1]


def uncalibrated_judges(manifest: Manifest, results: Sequence[Result], /) -> Gates:
    """Return "not measured" for every score of a judge that may not gate a decision.

    A judge may where an unblinded study on the run has shown that its agreement
    with people reaches what the study asks; else a gate on its scores stays open, and so
    does one on what is counted from passes: an answer passes by the judge's word.
    """
    may = {judge.judge for result in results for judge in result.judges if judge.may_gate}
    resting = () if may else RESTING
    return {
        (metric, scenario, entry.candidate.name): not_measured(_UNCALIBRATED)
        for metric in (*JUDGED, *resting)
        if metric not in may
        for scenario in judged_scenarios(manifest)
        for entry in manifest.candidates
    }


def judged_scenarios(manifest: Manifest, /) -> list[str]:
    """Return the scenarios of which judges say whether an answer passes."""
    return [
        entry.spec.name
        for entry in manifest.scenarios
        if entry.spec.judges or any(scorer.name == "judge" for scorer in entry.spec.scorers)
    ]


def unheard(workspace: Workspace, manifest: Manifest, /) -> Gates:
    """Return "not measured", and why, of what a study on the run was to tell but did not.

    A study that stands is not "not reviewed": it is open still, asked for something else, or
    none of its sheets holds what counts. What it does tell goes before this (`people_gates`).
    """
    found: dict[tuple[str, str, str], Estimate] = {}
    studies = [Study.model_validate(body) for body in workspace.reviews.studies(run_id=manifest.id)]
    for study in reversed(studies):  # the newest is told last and stays
        for metric in (WIN_RATE, RUBRIC):
            why = _unheard(study, metric)
            found.update({
                (metric, scenario.name, entry.candidate.name): not_measured(why)
                for scenario in study.scenarios
                for entry in manifest.candidates
            })  # fmt: skip
    return found


def _unheard(study: Study, metric: str) -> str:
    asked = study.settings.rubric if metric == RUBRIC else study.settings.kind == "pairs"
    if not asked:
        what = "a rubric" if metric == RUBRIC else "a preference"
        return f"review study {study.id} did not ask for {what}"
    if study.state != "unblinded":
        return f"review study {study.id} is {study.state}: its votes do not count yet"
    what = "rubric" if metric == RUBRIC else "vote"
    return (f"review study {study.id} has no {what} on it that counts: "
            "its sheets were empty or left out")  # fmt: skip


def people_findings(
    workspace: Workspace, run_id: str, results: Sequence[Result], /
) -> tuple[Finding, ...]:
    """Return what people's part leaves open: it belongs under "What could change this"."""
    return tuple(_findings(workspace, run_id, results))


def _findings(workspace: Workspace, run_id: str, results: Sequence[Result]) -> Iterator[Finding]:
    for body in workspace.reviews.studies(run_id=run_id):
        study = Study.model_validate(body)
        if study.state != "unblinded":
            yield Finding(
                severity="missing",
                text=f"Review study {study.id} is {study.state}: its votes do not count yet.",
                do="befit review status",
            )
    _, late = notes_of_run(workspace, run_id)
    if late:
        yield Finding(
            severity="weak",
            text=f"{len(late)} record sheets should have been looked at again by now.",
            do="befit note --list",
        )
    if not any(result.judges for result in results):
        for name in judged_scenarios(workspace.manifest(run_id)):
            yield Finding(
                severity="weak",
                text=f"Uncalibrated judge: what passes on {name} rests on a model whose agreement "
                "with people was never measured, so it gates nothing.",
                do="befit review create",
            )
    for result in results:
        for text in result.warnings:
            yield Finding(severity="weak", text=f"Review by people: {text}")
        for judge in result.judges:
            if not judge.may_gate:
                yield Finding(
                    severity="weak",
                    text=f"Uncalibrated judge: {judge.judge} agrees with people in "
                    f"{judge.agreement}, a lower bound of {judge.needed:g} is asked.",
                    do="befit judge calibrate",
                )


def notes_of_run(
    workspace: Workspace, run_id: str, /
) -> tuple[tuple[RecordSheet, ...], frozenset[str]]:
    """Return the record sheets on a run's candidates and scenarios, and the ids of overdue ones.

    The overdue first, then the severest; withdrawn ones are left out.
    """
    manifest = workspace.manifest(run_id)
    names = {entry.candidate.name for entry in manifest.candidates}
    scenarios = {entry.spec.name for entry in manifest.scenarios}
    sheets = [
        one
        for one in notes(workspace.reviews)
        if one.state != "withdrawn" and one.candidate in names and one.scenario in scenarios
    ]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    late = frozenset(one.id for one in overdue(sheets, now=now))
    sheets.sort(key=lambda one: (one.id not in late, -one.severity, one.created_at))
    return tuple(sheets), late


def calibrate_judge(
    workspace: Workspace, study: Study, /, *, wordings: Mapping[str, tuple[str, str]]
) -> tuple[Wording, ...]:
    """Return each wording's agreement with people: chosen on one half, reported on the other.

    Args:
        workspace: where the runs are.
        study: unblinded, on the answers the wordings were tried on.
        wordings: name -> (run id, metric); the runs hold the same answers, judged otherwise.
    """
    mapping = mapping_of(workspace.reviews, study)
    pool = load_pool(workspace.reviews, study.id)
    rows: list[Row] = named(read_rows(workspace.reviews, study.id, pool), mapping)
    out = excluded_by(unblinded_result(workspace.reviews, study, mapping).quality)
    places = keys_of(pool, mapping)
    keys = [key for pair in places.values() for key in pair]
    return choose_wording(
        {
            name: judged_pairs(
                pool,
                mapping,
                places,
                answer_scores(workspace, run_id, keys, names=[metric]),
                metric,
                rivals=rivals_of(workspace.manifest(run_id)),
            )
            for name, (run_id, metric) in wordings.items()
        },
        work_of(rows, without=out),
    )
