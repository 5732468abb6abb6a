"""The first stage: public results in, a frozen `Screening` out; and what a run keeps of it.

Called by the command line on any table, and once when a run begins: what is
known then becomes part of the run's manifest and never changes under a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from befit.analysis.screening import screen
from befit.analysis.screening_contamination import ItemResults, Suspicion, evidence
from befit.analysis.screening_overlap import Overlap, overlaps
from befit.config.project import Project
from befit.core.record import Record
from befit.core.sample import Sample
from befit.core.screening import Evidence, Screening, ScreeningSettings
from befit.errors import DataError, ProjectError
from befit.interop.item_versions import ItemVersions
from befit.interop.screening_files import read_tables
from befit.storage.workspace import Workspace

MOST_MODELS = 200
"""Models whose verdicts a run keeps; the rest are counted."""
MOST_NEIGHBOURS = 40
PERTURBED = "perturbed"


class Needs(Record):
    """What the scenarios of a project ask for."""

    languages: tuple[str, ...] = ()
    modalities: tuple[str, ...] = ()


def needs(project: Project) -> Needs:
    """Return the languages and modalities of a project's samples."""
    languages: dict[str, None] = {}
    modalities: dict[str, None] = {"text": None}
    for scenario in project.scenarios:
        for sample in scenario.samples.load():
            if sample.language:
                languages[sample.language] = None
            for attachment in sample.attachments:
                kind = attachment.url.removeprefix("data:").partition("/")[0]
                modalities[kind if kind in {"image", "audio", "video"} else "file"] = None
    return Needs(languages=tuple(languages), modalities=tuple(modalities))


def screen_tables(
    paths: Sequence[Path],
    settings: ScreeningSettings,
    *,
    made_on: str,
    needed: Needs | None = None,
    contamination: tuple[Evidence, ...] = (),
) -> Screening:
    """Read tables and logs and return what they say.

    Raises:
        ProjectError: everything that is wrong with tables or settings, exit code 8.
    """
    if not paths:
        raise ProjectError([
            DataError("no table to screen", where="screening.table", do="name a table")
        ])  # fmt: skip
    needed = needed or Needs()
    table = read_tables(paths, settings=settings)
    return screen(
        table,
        settings,
        made_on=made_on,
        languages=needed.languages,
        modalities=needed.modalities,
        contamination=contamination,
    )


def project_screening(project: Project, *, made_on: str) -> Screening | None:
    """Return what a run of this project is to keep; None where it names no table."""
    settings = project.screening
    if settings is None or not settings.tables:
        return None
    paths = [project.folder / table for table in settings.tables]
    found = screen_tables(paths, settings, made_on=made_on, needed=needs(project))
    return for_manifest(found, settings)


def for_manifest(found: Screening, settings: ScreeningSettings) -> Screening:
    """Return the part of a screening that is asked about, bounded in size."""
    asked = {verdict.on for verdict in found.verdicts}
    asked |= {name for one in found.composites for name in one.weights}
    order = {"cleared": 0, "cannot_tell": 1, "excluded": 2}
    ranked = sorted(found.models, key=lambda one: order[one.outcome])
    kept = {one.model for one in ranked[:MOST_MODELS]}
    notes = found.notes
    if len(found.models) > MOST_MODELS:
        notes = (*notes, f"{len(found.models) - MOST_MODELS} more models are not kept in the run")
    groups = tuple(
        group.model_copy(update={"neighbours": group.neighbours[:MOST_NEIGHBOURS]})
        for group in found.groups
        if group.benchmark in asked
    )
    tables = settings.tables or found.tables
    return found.model_copy(
        update={
            "tables": tables,
            "verdicts": tuple(v for v in found.verdicts if v.model in kept),
            "models": tuple(one for one in found.models if one.model in kept),
            "benchmarks": tuple(b for b in found.benchmarks if not asked or b.name in asked),
            "groups": groups,
            "notes": notes,
        }
    )


