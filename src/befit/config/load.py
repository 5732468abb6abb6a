"""`befit.yaml` into a `Project`, or every mistake in it at once.

The order is: read and include (`source`), build candidates and scenarios, then
check what must fit together, which reads each sample file once. Nothing is
called and nothing is written. Own Python code named by `module:attr` is
imported, with the project folder on the path for as long as `importable` lasts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from befit.config.candidates import build_candidates
from befit.config.check import (
    check_samples,
    check_scenario,
    check_templates,
    without_same_wordings,
)
from befit.config.env_values import settle
from befit.config.metrics import check_accept, check_policy
from befit.config.policy_check import check_reach
from befit.config.problems import Problems
from befit.config.project import Project
from befit.config.scenarios import PlacedScenario, ScenarioBuilder
from befit.config.schema import PROJECT_HINTS, FileTier, ProjectFile
from befit.config.scorer_check import ScorerBook
from befit.config.source import Source
from befit.config.tool_check import check_candidate_tools
from befit.core.policy import Policy
from befit.core.run import RunSettings
from befit.core.screening import ScreeningSettings
from befit.core.tier import Tier
from befit.datasets.files_inspect import DatasetSummary, inspect
from befit.datasets.files_tree import Node, kind_of, plain
from befit.datasets.files_words import findings, misplaced_bools
from befit.datasets.redact_options import Redaction
from befit.datasets.repeated import Repeated, counted_once
from befit.errors import ConfigError, ProjectError
from befit.plugins import nearest

FILE_NAME = "befit.yaml"

_Model = TypeVar("_Model", bound=BaseModel)


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Put the project folder first on the import path, and take it off again.

    `load_project` does this for itself. Whoever runs a project with own Python
    code keeps it up around the whole run, because plug-ins import on use.
    """
    entry = str(folder.resolve())
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def load_project(
    path: Path | str,
    *,
    environment: Mapping[str, str] | None = None,
    keys_needed: bool = True,
    endpoints_needed: bool = True,
) -> Project:
    """Read and check a project.

    Args:
        path: the project file, or the folder that holds a `befit.yaml`.
        environment: where `${NAME}` is looked up; the process's own by default.
        keys_needed: False lets a missing variable in `api_key` pass with a
            warning, for verbs that make no call.
        endpoints_needed: False does so for one in `base_url`, for verbs that plan no call either.

    Raises:
        ProjectError: everything that is wrong, in the order of files and lines;
            its exit code is 8 if only sample files are at fault, else 2.
    """
    file = Path(path)
    if file.is_dir():
        file = file / FILE_NAME
    if not file.is_file():
        raise ProjectError(
            [ConfigError(f"there is no project file '{file}'", do="befit init, or name the file")]
        )
    problems = Problems()
    source = Source(
        file,
        environment=os.environ if environment is None else environment,
        problems=problems,
        keys_needed=keys_needed,
        endpoints_needed=endpoints_needed,
    )
    tree = source.read()
    if tree is None:
        problems.raise_if_any()
        raise AssertionError("a file that cannot be read is a problem")
    if not isinstance(tree.value, dict):
        what = f"a project is a mapping, not {kind_of(tree.value)}"
        problems.add(what, f"{tree.file}:{tree.line}", do="start with 'project: name'")
        problems.raise_if_any()
    tree = settle(tree, os.environ if environment is None else environment, problems)
    with importable(file.parent):
        return _build(tree, source, problems, file)


def load_policy(path: Path | str) -> Policy | None:
    """Return the policy of a project file as it is now, and nothing else of it read.

    None where there is no such file, or its policy cannot be read.
    """
    file = Path(path)
    file = file / FILE_NAME if file.is_dir() else file
    if not file.is_file():
        return None
    problems = Problems()
    tree = Source(file, environment=os.environ, problems=problems, keys_needed=False).read()
    if tree is None or not isinstance(tree.value, dict):
        return None
    before = len(problems)
    policy = _section(tree, "policy", Policy, problems)
    return None if len(problems) > before else policy or Policy()


