"""Scripted turns and pictures: is there something to say, to lift, to object to, to look at?"""

from __future__ import annotations

from collections.abc import Iterator

from befit import plugins
from befit.config.problems import Problems
from befit.core.message import ImagePart
from befit.core.sample import Sample, ScorerSpec, Turn
from befit.core.scenario import ScenarioSpec
from befit.datasets.files_pictures import broken_url
from befit.engine.render import template_names
from befit.engine.script import LAST
from befit.errors import BefitError, DataError

_LEAST_TURNS = 2
"""An objection needs an answer before it."""


class TurnChecks:
    """Looks at the turns and pictures of the samples of one scenario."""

    def __init__(self, spec: ScenarioSpec) -> None:
        self._spec = spec
        self._unfilled: dict[str, str] = {}
        self._objections = tuple(one for one in spec.scorers if one.name == "recovery")

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield what is wrong with the script of a sample, and with what it shows."""
        if sample.turns:
            yield from self._turns(sample, where)
        yield from self._objected(sample, where)
        if sample.attachments:
            for i, one in enumerate(sample.attachments):
                yield from _picture(one.url, f"'{one.name}'", f"{where} attachments[{i}]")
        if isinstance(sample.input, tuple):
            for i, message in enumerate(sample.input):
                for k, part in enumerate(message.content):
                    if isinstance(part, ImagePart):
                        at = f"{where} input[{i}].content[{k}]"
                        yield from _picture(part.url, "the picture", at)

    def _turns(self, sample: Sample, where: str) -> Iterator[BefitError]:
        count, cap = len(sample.turns), self._spec.caps.turns
        if count > cap:
            yield DataError(
                f"{count} turns, and the scenario's caps.turns is {cap}",
                where=f"{where} turns",
                why="the conversation could never be had whole",
                do=f"set caps: {{turns: {count}}}, or cut the script",
            )
        force: dict[str, int] = {}
        for i, turn in enumerate(sample.turns):
            at = f"{where} turns[{i}]"
            shown = i == 0 and bool(sample.attachments)
            yield from _said(turn, at, shown=shown)
            for name in _asked_for(turn) - sample.vars.keys() - {LAST}:
                self._unfilled.setdefault(name, at)
            for name in turn.lifts:
                if force.pop(name, None) is None:
                    guess = plugins.nearest(name, list(force)).strip()
                    yield DataError(
                        f"lifts the constraint '{name}', which is not in force there",
                        where=f"{at}.lifts",
                        do=guess or f"in force: {', '.join(force) or 'none'}",
                    )
            force.update(dict.fromkeys(turn.constraints, i))

    def report(self, problems: Problems) -> None:
        """Warn of what a turn asks to be filled in and nothing fills: it is sent as it stands."""
        for name, at in sorted(self._unfilled.items()):
            what = f"asks for {{{name}}}, which is neither {{{LAST}}} nor in 'vars'"
            literal = f"write {{{{{name}}}}} for literal braces"
            problems.warn(f"{what}: it is said as it stands ({literal})", f"{at}.user")

    def _objected(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield objections in turns that are never reached."""
        if self._spec.user is not None:
            return  # a simulated user goes on as long as it likes
        last = max(1, len(sample.turns))
        for spec in self._objections:
            yield from _beyond(spec, last, f"{where} turns")
        for i, spec in enumerate(sample.checks):
            yield from _beyond(spec, last, f"{where} checks[{i}].recovery.turn")
        for i, turn in enumerate(sample.turns):
            for k, spec in enumerate(turn.checks):
                yield from _beyond(spec, i + 1, f"{where} turns[{i}].checks[{k}].recovery.turn")


def _asked_for(turn: Turn) -> set[str]:
    """Return the names that a turn with `fill` asks for, in any of its branches."""
    if not turn.fill or turn.python is not None:
        return set()
    texts = [turn.user, *(branch.user for branch in turn.branches)]
    return set().union(*(template_names(text) for text in texts))


def _said(turn: Turn, at: str, *, shown: bool) -> Iterator[BefitError]:
    if not (turn.user.strip() or turn.python or shown):
        what, do = "the user says nothing", "write the words, or give python: module:function"
        yield DataError(what, where=f"{at}.user", do=do)
    for k, branch in enumerate(turn.branches):
        if not branch.user.strip():
            what, do = "the user says nothing in this branch", "write the words"
            yield DataError(what, where=f"{at}.branches[{k}].user", do=do)


def _beyond(spec: ScorerSpec, last: int, where: str) -> Iterator[BefitError]:
    turn = spec.options.get("turn") or _LEAST_TURNS
    if spec.name != "recovery" or spec.options.get("seeded") is not None:
        return
    if isinstance(turn, int) and turn > last:
        many = "is 1 turn" if last == 1 else f"are {last} turns"
        yield DataError(
            f"recovery looks at turn {turn}, and there {many} by then",
            where=where,
            do=f"name a turn from 2 to {last}" if last > 1 else "script the turn that objects",
        )


def _picture(url: str, name: str, where: str) -> Iterator[BefitError]:
    wrong = broken_url(url)
    if wrong:
        yield DataError(f"{name} {wrong}", where=where, do="put the whole file in its place")
