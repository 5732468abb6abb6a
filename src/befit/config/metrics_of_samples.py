"""Which metrics the samples of a scenario bring: by their own checks, and by those of their turns.

What a scenario's scorers make is known without its samples; this is the rest. Samples
are read until the first that makes the metric asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from befit import plugins
from befit.config.scorer_check import ScorerBook
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario
from befit.engine.turns import CONVERSATION, INHERITED, RESOLVED, SYSTEM, has_turn_checks
from befit.errors import BefitError

Names = Callable[[object, str], Iterable[str]]
"""(scorer or its class, its name) -> the scores it says it makes."""

OF_TURNS = {
    "retention": "a turn with checks and `about: retention` makes it",
    "coreference": "a turn with checks and `about: coreference` makes it",
    INHERITED: "a turn with `constraints` and turns after it make it",
    RESOLVED: "a later turn with a constraint of the same name makes it",
    SYSTEM: "the scenario's `every_turn` makes it",
}
"""Metrics of conversations -> what in a sample makes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """What scorers that are named in samples make."""

    names: Names
    known: Collection[str]
    book: ScorerBook = field(default_factory=ScorerBook)

    def all_of(self, specs: Iterable[ScorerSpec]) -> Iterator[str]:
        """Yield what is known to be made."""
        for spec in specs:
            scorer = (
                plugins.load("befit.scorers", spec.name)
                if spec.name in self.known
                else self.book.check(spec).scorer
            )
            if scorer is not None:
                yield from self.names(scorer, spec.name)

    def make(self, specs: Iterable[ScorerSpec], metric: str) -> bool:
        return any(self._makes(spec, metric) for spec in specs)

    def _makes(self, spec: ScorerSpec, metric: str) -> bool:
        if spec.name not in self.known:
            scorer = self.book.check(spec).scorer
            # one of the user's own that says nothing of its scores may make any
            return (
                scorer is None
                or metric in self.names(scorer, spec.name)
                or (not hasattr(scorer, "names"))
            )
        return metric in self.names(plugins.load("befit.scorers", spec.name), spec.name)


class SampleMetrics:
    """The metrics that the samples of one scenario bring."""

    def __init__(self, scenario: Scenario, *, names: Names, known: Collection[str]) -> None:
        self._scenario = scenario
        self._reader = _Reader(names=names, known=known)

    def make(self, metric: str) -> bool:
        """Tell whether some sample brings what makes a metric; broken ones are told elsewhere."""
        try:
            return any(self._of(sample, metric) for sample in self._scenario.samples.load())
        except BefitError:
            return True

    def names(self) -> set[str]:
        """Return all metrics that the samples are known to make; broken ones are told elsewhere."""
        found: set[str] = set()
        spec = self._scenario.spec
        seen: set[str] = set()
        try:
            for sample in self._scenario.samples.load():
                checks = repr(sample.checks)
                if checks not in seen:  # most samples bear the same
                    seen.add(checks)
                    found |= set(self._reader.all_of(sample.checks))
                if has_turn_checks(sample, spec):
                    found |= set(_of_turns(sample, spec.every_turn))
        except BefitError:
            pass
        return found

    def _of(self, sample: Sample, metric: str) -> bool:
        if self._reader.make(sample.checks, metric):
            return True
        spec = self._scenario.spec
        return has_turn_checks(sample, spec) and metric in _of_turns(sample, spec.every_turn)


def _of_turns(sample: Sample, always: Collection[ScorerSpec]) -> Iterator[str]:
    """Yield the metrics that the turns of a sample add up to."""
    yield CONVERSATION
    if always:
        yield SYSTEM
    held: set[str] = set()
    for turn in sample.turns:
        held -= set(turn.lifts)
        if held:
            yield INHERITED
        if held & turn.constraints.keys():
            yield RESOLVED
        held |= turn.constraints.keys()
        if turn.checks and turn.about is not None:
            yield turn.about
