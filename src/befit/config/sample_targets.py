"""Targets that no answer could be compared with: told before a call is paid, not after all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from befit import plugins
from befit.config.candidates import Placed
from befit.config.problems import Problems
from befit.config.scenarios import PlacedScenario
from befit.config.scorer_check import ScorerBook
from befit.core.record import Json
from befit.core.sample import Sample
from befit.errors import BefitError, DataError

_MODELS = frozenset({"openai", "anthropic", "local"})
"""Targets that call no tool but those they are offered; any other may be an agent."""
_NAMED = 5


@runtime_checkable
class ReadsTargets(Protocol):
    """A scorer that can say of a target alone why it cannot be judged by."""

    def target_problem(self, target: Json, /) -> str | None:
        """Return why a target cannot be judged by, None where it can."""


@runtime_checkable
class WantsCalls(Protocol):
    """A scorer that compares calls: which tools a target wants to be called."""

    reads: str
    """`calls`: the protocol's own; `text`: calls written in the answer; `auto`: either."""

    def tools_wanted(self, target: Json, /) -> tuple[str, ...]:
        """Return the names of the tools to be called."""


class TargetChecks:
    """Looks at the targets of one scenario's samples with the eyes of their scorers."""

    def __init__(
        self, placed: PlacedScenario, candidates: Sequence[Placed], book: ScorerBook
    ) -> None:
        self._placed = placed
        self._book = book
        shared = {tool.name for tool in placed.scenario.spec.tools}
        self._offered = {
            one.candidate.name: shared | {tool.name for tool in one.candidate.tools}
            for one in candidates
        }
        """By candidate; what a sample offers comes on top."""
        self._agents = any(one.candidate.target not in _MODELS for one in candidates)
        self._untold: Counter[str] = Counter()
        """Tool that is wanted while none at all is offered -> samples."""
        self._partly: Counter[tuple[str, str]] = Counter()
        """(Tool that is wanted, candidate that is not offered it) -> samples."""

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield why the target of a sample cannot be judged by."""
        own = (self._book.check(spec).scorer for spec in sample.checks)
        for scorer in (*self._placed.scorers, *own):
            if isinstance(scorer, ReadsTargets) and sample.target is not None:
                wrong = scorer.target_problem(sample.target)
                if wrong:
                    yield DataError(
                        f"'{scorer.name}' cannot use this target: {wrong}",
                        where=f"{where} target",
                        why="every answer to it would stay unscored, or be called wrong",
                        do="mend the target, or judge this sample by another scorer",
                    )
                    continue
            if isinstance(scorer, WantsCalls):
                yield from self._calls(scorer, sample, f"{where} target")
        for i, turn in enumerate(sample.turns):
            for spec in (*turn.checks, *turn.constraints.values()):
                scorer_of_turn = self._book.check(spec).scorer
                if isinstance(scorer_of_turn, WantsCalls):
                    yield from self._calls(scorer_of_turn, sample, f"{where} turns[{i}]")

    def report(self, problems: Problems) -> None:
        """Warn of calls that are wanted where no tool, or not for every candidate, is offered."""
        spec, node = self._placed.scenario.spec, self._placed.node
        if self._untold:
            names = ", ".join(f"'{name}'" for name in sorted(self._untold)[:_NAMED])
            what = f"samples of '{spec.name}' want calls of {names}, but no tool is offered"
            why = "only an agent with tools of its own, or calls written as text, can be right"
            problems.warn(f"{what}: {why}; else add 'tools'", node)
        for (tool, candidate), count in sorted(self._partly.items())[:_NAMED]:
            what = f"{count} samples of '{spec.name}' want a call of '{tool}'"
            problems.warn(f"{what}, which '{candidate}' is not offered: it cannot be right", node)

    def _calls(self, scorer: WantsCalls, sample: Sample, where: str) -> Iterator[BefitError]:
        own = {tool.name for tool in sample.tools}
        offered = {name: tools | own for name, tools in self._offered.items()}
        known = sorted(own.union(*offered.values()))
        wanted = sorted(set(scorer.tools_wanted(sample.target)))
        if not known and scorer.reads != "calls":
            # Calls may be written as text (`text` says so), or the prompt may describe the tools.
            self._untold.update(wanted if scorer.reads == "auto" else ())
            return
        if not known and self._agents:
            self._untold.update(wanted)
            return
        for name in wanted:
            if name not in known:
                guess = plugins.nearest(name, known).strip()
                yield DataError(
                    f"the target wants a call of '{name}', which is not offered",
                    where=where,
                    do=guess or f"offered: {', '.join(known) or 'none; add tools'}",
                )
                continue
            lacking = (one for one, tools in offered.items() if tools and name not in tools)
            self._partly.update((name, one) for one in lacking)
