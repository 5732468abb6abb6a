"""Were the right tools called, with the right arguments, and only when they should be?

Calls wanted and calls made are paired at best (not greedily: a greedy pairing can
take the only call that fits another), then each pair is checked by the rules
of `calls_compare`. Whether to call at all is a metric of its own, and so are
order, repetition, the final state of the world and the words of the last answer.
`task_complete` is 1 only where all that is asked holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from befit.core.message import Tool
from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.asking import request_for
from befit.scorers.calls_compare import Finding, check
from befit.scorers.calls_marked import without_thoughts
from befit.scorers.calls_read import Made, Read, calls_of, has_native_calls, repeated
from befit.scorers.calls_wanted import Expected, TargetError, read_target
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted, storable, storable_json, version_of
from befit.scorers.matching import best_pairs
from befit.scorers.normalise import folded

NAME = "tool_calls"
CODE_VERSION = "5"
WRITTEN = "written_calls"
"""Label of a state that was not judged, as the calls were written as text."""
_WHOLE = 1_000.0
"""Gain of a pair that is right: one of them outweighs any number of half-right ones."""


class ToolCallsOptions(Record):
    """How calls are read and what may be called besides those that are due."""

    read: Read = Field(
        default="auto",
        description="calls: the protocol's own. text: JSON or Python calls written in the answer,"
        " `<function=f>` or `Action:` lines; thoughts are left out, a plan written out again counts"
        " once. auto: the protocol's own where there are any, else written ones.",
    )
    extra: bool = Field(
        default=False,
        description="True: further calls do no harm; only those that are due are judged.",
    )
    allowed: tuple[str, ...] = Field(
        default=(), description="Tools that may be called besides, for instance those that look up."
    )
    target: Json = Field(
        default=None,
        description="What is asked, in place of the sample's target; for the checks of one turn.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairing:
    """Which call made stands for which call due."""

    of_wanted: dict[int, int]
    findings: dict[int, Finding]
    """By the call that is due."""


class ToolCalls:
    """The calls of a trial against the target's."""

    name = NAME
    primary = "task_complete"
    names = (
        "task_complete",
        "calls_right",
        "call_decision",
        "calls_in_order",
        "calls_needed",
        "state_right",
        "asked_back",
        "says",
    )
    Options = ToolCallsOptions

    def __init__(self, options: ToolCallsOptions) -> None:
        self.options = options
        self.reads = options.read
        self.needs_target = options.target is None
        self.version = version_of(CODE_VERSION, options)

    def target_problem(self, target: Json) -> str | None:
        """Return why `target` cannot be judged by, None where it can (or the options hold one)."""
        if self.options.target is not None:
            return None
        try:
            read_target(target)
        except TargetError as error:
            return str(error)
        return None

    def tools_wanted(self, target: Json) -> tuple[str, ...]:
        """Return the tools whose calls the target, or that of the options, wants."""
        given = target if self.options.target is None else self.options.target
        if given is None:
            return ()
        try:
            return tuple(call.name for call in read_target(given).calls)
        except TargetError:
            return ()

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `task_complete`, its ingredients, and one `call` for each call due."""
        target = sample.target if self.options.target is None else self.options.target
        if target is None:
            return [self._unscored("no_target", "no target given")]
        try:
            expected = read_target(target)
        except TargetError as error:
            return [self._unscored("bad_target", str(error))]
        made, total = calls_of(trial, read=self.options.read)
        checks = self._judge(expected, made, total, sample=sample, trial=trial)
        # Where the calls themselves are judged, a state that no call could reach is left open.
        open_ends = [c for c in checks if c.value is None]
        if expected.calls:
            open_ends = [c for c in open_ends if c.label != WRITTEN]
        answer = [[call.name, storable_json(call.arguments)] for call in made[:20]]
        failed = next((c for c in checks if c.value is not None and c.value < 1.0), None)
        decides = failed or next(iter(open_ends), None)
        value = 0.0 if failed is not None else None if open_ends else 1.0
        said = decides or next((c for c in checks if c.label == WRITTEN), None)
        whole = Check(
            name=self.primary,
            value=value,
            label="right" if decides is None else decides.label,
            rule="all that the target asks of the calls holds",
            answer=answer,
            explanation=None if said is None else said.explanation,
        )
        return [check.score(NAME, self.version) for check in (whole, *checks)]

    def _unscored(self, label: str, why: str) -> Score:
        found = Check(
            name=self.primary, value=None, label=label, rule="the target", explanation=why
        )
        return found.score(NAME, self.version)

    def _judge(
        self, expected: Expected, made: list[Made], total: int, *, sample: Sample, trial: Trial
    ) -> list[Check]:
        tools = {tool.name: tool for tool in sample.tools}
        pairing = _pair(expected, made, tools)
        paired = set(pairing.of_wanted.values())
        free = expected.allowed | set(self.options.allowed)
        extra = [
            place
            for place in range(len(made))
            if place not in paired and made[place].name not in free
        ]
        counted = [call for call in made if call.name not in free]
        checks = [_decision(expected, counted, total)]
        if expected.calls:
            checks += _calls(expected, made, pairing, tools)
        if not self.options.extra and (expected.calls or expected.ask or not expected.state):
            checks.append(_needed(expected, made, extra, total=total))
        if expected.order == "listed" and len(expected.calls) > 1:
            checks.append(_order(pairing))
        if expected.ask:
            checks.append(
                _asked(expected, without_thoughts(trial.output), tools, called=bool(counted))
            )
        if expected.state is not None:
            written = bool(made) and not has_native_calls(trial)
            checks.append(state_right(expected.state, trial.state, written=written))
        if expected.says:
            said = "\n".join(completion.text for completion in trial.completions)
            checks.append(_says(expected.says, said))
        return checks


def _pair(expected: Expected, made: Sequence[Made], tools: Mapping[str, Tool]) -> _Pairing:
    found = [[check(call, want, tools) for call in made] for want in expected.calls]
    gains = [[f.share + (_WHOLE if f.fault is None else 0.0) for f in row] for row in found]
    pairs = best_pairs(gains) if made and expected.calls else []
    taken = {row: column for row, column in pairs if gains[row][column] > 0}
    # What is left over on both sides is one call of the wrong function each.
    rest = [place for place in range(len(made)) if place not in taken.values()]
    for row in range(len(expected.calls)):
        if row not in taken and rest:
            taken[row] = rest.pop(0)
    return _Pairing(
        of_wanted=taken, findings={row: found[row][column] for row, column in taken.items()}
    )


def _decision(expected: Expected, counted: Sequence[Made], total: int) -> Check:
    due, called = bool(expected.calls), bool(counted)
    if not due and expected.state is not None:
        due = called  # the state alone says what had to be done
    label = {
        (True, True): "called",
        (False, False): "held_back",
        (True, False): "not_called",
        (False, True): "called_without_parameter" if expected.ask else "needless_call",
    }[due, called]
    return Check(
        name="call_decision",
        value=float(due == called),
        label=label,
        rule="a call is due" if due else "no call is due",
        explanation=f"{total} calls made, {len(expected.calls)} due",
    )


def _calls(
    expected: Expected, made: Sequence[Made], pairing: _Pairing, tools: Mapping[str, Tool]
) -> list[Check]:
    parts: list[Check] = []
    right = 0
    for row, want in enumerate(expected.calls):
        finding = pairing.findings.get(row)
        label: str = "missing_call"
        if finding is not None:
            label = finding.fault or "right"
        right += int(label == "right")
        where = None if finding is None or finding.where is None else storable(finding.where)
        text = None if finding is None else finding.text
        column = pairing.of_wanted.get(row)
        given = (
            None if column is None else [made[column].name, storable_json(made[column].arguments)]
        )
        parts.append(
            Check(
                name="call",
                value=float(label == "right"),
                label=label,
                rule="function, parameters, types and values" if tools else "without a schema",
                part=f"call {row + 1}: {want.name}",
                answer=given,
                explanation=text if where is None else f"{where}: {text}",
            )
        )
    worst = next((part for part in parts if part.value == 0.0), None)
    whole = Check(
        name="calls_right",
        value=right / len(parts),
        label="right" if worst is None else worst.label,
        rule=f"{right} of {len(parts)} calls right, paired at best",
        explanation=None if worst is None else f"{worst.part}: {worst.explanation or worst.label}",
    )
    return [whole, *parts]


def _needed(expected: Expected, made: Sequence[Made], extra: Sequence[int], *, total: int) -> Check:
    again = [place for place in extra if place in repeated(made)]
    label = "right"
    if total > len(made):
        label = "too_many_calls"
    elif again:
        label = "repeated_call"
    elif extra:
        label = "extra_call" if expected.calls else "needless_call"
    names = ", ".join(storable(made[place].name) for place in extra[:5])
    return Check(
        name="calls_needed",
        value=float(label == "right"),
        label=label,
        rule="no call beyond those that are due",
        explanation=f"besides: {names}" if names else None,
    )


def _order(pairing: _Pairing) -> Check:
    places = [place for _, place in sorted(pairing.of_wanted.items())]
    kept = places == sorted(places)
    return Check(
        name="calls_in_order",
        value=float(kept),
        label="right" if kept else "wrong_order",
        rule="the calls come in the order listed",
        explanation=None if kept else f"made as {[place + 1 for place in places]}",
    )


def _asked(expected: Expected, output: str, tools: Mapping[str, Tool], *, called: bool) -> Check:
    found = request_for(output, expected.missing, tools)
    names = ", ".join(quoted(one.name) for one in expected.missing[:3])
    label = "did_not_ask" if found is None else "called_anyway" if called else "asked"
    word = None if found is None or found.word is None else f"asked for by {quoted(found.word)}"
    return Check(
        name="asked_back",
        value=float(label == "asked"),
        label=label,
        rule=f"a question or request about {names}" if names else "a question or request",
        span=None if found is None else found.span,
        explanation=word,
    )


def state_right(wanted: Mapping[str, Json], state: Json, *, written: bool) -> Check:
    """Return whether the world at the end holds what is wanted.

    None without a world, and where all calls were `written` as text: no tool took them.
    """
    value: float | None = None
    label, why = "no_world", "the trial was held without a world, so it has no state"
    if written and state is not None:
        label, why = WRITTEN, "calls written as text reach no tool: the final state is not judged"
    elif state is not None:
        wrong = differing(wanted, state)
        value, label, why = float(wrong is None), "wrong_state" if wrong else "right", wrong or ""
    rule = "the world at the end holds what the target says"
    return Check(name="state_right", value=value, label=label, rule=rule, explanation=why or None)


def differing(wanted: Json, state: Json, way: str = "") -> str | None:
    """Return the first place where `state` lacks what is `wanted`, or None; null: be gone."""
    if isinstance(wanted, Mapping):
        if not isinstance(state, Mapping):
            return f"{way or 'the state'} is {quoted(state)}"
        for key, inner in wanted.items():
            place = f"{way}.{key}" if way else str(key)
            if inner is None:
                if state.get(key) is not None:
                    return f"{place} is still there"
            elif key not in state:
                return f"{place} is not there"
            elif (found := differing(inner, state[key], place)) is not None:
                return found
        return None
    if wanted == state and isinstance(wanted, bool) == isinstance(state, bool):
        return None
    return f"{way} is {quoted(state)}, not {quoted(wanted)}"


def _says(texts: Sequence[str], said: str) -> Check:
    plain = folded(said).replace(",", "")
    lost = [text for text in texts if folded(text).replace(",", "") not in plain]
    return Check(
        name="says",
        value=float(not lost),
        label="right" if not lost else "not_said",
        rule="an answer holds each of the texts asked for",
        explanation=f"not said: {', '.join(quoted(text) for text in lost)}" if lost else None,
    )
