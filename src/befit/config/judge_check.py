"""Judges and those who ask them: neither is there without the other, and rivals exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from befit import plugins
from befit.config.candidates import Placed
from befit.config.problems import Problems
from befit.config.scenarios import PlacedScenario
from befit.config.scorer_check import ScorerBook
from befit.core.sample import Sample, ScorerSpec
from befit.engine.judging import Asking
from befit.errors import BefitError, DataError

_DO = "add a scorer that asks them, for instance {judge: {rubric: \"...\"}}, or remove 'judges'"
_TURNS = "judges are asked about whole conversations, not about single turns"
_WHOLE = "put the judge under the scenario's scorers or the sample's checks"


class JudgeChecks:
    """Looks whether the judges of one scenario are asked, and by whom."""

    def __init__(
        self, placed: PlacedScenario, candidates: Sequence[Placed], book: ScorerBook
    ) -> None:
        self._placed, self._book = placed, book
        self._names = [one.candidate.name for one in candidates]
        self._judged = bool(placed.scenario.spec.judges)
        self._asked = any(isinstance(scorer, Asking) for scorer in placed.scorers)
        self._own = self._asked

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield what is wrong with the questions that a sample itself has for judges."""
        for i, spec in enumerate(sample.checks):
            if not isinstance(self._book.check(spec).scorer, Asking):
                continue
            self._asked = True
            at = f"{where} checks[{i}].{spec.name}"
            if not self._judged:
                do = "list at least one under 'judges' of the scenario, with a candidate's keys"
                yield DataError(f"'{spec.name}' has nobody to ask", where=at, do=do)
            yield from self._unknown(spec, f"{at}.against")
        for i, turn in enumerate(sample.turns):
            for spec in (*turn.checks, *turn.constraints.values()):
                if isinstance(self._book.check(spec).scorer, Asking):
                    yield DataError(_TURNS, where=f"{where} turns[{i}]", do=_WHOLE)

    def report(self, problems: Problems) -> None:
        """Report judges nobody asks, questions nobody hears, and rivals that are no candidates."""
        spec, node = self._placed.scenario.spec, self._placed.node
        self._twins(problems)
        if self._judged and not self._asked:
            at = node.get("judges") or node
            problems.add(f"the judges of '{spec.name}' are never asked", at, do=_DO)
        if self._own and not self._judged:
            at = node.get("scorers") or node
            do = "list at least one under 'judges', with the keys of a candidate"
            problems.add("the scorer 'judge' has nobody to ask", at, do=do)
        if any(isinstance(self._book.check(one).scorer, Asking) for one in spec.every_turn):
            problems.add(_TURNS, node.get("every_turn") or node, do=_WHOLE)
        for one in spec.scorers:
            for error in self._unknown(one, ""):
                problems.add(error.what, node.get("scorers") or node, do=error.do)

    def _twins(self, problems: Problems) -> None:
        """Report judges of one name, and judges that are one: their reply is one, and counts once.

        Two that are the same would always agree, and outvote a third.
        """
        spec, node = self._placed.scenario.spec, self._placed.node
        at = node.get("judges") or node
        by_print: dict[str, str] = {}
        names: set[str] = set()
        for judge in spec.judges:
            if judge.name in names:
                problems.add(f"two judges are called '{judge.name}'", at, do="rename one of them")
            elif (other := by_print.setdefault(judge.fingerprint, judge.name)) != judge.name:
                what = f"the judges '{judge.name}' and '{other}' are the same configuration"
                why = "they share their replies, so they would agree and outvote others"
                problems.add(what, at, why=why, do="remove one, or set another model or sampling")
            names.add(judge.name)

    def _unknown(self, spec: ScorerSpec, where: str) -> Iterator[BefitError]:
        rival = spec.options.get("against")
        if spec.name != "judge" or not isinstance(rival, str) or rival in self._names:
            return
        guess = plugins.nearest(rival, self._names).strip()
        yield DataError(
            f"answers are to be judged against '{rival}', which is no candidate",
            where=where,
            do=guess or f"known: {', '.join(sorted(self._names))}",
        )
