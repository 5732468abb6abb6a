"""The state of a set: age, saturation, discrimination, leaks, coverage; and what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from befit.analysis.items import item_means
from befit.config.project import Project
from befit.config.redaction import load_redaction
from befit.core.sample import Sample
from befit.datasets import lint_answers, lint_mix
from befit.datasets.coverage import Coverage
from befit.datasets.files_inspect import inspect
from befit.datasets.freshness import Ages, Retirement, Standing, ages_of, standing_of, to_retire
from befit.datasets.labelled import is_labelled
from befit.datasets.lint import Lint, LintSet, run_rules
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.pipeline.analysing import load_frame
from befit.pipeline.data_mix import coverage_of
from befit.pipeline.data_sets import SetFile
from befit.storage.interactions import Filter
from befit.storage.sets import SetVersion
from befit.storage.workspace import Workspace

_TELLING = ("es", "fr", "gb", "it", "us", "zh")
"""Locales whose national ids have letters, gaps or 15 digits: no order number looks like them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """All that is known of a set's freshness."""

    scenario: str
    live: int
    retired: int
    unlabelled: int
    version: str
    frozen: SetVersion | None
    """The newest frozen version; its `version` differs where the set has changed since."""
    ages: Ages
    run_id: str | None
    """The newest run that has this scenario."""
    standings: tuple[Standing, ...]
    leaks: tuple[str, ...]
    coverage: Coverage | None
    """None where the set was not drawn from logs."""
    retire: tuple[Retirement, ...]
    add: tuple[tuple[str, int], ...]
    """Stratum value (`field:value`) -> samples that would restore its share."""


def status_of(
    workspace: Workspace, held: SetFile, project: Project | None, *, days: int, today: date
) -> Status:
    """Return the state of a set; runs and logs are those of the workspace.

    Args:
        workspace: with runs, logs, versions.
        held: the set.
        project: for prompts and examples that may leak; None for a file alone.
        days: how many of the newest days of the logs count as now.
        today: for ages.
    """
    samples = held.read()
    live = [one for one in samples if one.retired_on is None]
    sampling = workspace.sets.sampling(held.scenario)
    coverage = None if sampling is None else coverage_of(workspace, sampling[2], days=days)[0]
    problems = lint_rules(lint_set(workspace, held, live, project))
    leaks = _ids(problems, {"leak"})
    repeated = _ids(problems, {"duplicate", "template-duplicate"})
    run_id, standings = _standings(workspace, held.scenario)
    versions = workspace.sets.versions(held.scenario)
    by_id = {one.sample_id: one for one in standings}
    return Status(
        scenario=held.scenario,
        live=len(live),
        retired=len(samples) - len(live),
        unlabelled=sum(not is_labelled(one) for one in live),
        version=version_of(held, project),
        frozen=versions[0] if versions else None,
        ages=ages_of(live, today=today),
        run_id=run_id,
        standings=tuple(standings),
        leaks=tuple(leaks),
        coverage=coverage,
        retire=tuple(to_retire(live, by_id, leaks=leaks, duplicates=repeated, today=today)),
        add=tuple(_to_add(live, coverage)),
    )


def lint_rules(held: LintSet) -> list[Lint]:
    """Return what every rule sees in a set, errors first."""
    redactor = Redactor(held.redaction, key=b"nothing is replaced here")
    return run_rules(held, (*lint_answers.RULES, *lint_mix.RULES), redactor=redactor)


def version_of(held: SetFile, project: Project | None) -> str:
    """Return the version runs would name this set by: of the samples that enter them."""
    if project is not None and held.scenario in project.summaries:
        return project.summaries[held.scenario].set_version
    from befit.datasets.files import FileDataset  # noqa: PLC0415 - a file without its project

    return inspect(FileDataset(held.path, root=held.root)).set_version


def _ids(problems: Sequence[Lint], codes: set[str]) -> list[str]:
    """Return the samples some rules are about, each once."""
    return list(dict.fromkeys(one for p in problems if p.code in codes for one in p.samples))


def _standings(workspace: Workspace, scenario: str) -> tuple[str | None, list[Standing]]:
    for manifest, _ in workspace.runs():
        names = [entry.spec.name for entry in manifest.scenarios]
        if scenario not in names:
            continue
        frame = load_frame(workspace, manifest.id)
        items = item_means(frame, (frame.scenarios.index(scenario),), "pass")
        ids = [frame.samples[code].id for code in items.samples]
        return manifest.id, standing_of(ids, np.asarray(items.mean, dtype=np.float64))
    return None, []


def _to_add(live: Sequence[Sample], coverage: Coverage | None) -> list[tuple[str, int]]:
    if coverage is None:
        return []
    found = []
    for shift in coverage.moved:
        tag = f"{shift.field}:{shift.value}"
        have = sum(tag in one.tags for one in live)
        missing = round(shift.now * len(live)) - have
        if missing > 0 and shift.now > shift.before:
            found.append((tag, missing))
    return found


def lint_set(
    workspace: Workspace | None,
    held: SetFile,
    live: Sequence[Sample],
    project: Project | None,
    *,
    difference: float | None = None,
) -> LintSet:
    """Return a set with everything around it that the rules look at."""
    sampling = None if workspace is None else workspace.sets.sampling(held.scenario)
    margins: Mapping[str, Any] = {} if sampling is None else sampling[2]["margins"]
    others: dict[str, Sequence[Sample]] = {}
    if project is not None:
        for scenario in project.scenarios:
            if scenario.name != held.scenario:
                others[scenario.name] = list(scenario.samples.load())
    return LintSet(
        scenario=held.scenario,
        words=held.words,
        samples=live,
        spec=held.spec,
        prompts=_prompts(held, project),
        others=others,
        log_languages=_languages(workspace, margins),
        log_pictures=_pictures(workspace),
        strata=margins,
        redaction=_redaction(held),
        difference=difference,
    )


def _prompts(held: SetFile, project: Project | None) -> dict[str, str]:
    """Return everything a candidate is told beside the sample."""
    found: dict[str, str] = {}
    if project is not None:
        for candidate in project.candidates:
            if candidate.prompt.system:
                found[f"the system prompt of '{candidate.name}'"] = candidate.prompt.system
    if held.spec is not None:
        found["the template"] = held.spec.template
        for i, example in enumerate(held.spec.examples, 1):
            found[f"example {i}"] = f"{example.input}\n{example.output}"
    return found


def _redaction(held: SetFile) -> Redaction:
    """Return the project's own redaction; without locales, ids that are told by their form."""
    options = load_redaction(held.root).options
    return options if options.locales else options.model_copy(update={"locales": _TELLING})


def _pictures(workspace: Workspace | None) -> int:
    """Return how many pictures the imported logs held."""
    if workspace is None:
        return 0
    return sum(int(report.get("pictures", 0)) for _, _, report in workspace.interactions.reports())


def _languages(workspace: Workspace | None, margins: Mapping[str, Any]) -> dict[str, int]:
    languages: dict[str, int] = dict(margins.get("language", {}))
    languages.pop("-", None)
    if workspace is not None and not languages:
        for facts in workspace.interactions.facts(Filter()):
            if facts.language:
                languages[facts.language] = languages.get(facts.language, 0) + 1
    return languages
