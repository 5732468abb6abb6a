"""What must fit together across sections and sample files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from befit import plugins
from befit.config.candidates import Placed
from befit.config.failure_labels import check_labels
from befit.config.judge_check import JudgeChecks
from befit.config.problems import Problems
from befit.config.sample_targets import TargetChecks
from befit.config.scenarios import PlacedScenario
from befit.config.scorer_check import ScorerBook
from befit.config.tool_check import ToolChecks
from befit.config.turn_check import TurnChecks
from befit.core.candidate import Prompt
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import ScenarioSpec
from befit.core.tier import Tier
from befit.datasets.files_inspect import DatasetSummary, inspect
from befit.datasets.files_tree import Node, find
from befit.engine.prompt_variants import changes_nothing
from befit.engine.render import INPUT, template_names
from befit.errors import BefitError, DataError

_TEMPLATE, _GOAL = "template", "goal of the simulated user"
MIN_REPEATS = 3
"""Below this, the stability of a critical scenario is not measured."""


class SampleChecks:
    """Looks at every live sample of one scenario: its checks, its variables."""

    def __init__(self, placed: PlacedScenario, candidates: list[Placed], book: ScorerBook) -> None:
        self._placed = placed
        self._book = book
        spec = placed.scenario.spec
        prompts = [Prompt(), *(one.candidate.prompt for one in candidates)]
        templates = {spec.resolved_template(prompt) for prompt in prompts}
        self._names = set().union(*(template_names(text) for text in templates)) - {INPUT}
        self._goal = set() if spec.user is None else template_names(spec.user.goal)
        self._missing: Counter[tuple[str, str]] = Counter()
        """(What asks for it, variable) -> samples that lack it."""
        self._first: dict[tuple[str, str], str] = {}
        self._variables: set[str] = set()
        self._loaded: set[str] = set()
        """Names of own code that were tried."""
        self.n = 0
        self.n_unchecked = 0
        self.scorers = {one.name for one in (*spec.scorers, *spec.every_turn)}
        """Names of the scorers of the scenario and of its samples' checks."""

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield what is wrong with the sample's own checks; count its variables."""
        self.n += 1
        self.n_unchecked += not sample.has_checks
        self._variables.update(sample.vars)
        for asking, names in ((_TEMPLATE, self._names), (_GOAL, self._goal)):
            for name in names - sample.vars.keys():
                self._missing[asking, name] += 1
                self._first.setdefault((asking, name), where)
        for path, spec in _checks(sample):
            self.scorers.add(spec.name)
            for finding in self._book.check(spec).found:
                keys = ".".join((spec.name, *map(str, finding.loc)))
                yield DataError(finding.what, where=f"{where} {path}.{keys}", do=finding.do)
        for path, name in _own_code(sample):
            if name in self._loaded:
                continue
            self._loaded.add(name)
            try:
                plugins.load_object(name, where=f"{where} {path}")
            except BefitError as error:
                yield error

    def report(self, problems: Problems) -> None:
        """Report variables that samples lack; warn where nothing at all can be right or wrong."""
        spec, node = self._placed.scenario.spec, self._placed.node
        if self.n_unchecked and not (spec.scorers or spec.every_turn):
            empty = " (its list of scorers is empty)" if node.get("scorers") else ""
            what = f"'{spec.name}' has no scorers{empty}"
            why = f"{self.n_unchecked} of {self.n} samples have no checks and stay unscored"
            problems.warn(f"{what}: {why}", node)
        goal = None if self._goal == set() else node.get("user")
        places = {_TEMPLATE: node.get("template"), _GOAL: goal and (goal.get("goal") or goal)}
        for (asking, name), count in sorted(self._missing.items()):
            literal = f"write {{{{{name}}}}} for literal braces"
            if count == self.n:
                known = sorted(self._variables)
                guess = plugins.nearest(name, known if asking == _GOAL else [INPUT, *known])
                what = f"the {asking} asks for {{{name}}}, which no sample has in 'vars'"
                problems.add(what, places[asking] or node, do=f"{guess}or {literal}")
                continue
            what = f"the {asking} of '{spec.name}' asks for {{{name}}}, missing from 'vars' here"
            more = f" and in {count - 1} more sample(s)" if count > 1 else ""
            problems.extend(
                [
                    DataError(
                        what + more, where=self._first[asking, name], do=f"add it, or {literal}"
                    )
                ]
            )


def _own_code(sample: Sample) -> Iterator[tuple[str, str]]:
    for i, turn in enumerate(sample.turns):
        if turn.python is not None:
            yield f"turns[{i}].python", turn.python
    if sample.world is not None and sample.world.python is not None:
        yield "world.python", sample.world.python


def _checks(sample: Sample) -> Iterator[tuple[str, ScorerSpec]]:
    for i, spec in enumerate(sample.checks):
        yield f"checks[{i}]", spec
    for i, turn in enumerate(sample.turns):
        for k, spec in enumerate(turn.checks):
            yield f"turns[{i}].checks[{k}]", spec
        for name, spec in turn.constraints.items():
            yield f"turns[{i}].constraints.{name}", spec


