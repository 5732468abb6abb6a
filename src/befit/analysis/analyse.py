"""The stage: from a run's rows to everything a report says of it."""

from __future__ import annotations

from collections.abc import Iterable

from befit.analysis.cells import cells
from befit.analysis.dose import Tags, doses
from befit.analysis.engineering import engineering_cell, usability_cells
from befit.analysis.engineering_cost import traffic
from befit.analysis.engineering_detail import Details, Earlier, EngineeringDetail
from befit.analysis.extraction import field_cells
from befit.analysis.failures import Alike, Failed, Modes, failure_counts
from befit.analysis.findings import findings
from befit.analysis.frame import Frame
from befit.analysis.instances import instance_cells
from befit.analysis.matrix import Ranked, dimension_rows, scenario_rows, slice_rows
from befit.analysis.profiles import pair_profiles, weak_spots
from befit.analysis.recall import recall_cells
from befit.analysis.results import Analysis, EngineeringCell
from befit.analysis.sampling_sweep import sweeps
from befit.analysis.stability import stability_cells
from befit.analysis.steps import step_curves
from befit.analysis.wording import wordings
from befit.core.landed import ScoreRow
from befit.core.run import Manifest


def planned_trials(manifest: Manifest) -> int:
    """Return how many slots a run's plan has, variants of prompts among them."""
    return sum(
        scenario.n_samples * scenario.spec.trials_of(entry.candidate)
        for scenario in manifest.scenarios
        for entry in manifest.candidates
    )


def analyse(
    frame: Frame,
    *,
    parts: Iterable[ScoreRow] = (),
    failed: Iterable[Failed | Alike] = (),
    steps: Iterable[ScoreRow] = (),
    earlier: Earlier | None = None,
    tags: Tags | None = None,
    facts: Iterable[ScoreRow] = (),
) -> Analysis:
    """Compute all results of a run.

    Args:
        frame: the run as columns.
        parts: part scores of the `fields` scorer, for extraction field by field.
        failed: the trials that did not pass, for the failure modes.
        steps: part scores of turns and steps, for the curves over them.
        earlier: what other runs measured of the same candidates.
        tags: of samples, for the curves over difficulty.
        facts: part scores of the `recall` scorer.
    """
    ranked: Ranked = {}
    rows = dimension_rows(frame, ranked)
    scenarios = scenario_rows(frame, ranked)
    stability = stability_cells(frame)
    engineering, details = _engineering(frame, earlier)
    modes = Modes()
    counts = failure_counts(frame, failed, modes=modes)
    turns, chains = step_curves(frame, steps)
    return Analysis(
        run_id=frame.manifest.id,
        candidates=frame.candidates,
        dimension_rows=rows,
        scenario_rows=scenarios,
        kind_rows=slice_rows(frame),
        stability=stability,
        usability=usability_cells(frame, engineering),
        engineering=engineering,
        engineering_details=details,
        fields=field_cells(frame, parts),
        failures=counts,
        profiles=pair_profiles(rows, frame.candidates),
        weak_spots=weak_spots(rows, scenarios, frame.candidates),
        findings=findings(
            frame,
            rows,
            stability,
            planned=planned_trials(frame.manifest),
            also=tuple(modes.findings()),
        ),
        turns=turns,
        chains=chains,
        doses=doses(frame, tags or {}),
        wordings=wordings(frame),
        recalls=recall_cells(frame, facts),
        instances=instance_cells(frame),
        sweeps=sweeps(frame, scenarios, stability, engineering),
    )


def _engineering(
    frame: Frame, earlier: Earlier | None
) -> tuple[tuple[EngineeringCell, ...], tuple[EngineeringDetail, ...]]:
    """Return the cells and their details, both of a cell at once: they share its answers."""
    details, tasks = Details(frame, earlier), traffic(frame.manifest)
    both = [(engineering_cell(cell, tasks=tasks), details.of(cell)) for cell in cells(frame)]
    return tuple(cell for cell, _ in both), tuple(detail for _, detail in both)
