"""A task in named steps: which were done, in order, to the end, with the goal kept.

Steps are calls of tools or lines of the answers; a call that its tool answered with an
error has done nothing. The longest run of required steps in their order counts as done;
the first one missing is where the chain broke, from which survival over steps is drawn.
A candidate that failed itself, for instance in a loop, broke where it had got to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.calls_read import calls_of, has_native_calls, refused_calls
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted, storable, version_of
from befit.scorers.normalise import folded, word_pattern
from befit.scorers.patterns import Pattern
from befit.scorers.tool_calls import WRITTEN, state_right

NAME = "chain"
CODE_VERSION = "4"
MAX_STEPS = 500
"""Steps made that are looked at."""


class ChainOptions(Record):
    """How steps are read and judged. The target names them: a list, or `{steps, state, goal}`."""

    read: Literal["auto", "calls", "text"] = Field(
        default="auto",
        description="calls: a step is a call of the tool of that name. text: a line that matches"
        " 'pattern'. auto: calls where there are any, else text.",
    )
    pattern: str = Field(
        default=r"^\W{0,4}(?:step\s+)?\d+[.):]\s*\W{0,3}([\w-]+)",
        description="Regular expression with one group, the step's name; tried on every line.",
    )
    order: Literal["listed", "any"] = "listed"
    repeats: bool = Field(default=False, description="True: doing a step again does no harm.")
    extra: bool = Field(default=True, description="False: steps that nobody asked for are faults.")
    one_at_a_time: bool = Field(
        default=False,
        description="True: several calls in one answer are a fault, where each step has to see"
        " what came of the one before.",
    )
    errors: bool = Field(
        default=False,
        description='True: a call counts as done although its tool answered `{"error": ...}`.',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """One step as it was tried."""

    step: str
    done: bool


class Chain:
    """The steps of a trial against those required."""

    name = NAME
    primary = NAME
    names = (NAME, "steps_done", "goal_kept", "state_right")
    needs_target = True
    Options = ChainOptions

    def __init__(self, options: ChainOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self._pattern = Pattern(options.pattern, ignore_case=True, multiline=True)

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `chain`, the share of steps done, goal and state where asked, and each step."""
        target = sample.target
        required = _required(target)
        if not required:
            why = "the target names no steps"
            bad = Check(
                name=NAME, value=None, label="no_target", rule="the target", explanation=why
            )
            return [bad.score(NAME, self.version)]
        tried = self._tried(trial, {folded(step): step for step in required})
        checks = self._judge(required, tried)
        if self.options.one_at_a_time:
            checks += _at_once(trial)
        if isinstance(target, Mapping):
            checks += _ends(target, trial, written=bool(tried) and not has_native_calls(trial))
        # A state that no step could reach is left open: the steps themselves are judged.
        judged = [c for c in checks if c.part is None and c.label != WRITTEN]
        wrong = next((c for c in judged if c.value != 1.0), None)
        whole = Check(
            name=NAME,
            value=1.0 if wrong is None else 0.0 if wrong.value is not None else None,
            label="right" if wrong is None else wrong.label,
            rule="all required steps, in order, to the end",
            answer=[storable(one.step) for one in tried[:100]],
            explanation=None if wrong is None else wrong.explanation,
        )
        return [check.score(NAME, self.version) for check in (whole, *checks)]

    def reached(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return each step of a trial in which the candidate itself failed, as far as it got."""
        required = _required(sample.target)
        tried = self._tried(trial, {folded(step): step for step in required})
        checks = self._judge(required, tried) if required else []
        return [check.score(NAME, self.version) for check in checks if check.part is not None]

    def _tried(self, trial: Trial, known: Mapping[str, str]) -> list[_Tried]:
        if self.options.read != "text":
            calls, _ = calls_of(trial, read="calls")
            if calls or self.options.read == "calls":
                refused = [False] * len(calls) if self.options.errors else refused_calls(trial)
                return [
                    _Tried(step=known.get(folded(call.name), call.name), done=not failed)
                    for call, failed in zip(calls, refused, strict=False)
                ][:MAX_STEPS]
        found: list[_Tried] = []
        for completion in trial.completions:
            for match in self._pattern.finditer(completion.text[:200_000]):
                name = match.group(1) if self._pattern.groups else match.group()
                step = known.get(folded(name or ""), name or "")
                found.append(_Tried(step=step, done=True))
                if len(found) >= MAX_STEPS:
                    return found
        return found

    def _judge(self, required: Sequence[str], tried: Sequence[_Tried]) -> list[Check]:
        mine = set(required)
        asked = [one.step for one in tried if one.step in mine and one.done]
        listed = self.options.order == "listed"
        kept = in_order(required, asked) if listed else _present(required, asked)
        done = sum(kept)
        attempts = [one.step for one in tried if one.step in mine]
        got = [
            kept[at] or (step in attempts and step not in asked) for at, step in enumerate(required)
        ]
        last = max((place for place, one in enumerate(got) if one), default=-1)
        parts = [
            Check(
                name="step",
                value=float(one),
                label="done" if one else _why(place, required, asked, attempts, last=last),
                rule="done in its place",
                part=f"step {place + 1}: {step}"[:100],
            )
            for place, (step, one) in enumerate(zip(required, kept, strict=True))
        ]
        label, why = "right", None
        if done < len(required):
            lost = next(part for part in parts if part.value == 0.0)
            label, why = str(lost.label), f"{lost.part} {lost.label}"
        share = done / len(required)
        checks = [
            Check(
                name="steps_done",
                value=share,
                label=label,
                rule=f"{done} of {len(required)} steps",
                explanation=why,
            )
        ]
        again = sorted({step for step in asked if asked.count(step) > required.count(step)})
        if again and not self.options.repeats:
            checks.append(_fault("repeated_step", f"again: {', '.join(again[:5])}"))
        early = _too_early(required, tried) if listed else None
        if early is not None:
            checks.append(_fault("out_of_order", f"tried too early: {quoted(early)}"))
        foreign = [one.step for one in tried if one.step not in mine]
        if foreign and not self.options.extra:
            checks.append(_fault("foreign_step", f"not asked for: {quoted(foreign[0])}"))
        return [*checks, *parts]


def _fault(label: str, why: str) -> Check:
    return Check(name="no_fault", value=0.0, label=label, rule="no fault", explanation=why)


def _at_once(trial: Trial) -> list[Check]:
    for place, completion in enumerate(trial.completions, start=1):
        names = [quoted(call.name) for call in completion.tool_calls]
        if len(names) > 1:
            why = f"answer {place} makes {len(names)} calls at once: {', '.join(names[:5])}"
            return [_fault("several_at_once", why)]
    return []


def in_order(required: Sequence[str], made: Sequence[str]) -> list[bool]:
    """Return which required steps belong to the longest common subsequence with `made`."""
    rows, columns = len(required), len(made)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            same = required[i] == made[j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    kept = [False] * rows
    i = j = 0
    while i < rows and j < columns:
        if required[i] == made[j]:
            kept[i] = True
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return kept


def _present(required: Sequence[str], made: Sequence[str]) -> list[bool]:
    left = list(made)
    kept = []
    for step in required:
        kept.append(step in left)
        if step in left:
            left.remove(step)
    return kept


def _required(target: Json) -> list[str]:
    steps = target.get("steps") if isinstance(target, Mapping) else target
    return [str(step) for step in steps] if isinstance(steps, list | tuple) else []


def _why(
    place: int, required: Sequence[str], done: Sequence[str], attempts: Sequence[str], *, last: int
) -> str:
    step = required[place]
    if step in done:
        return "out_of_order"
    if step not in attempts:
        return "premature_stop" if place > last else "skipped_step"
    first = attempts.index(step)
    # Refused because an earlier step was due: it came before one that was tried later.
    late = any(
        before in attempts[first:] for before in required[:place] if before not in attempts[:first]
    )
    return "out_of_order" if late else "failed_step"


def _too_early(required: Sequence[str], tried: Sequence[_Tried]) -> str | None:
    """Return the first step that its tool refused while one before it was still to be tried."""
    seen: set[str] = set()
    later = {one.step for one in tried if one.done}
    for one in tried:
        if not one.done and one.step in required:
            before = required[: required.index(one.step)]
            if any(step not in seen and step in later for step in before):
                return one.step
        seen.add(one.step)
    return None


def _ends(target: Mapping[str, Json], trial: Trial, *, written: bool) -> list[Check]:
    """Judge the end of the chain: the state of the world, and what the goal was."""
    checks: list[Check] = []
    wanted = target.get("state")
    if isinstance(wanted, Mapping):
        checks.append(state_right(wanted, trial.state, written=written))
    goal = target.get("goal")
    if goal:
        texts = [goal] if isinstance(goal, str) else [str(text) for text in goal]
        plain = folded(trial.output)
        patterns = [word_pattern(text) for text in texts]
        lost = [
            text
            for text, pattern in zip(texts, patterns, strict=True)
            if pattern is None or not pattern.search(plain)
        ]
        checks.append(
            Check(
                name="goal_kept",
                value=(len(texts) - len(lost)) / len(texts),
                label="right" if not lost else "lost_goal",
                rule="the last answer still holds what the goal asks",
                explanation=f"lost: {', '.join(quoted(text) for text in lost[:3])}"
                if lost
                else None,
            )
        )
    return checks