def _build(tree: Node, source: Source, problems: Problems, file: Path) -> Project:
    _check_top(tree, problems)
    book = ScorerBook()
    builder = ScenarioBuilder(source=source, problems=problems, book=book, root=file.parent)
    candidates = build_candidates(tree, source, problems)
    if not candidates and not len(problems):
        problems.add("there are no candidates", tree, do="add 'candidates:' or 'matrix:'")
    check_candidate_tools(candidates, problems)
    scenarios = builder.build(tree)
    listed = tree.get("scenarios")
    if listed is not None and isinstance(listed.value, list) and not listed.value:
        problems.add("there are no scenarios", listed, do="add one with name, samples and scorers")
    settings = _section(tree, "run", RunSettings, problems)
    policy = _section(tree, "policy", Policy, problems)
    _section(tree, "redaction", Redaction, problems)  # used by `befit data import`
    screening = _screening(tree, source, problems)
    tiers = _tiers(tree, problems)
    complete = len(scenarios) == len(_entries(tree, "scenarios"))
    for placed in scenarios:
        check_scenario(placed, candidates, tiers, problems)
        check_accept(placed, problems)
    summaries = {
        placed.scenario.name: check_samples(placed, candidates, book, problems)
        for placed in scenarios
    }
    if not len(problems):
        scenarios = [
            without_same_wordings(_once(placed, summaries), candidates, problems)
            for placed in scenarios
        ]
    if complete:  # a broken scenario must not make what refers to it look wrong
        check_templates(candidates, [one.scenario.name for one in scenarios], problems)
        if policy is not None:
            check_policy(policy, tree.get("policy") or tree, scenarios, problems)
            check_reach(
                policy,
                tree.get("policy") or tree,
                {one.scenario.name: one.scenario.spec for one in scenarios},
                {name: summary.n for name, summary in summaries.items()},
                candidates=[one.candidate for one in candidates],
                problems=problems,
            )
    problems.raise_if_any()
    return Project(
        name=str(plain(tree)["project"]),
        path=file,
        candidates=tuple(one.candidate for one in candidates),
        scenarios=tuple(one.scenario for one in scenarios),
        tiers=tuple(tiers),
        settings=settings or RunSettings(),
        policy=policy or Policy(),
        summaries=summaries,
        warnings=tuple(problems.warnings),
        screening=screening,
    )


def _once(placed: PlacedScenario, summaries: dict[str, DatasetSummary]) -> PlacedScenario:
    """Return the scenario with inputs that occur twice counted once; its summary follows."""
    scenario = placed.scenario
    summary = summaries[scenario.name]
    found = Repeated(copies=summary.copies, clusters=summary.same_input)
    samples = counted_once(scenario.samples, found)
    if samples is scenario.samples:
        return placed
    again = inspect(samples)
    summaries[scenario.name] = replace(
        again,
        n_retired=summary.n_retired,
        n_unlabelled=summary.n_unlabelled,
        repeated_inputs=summary.repeated_inputs,
    )
    return replace(placed, scenario=replace(scenario, samples=samples))


def _entries(tree: Node, key: str) -> list[Node]:
    section = tree.get(key)
    return section.items() if section is not None else []


def _check_top(tree: Node, problems: Problems) -> None:
    """Check the keys of the file itself; `x-...` is free for anchors."""
    known = list(ProjectFile.model_fields)
    for key, node in tree.mapping().items():
        if key in known or key.startswith("x-"):
            continue
        hint = f"did you mean '{PROJECT_HINTS[key]}'?" if key in PROJECT_HINTS else ""
        do = hint or nearest(key, known).strip() or f"known: {', '.join(known)}"
        problems.add(f"unknown key '{key}'", node, do=do)
    name = tree.get("project")
    if name is None:
        problems.add("'project' is missing", tree, do="add 'project: name'")
    elif not isinstance(name.value, str) or not name.value:
        problems.add(f"must be text, not {kind_of(name.value)}", name)
    defaults = tree.get("defaults")
    for key, node in defaults.mapping().items() if defaults else ():
        if key not in {"candidates", "scenarios"}:
            guess = nearest(key, ["candidates", "scenarios"]).strip()
            do = guess or "known: candidates, scenarios"
            problems.add(f"unknown key '{key}'", node, do=do)
        elif not isinstance(node.value, dict):
            problems.add(f"defaults are a mapping, not {kind_of(node.value)}", node)


def _section(tree: Node, key: str, model: type[_Model], problems: Problems) -> _Model | None:
    node = tree.get(key)
    if node is None or node.value is None:
        return None
    value = plain(node)
    problems.findings(misplaced_bools(value, model=model), node)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems.findings(findings(error, value, model=model), node)
        return None


def _screening(tree: Node, source: Source, problems: Problems) -> ScreeningSettings | None:
    """Check the section and that its tables exist; what is in them is read when a run begins."""
    found = _section(tree, "screening", ScreeningSettings, problems)
    node = tree.get("screening")
    at = None if node is None else node.get("table")
    if found is None or at is None:
        return found
    for table in found.tables:
        if not source.resolve(tree, table).exists():
            problems.add(f"the table '{table}' does not exist", at, do="check the path")
    return found


def _tiers(tree: Node, problems: Problems) -> list[Tier]:
    section = tree.get("tiers")
    if section is None or section.value is None:
        return []
    if not isinstance(section.value, dict):
        what = f"tiers are a mapping of names, not {kind_of(section.value)}"
        problems.add(what, section, do="write 'high-volume: {value: 0.02, ...}'")
        return []
    tiers: list[Tier] = []
    for name, node in section.value.items():
        made = _section(section, name, FileTier, problems)
        own = Tier(name=name) if made is None else Tier(**{**made.model_dump(), "name": name})
        tiers.append(own)
        if made is not None and made.name:
            what = "the name of a tier is its key"
            problems.add(what, replace(node, path=f"{node.path}.name"), do="remove 'name'")
    return tiers
