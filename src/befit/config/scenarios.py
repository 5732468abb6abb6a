"""Scenarios from their nodes: short forms, scorers that can be built, samples that are there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from befit import plugins
from befit.config.probe_dataset import ProbeDataset
from befit.config.problems import Problems
from befit.config.python_dataset import PythonDataset
from befit.config.schema import SCENARIO_HINTS, FileScenario, ProbeSamples
from befit.config.scorer_check import ScorerBook
from befit.config.source import Source
from befit.core.dimension import known_dimensions
from befit.core.protocols import Dataset, Scorer
from befit.core.record import Json
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario, ScenarioSpec
from befit.datasets.files import FileDataset, ListDataset
from befit.datasets.files_attach import Folder
from befit.datasets.files_lines import Raw
from befit.datasets.files_row import RowError, Rows, scorer_short_form
from befit.datasets.files_tree import Node, find, kind_of, merged, plain
from befit.datasets.files_words import findings, misplaced_bools
from befit.datasets.labelled import without_unlabelled
from befit.errors import BefitError
from befit.probes.faults import failure_modes, success_of
from befit.probes.packs import PACKS, pack


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedScenario:
    """A scenario, the node it was made from, and its scorers as built."""

    scenario: Scenario
    node: Node
    scorers: tuple[Scorer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioBuilder:
    """Builds the scenarios of one project; `root` is the folder samples may not leave."""

    source: Source
    problems: Problems
    book: ScorerBook
    root: Path

    def build(self, tree: Node) -> list[PlacedScenario]:
        """Return the scenarios in the order of the file, without the broken ones."""
        section = tree.get("scenarios")
        if section is None or section.value is None:
            self.problems.add("there are no scenarios", tree, do="add 'scenarios:'")
            return []
        if not isinstance(section.value, list):
            what = f"scenarios must be a list, not {kind_of(section.value)}"
            self.problems.add(what, section, do="start each scenario with '- name:'")
            return []
        defaults = find(tree, ("defaults", "scenarios"))
        if defaults.path != "defaults.scenarios":
            defaults = replace(tree, value={})
        placed: list[PlacedScenario] = []
        names: dict[str, Node] = {}
        for node in section.value:
            if not isinstance(node.value, dict):
                self.problems.add(f"a scenario is a mapping, not {kind_of(node.value)}", node)
                continue
            made = self._scenario(merged(defaults, node))
            if made is None:
                continue
            name = made.scenario.name
            first = names.setdefault(name, made.node)
            if first is not made.node:
                what = f"two scenarios are called '{name}' (the first at {first.file}:{first.line})"
                at = made.node.get("name") or made.node
                self.problems.add(what, at, do="give it a name of its own")
                continue
            placed.append(made)
        return placed

    def _scenario(self, node: Node) -> PlacedScenario | None:
        before = len(self.problems)
        specs, scorers = self._scorers(node.get("scorers"))
        value: dict[str, Json] = plain(node)
        value["scorers"] = [spec.model_dump() for spec in specs]
        if "every_turn" in value:
            always, _ = self._scorers(node.get("every_turn"))
            value["every_turn"] = [spec.model_dump() for spec in always]
        _name_faults(value)
        spec: ScenarioSpec | None = None
        self.problems.findings(misplaced_bools(value, model=ScenarioSpec), node)
        try:
            FileScenario.model_validate(value)
            inner = {key: item for key, item in value.items() if key != "samples"}
            spec = ScenarioSpec.model_validate(inner)
        except ValidationError as error:
            found = findings(error, value, model=FileScenario, hints=SCENARIO_HINTS)
            self.problems.findings(found, node)
        self._check_dimension(node.get("dimension"))
        dataset = self._dataset(node.get("samples"))
        if spec is None or dataset is None or len(self.problems) > before:
            return None
        if scorers and all(scorer.needs_target for scorer in scorers):
            dataset = without_unlabelled(dataset)
        return PlacedScenario(
            scenario=Scenario(spec=spec, samples=dataset), node=node, scorers=tuple(scorers)
        )

    def _scorers(self, section: Node | None) -> tuple[list[ScorerSpec], list[Scorer]]:
        specs: list[ScorerSpec] = []
        scorers: list[Scorer] = []
        if section is None or section.value in (None, []):
            return specs, scorers  # an empty list is said with the samples it leaves unscored
        entries = section.items() or [section]
        for entry in entries:
            try:
                spec = ScorerSpec.model_validate(scorer_short_form(plain(entry), ()))
            except RowError as error:
                self.problems.findings([error.finding], entry)
                continue
            checked = self.book.check(spec)
            at = entry.get(spec.name) or entry.get("options") or entry
            self.problems.findings(checked.found, at)
            specs.append(spec)
            if checked.scorer is not None:
                scorers.append(checked.scorer)
        return specs, scorers

    def _check_dimension(self, node: Node | None) -> None:
        if node is None or not isinstance(node.value, str):
            return
        known = list(known_dimensions())
        if node.value not in known:
            guess = _meant(node.value) if node.raw is None else ""
            do = guess.strip() or f"known: {', '.join(known)}"
            self.problems.add(f"unknown dimension {node.shown}", node, do=do)

    def _dataset(self, node: Node | None) -> Dataset | None:
        if node is None or node.value is None:
            return None
        if isinstance(node.value, str):
            path = self.source.resolve(node, node.value)
            name = node.raw or self.source.name(path)
            if path.is_dir():
                do = "name a .jsonl, .csv or .yaml file"
                self.problems.broken(f"{node.shown} is a folder, not a sample file", node, do=do)
                return None
            if not path.exists():
                do = "check the path (it is relative to the project file), or create the file"
                self.problems.broken(f"the sample file '{name}' does not exist", node, do=do)
                return None
            if not path.is_file():
                do = "name a file that can be read again"
                self.problems.broken(f"'{name}' is no regular file", node, do=do)
                return None
            return FileDataset(path, root=self.root, name=name)
        if isinstance(node.value, list):
            return self._inline(node)
        if node.get("probe") is not None:
            return self._probes(node)
        reference = node.get("python")
        if reference is None or not isinstance(reference.value, str):
            return None  # reported by the model
        try:
            made = plugins.load_object(reference.value, where=reference.where)
        except BefitError as error:
            self.problems.extend([error])
            return None
        return self._from_python(made, reference)

    def _probes(self, node: Node) -> Dataset | None:
        try:
            asked = ProbeSamples.model_validate(plain(node))
            return ProbeDataset(asked)
        except ValidationError:
            return None  # reported by the model
        except BefitError as error:
            self.problems.add(error.what, node, do=error.do)
            return None

    def _inline(self, node: Node) -> Dataset | None:
        folder = Folder(base=self.source.folders[node.file], root=self.root)
        rows = Rows(name=node.file, folder=folder, is_csv=False)
        samples: list[Sample] = []
        if not node.items():
            self.problems.broken("there are no samples", node, do="add samples, or name a file")
        for item in node.items():
            made = rows.sample(Raw(line=item.line, value=plain(item), node=item))
            if isinstance(made, Sample):
                samples.append(made)
            else:
                self.problems.extend(made)
        name = f"{node.file}:{node.line} samples"
        return ListDataset(samples, name=name) if samples else None

    def _from_python(self, made: Any, at: Node) -> Dataset | None:
        if isinstance(made, Dataset) and not isinstance(made, type):
            return made
        if not callable(made):
            what = f"{at.shown} is neither a dataset nor a function that returns samples"
            self.problems.add(what, at, do="give it a method load(), or make it a function")
            return None
        return PythonDataset(made, name=str(at.value))


def _name_faults(value: dict[str, Json]) -> None:
    """Put in what a pack of probes says of itself, where the scenario says nothing."""
    samples = value.get("samples")
    made = samples.get("probe") if isinstance(samples, dict) else None
    if not isinstance(made, str) or made not in {one.name for one in PACKS}:
        return
    if not value.get("failure_modes"):
        value["failure_modes"] = [mode.model_dump() for mode in failure_modes(made)]
    if not value.get("success"):
        value["success"] = success_of(pack(made))


def _meant(word: str) -> str:
    """Return "did you mean 'x'? " by slug or by the title that reports show, or ""."""
    known = known_dimensions()
    titles = {one.title.lower(): slug for slug, one in known.items()}
    title = titles.get(word.strip().lower().replace("_", " ").replace("-", " "))
    return f"did you mean '{title}'? " if title else plugins.nearest(word, list(known))