def run_versions(workspace: Workspace, run_id: str) -> ItemVersions:
    """Return the results of a stored run on public items and their perturbed versions.

    Versions are the samples with the tag `perturbed`; they name their original in
    `provenance.parent_id`. Items without a version are left out.
    """
    found = ItemVersions()
    manifest = workspace.manifest(run_id)
    parents: dict[tuple[str, str], str] = {}
    dates: dict[str, str] = {}
    for scenario in manifest.scenarios:
        for sample in workspace.samples(run_id, scenario.spec.name):
            if PERTURBED in sample.tags and sample.provenance and sample.provenance.parent_id:
                parents[scenario.spec.name, sample.id] = sample.provenance.parent_id
            elif sample.provenance and sample.provenance.captured_on:
                dates[sample.id] = sample.provenance.captured_on.isoformat()
    originals = set(parents.values())
    for fact in workspace.facts(run_id):
        if fact.passed is None:
            continue
        parent = parents.get((fact.scenario, fact.sample_id))
        if parent is None and fact.sample_id not in originals:
            continue
        item = parent or fact.sample_id
        found.add(
            fact.candidate,
            item,
            original=parent is None,
            score=fact.passed,
            date=dates.get(item, ""),
        )
    return found


def item_evidence(
    versions: ItemVersions,
    *,
    cut_dates: Mapping[str, date] | None = None,
    flags: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Evidence, ...]:
    """Return the level of evidence for each model, the others being its references.

    Args:
        versions: results per item.
        cut_dates: model -> day its training data ends; items dated later are new to it.
        flags: model looked at in another way -> further signs in words, none where empty.

    Raises:
        ProjectError: no item has both an original and a perturbed result, and neither
            dates nor flags say anything either.
    """
    cuts = {model: day.isoformat() for model, day in (cut_dates or {}).items()}
    models, items = tuple(dict.fromkeys((*versions.models, *(flags or ())))), versions.items
    places = ({m: i for i, m in enumerate(models)}, {name: i for i, name in enumerate(items)})
    tables = {original: np.full((len(models), len(items)), np.nan) for original in (True, False)}
    for (model, item, original), scores in versions.scores.items():
        tables[original][places[0][model], places[1][item]] = sum(scores) / len(scores)
    both = ~np.isnan(tables[True]) & ~np.isnan(tables[False])
    dated = any(versions.dates.values()) and not cuts.keys().isdisjoint(models)
    if not (both.any() or dated or flags):
        raise ProjectError([
            DataError(
                "no item has a result on its original and on a perturbed version",
                do="befit probes perturb or guided (ten items or more), run both kinds,"
                " and name the run",
            )
        ])  # fmt: skip
    results = ItemResults(
        models=models,
        original=tables[True],
        perturbed=tables[False],
        dates=tuple(versions.dates.get(item, "") for item in items),
    )
    about = Suspicion(cut_dates=cuts, flags=flags or {})
    return evidence(results, rng=np.random.default_rng(0), suspicion=about)


def own_overlaps(project: Project) -> tuple[Overlap, ...]:
    """Return the samples of a project that stand in its own prompts or examples."""
    texts = [
        (f"prompt of {candidate.name}", candidate.prompt.system)
        for candidate in project.candidates
        if candidate.prompt.system
    ]
    for scenario in project.scenarios:
        texts += [
            (f"example {i + 1} of {scenario.name}", f"{example.input} {example.output}")
            for i, example in enumerate(scenario.spec.examples)
        ]
    if not texts:
        return ()
    return tuple(overlaps(_texts(project), texts))


def _texts(project: Project) -> Iterable[tuple[str, str]]:
    for scenario in project.scenarios:
        for sample in scenario.samples.load():
            yield f"{scenario.name}/{sample.id}", _text(sample)


def _text(sample: Sample) -> str:
    if sample.turns:
        return "\n".join(turn.user for turn in sample.turns)
    if isinstance(sample.input, str):
        return sample.input
    return "\n".join(message.text for message in sample.input or ())
