"""The stage that brings what people said together with what the run has measured."""

from __future__ import annotations

from collections.abc import Mapping

from befit.core.estimate import Estimate
from befit.review.board import unblinded_result
from befit.review.records import Sealed, Study
from befit.review.result import Result
from befit.review.seal import find_key, unseal
from befit.storage.workspace import Workspace


def people_result(workspace: Workspace, study: Study, mapping: Sealed, /) -> Result:
    """Return the result of an unblinded study."""
    return unblinded_result(workspace.reviews, study, mapping)


def results_of_run(workspace: Workspace, run_id: str, /) -> tuple[Result, ...]:
    """Return the results of all unblinded studies on a run, newest first.

    Only studies that somebody has unblinded are opened, and only where their key
    is at hand.
    """
    found = []
    for body in workspace.reviews.studies(run_id=run_id):
        study = Study.model_validate(body)
        if study.state != "unblinded":
            continue
        key = find_key(workspace.folder, study.id)
        mapping, _ = unseal(workspace.reviews.sealed(study.id), key, published=study.commitment)
        found.append(people_result(workspace, study, mapping))
    return tuple(found)


def people_gates(workspace: Workspace, run_id: str, /) -> Mapping[tuple[str, str, str], Estimate]:
    """Return what people's gates are held against: (metric, scenario, candidate) -> estimate.

    Where several studies measured the same, the newest counts.
    """
    found: dict[tuple[str, str, str], Estimate] = {}
    for result in reversed(results_of_run(workspace, run_id)):
        found.update(result.gates)
    return found
