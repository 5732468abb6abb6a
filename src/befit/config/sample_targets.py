"""Targets that no answer could be compared with: told before a call is paid, not after all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from befit import plugins
from befit.config.candidates import Placed
from befit.config.scenarios import PlacedScenario
from befit.config.scorer_check import ScorerBook
from befit.core.record import Json
from befit.core.sample import Sample
from befit.errors import BefitError, DataError


@runtime_checkable
class ReadsTargets(Protocol):
    """A scorer that can say of a target alone why it cannot be judged by."""

    def target_problem(self, target: Json, /) -> str | None:
        """Return why a target cannot be judged by, None where it can."""


@runtime_checkable
class WantsCalls(Protocol):
    """A scorer that compares calls: which tools a target wants to be called."""

    def tools_wanted(self, target: Json, /) -> tuple[str, ...]:
        """Return the names of the tools to be called."""


class TargetChecks:
    """Looks at the targets of one scenario's samples with the eyes of their scorers."""

    def __init__(
        self, placed: PlacedScenario, candidates: Sequence[Placed], book: ScorerBook
    ) -> None:
        self._scorers = tuple(placed.scorers)
        self._book = book
        self._offered = {
            tool.name
            for tools in (
                placed.scenario.spec.tools,
                *(one.candidate.tools for one in candidates),
            )
            for tool in tools
        }

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield why the target of a sample cannot be judged by."""
        own = (self._book.check(spec).scorer for spec in sample.checks)
        for scorer in (*self._scorers, *own):
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
                yield from self._calls(scorer, sample, where)

    def _calls(self, scorer: WantsCalls, sample: Sample, where: str) -> Iterator[BefitError]:
        offered = sorted(self._offered | {tool.name for tool in sample.tools})
        if not offered:
            return  # the candidate may be an agent that has tools of its own
        for name in scorer.tools_wanted(sample.target):
            if name not in offered:
                guess = plugins.nearest(name, offered).strip()
                yield DataError(
                    f"the target wants a call of '{name}', which is not offered",
                    where=f"{where} target",
                    do=guess or f"offered: {', '.join(offered)}",
                )