def check_samples(
    placed: PlacedScenario, candidates: list[Placed], book: ScorerBook, problems: Problems
) -> DatasetSummary:
    """Read the samples of a scenario once; report what is wrong with and around them."""
    checks = SampleChecks(placed, candidates, book)
    tools, turns = ToolChecks(placed, candidates), TurnChecks(placed.scenario.spec)
    judges = JudgeChecks(placed, candidates, book)
    targets = TargetChecks(placed, candidates, book)
    visit = [checks.visit, tools.visit, turns.visit, judges.visit, targets.visit]
    summary = inspect(placed.scenario.samples, visit=visit)
    problems.extend(summary.problems)
    for one in (checks, tools, turns, judges, targets):
        one.report(problems)
    check_labels(placed.scenario.spec, checks.scorers, placed.node, problems)
    at = placed.node.get("samples") or placed.node
    for first, second in summary.repeated_inputs:
        what = f"samples '{first}' and '{second}' show a candidate the same input"
        copy = second in summary.copies
        then = f"'{second}' is left out" if copy else "they count as one for intervals"
        problems.warn(f"{what}: {then}", at)
    if summary.n_unlabelled:
        total = summary.n + summary.n_unlabelled
        what = f"{summary.n_unlabelled} of {total} samples are unlabelled and left out"
        name = placed.scenario.name
        problems.warn(f"{what} (no target, no check): befit data label {name}", at)
    without = summary.n - summary.n_with_target
    for scorer in placed.scorers:
        if scorer.needs_target and without:
            what = f"{without} of {summary.n} samples have no target, which '{scorer.name}' needs"
            problems.warn(f"{what}: they stay unscored", at)
    return summary


def check_scenario(
    placed: PlacedScenario, candidates: list[Placed], tiers: list[Tier], problems: Problems
) -> None:
    """Check a scenario against tiers and candidates, and warn of what it leaves open."""
    spec, node = placed.scenario.spec, placed.node
    names = [tier.name for tier in tiers]
    if spec.tier is not None and spec.tier not in names:
        at = node.get("tier") or node
        do = plugins.nearest(spec.tier, names).strip() or f"known: {', '.join(names) or 'none'}"
        problems.add(f"unknown tier {at.shown}", at, do=do)
    if spec.equality.function is not None:
        try:
            plugins.load_object(spec.equality.function, where=find(node, ("equality",)).where)
        except BefitError as error:
            problems.extend([error])
    for one in candidates:
        shots = one.candidate.prompt.shots
        if shots > len(spec.examples):
            at = find(one.node, ("prompt", "shots"))
            what = f"'{one.candidate.name}' shows {shots} examples, but '{spec.name}' has"
            do = f"add examples to the scenario (line {node.line}), or lower shots"
            problems.add(f"{what} {len(spec.examples)}", at, do=do)
    if not spec.failure_modes:
        problems.warn(f"'{spec.name}' names no failure modes: all failures count as 'other'", node)
    if spec.critical and spec.repeats < MIN_REPEATS:
        at = node.get("repeats") or node
        what = f"'{spec.name}' is critical with {spec.repeats} repeat(s): stability is not measured"
        problems.warn(what, at)
    _check_wordings(spec, node, problems)


def _check_wordings(spec: ScenarioSpec, node: Node, problems: Problems) -> None:
    """Warn of a template, or one of a variant, into which no sample comes."""
    if INPUT not in template_names(spec.template):
        at = node.get("template") or node
        problems.warn(f"the template of '{spec.name}' never shows {{input}}", at)
    for one in spec.variants:
        if one.template is not None and INPUT not in template_names(one.template):
            what = (
                f"variant '{one.name}' of '{spec.name}' has a template that never shows {{input}}"
            )
            problems.warn(what, node.get("variants") or node)


def without_same_wordings(
    placed: PlacedScenario, candidates: list[Placed], problems: Problems
) -> PlacedScenario:
    """Return the scenario without variants that are every candidate's prompt as it is.

    They would be paid for, and tell nothing of how far the wording matters.
    """
    spec = placed.scenario.spec
    alike = [set(changes_nothing(spec, one.candidate)) for one in candidates]
    same = set.intersection(*alike) if alike and spec.variants else set()
    if not same:
        return placed
    kept = tuple(one for one in spec.variants if one.name not in same)
    for name in sorted(same):
        what = f"variant '{name}' of '{spec.name}' changes nothing in its template: it is not asked"
        problems.warn(what, placed.node.get("variants") or placed.node)
    changed = replace(placed.scenario, spec=spec.model_copy(update={"variants": kept}))
    return replace(placed, scenario=changed)


def check_templates(candidates: list[Placed], names: list[str], problems: Problems) -> None:
    """Check that template overrides are for scenarios that exist."""
    for one in candidates:
        for key in one.candidate.prompt.templates:
            if key != "*" and key not in names:
                at: Node = find(one.node, ("prompt", "templates", key))
                do = plugins.nearest(key, names).strip() or f"known: *, {', '.join(names)}"
                problems.add(f"a template for the unknown scenario '{key}'", at, do=do)
