"""A task in named steps: which were done, in order, to the end, with the goal kept.

Steps are calls of tools or lines of the answers. The longest run of required
steps in their order counts as done; the first one missing is where the chain
broke, from which survival over steps is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.calls_read import calls_of
from befit.scorers.checks import Check
from befit.scorers.evidence import quoted, storable, version_of
from befit.scorers.normalise import folded, word_pattern
from befit.scorers.patterns import Pattern
from befit.scorers.tool_calls import differing

NAME = "chain"
CODE_VERSION = "1"
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
        steps = target.get("steps") if isinstance(target, Mapping) else target
        if not isinstance(steps, list | tuple) or not steps:
            why = "the target names no steps"
            bad = Check(
                name=NAME, value=None, label="no_target", rule="the target", explanation=why
            )
            return [bad.score(NAME, self.version)]
        required = [str(step) for step in steps]
        made = self._made(trial, {folded(step): step for step in required})
        checks = self._judge(required, made)
        if isinstance(target, Mapping):
            checks += _ends(target, trial)
        wrong = next((c for c in checks if c.part is None and c.value != 1.0), None)
        whole = Check(
            name=NAME,
            value=1.0 if wrong is None else 0.0 if wrong.value is not None else None,
            label="right" if wrong is None else wrong.label,
            rule="all required steps, in order, to the end",
            answer=[storable(step) for step in made[:100]],
            explanation=None if wrong is None else wrong.explanation,
        )
        return [check.score(NAME, self.version) for check in (whole, *checks)]

    def _made(self, trial: Trial, known: Mapping[str, str]) -> list[str]:
        if self.options.read != "text":
            calls, _ = calls_of(trial, read="calls")
            if calls or self.options.read == "calls":
                return [known.get(folded(call.name), call.name) for call in calls][:MAX_STEPS]
        found: list[str] = []
        for completion in trial.completions:
            for match in self._pattern.finditer(completion.text[:200_000]):
                name = match.group(1) if self._pattern.groups else match.group()
                found.append(known.get(folded(name or ""), name or ""))
                if len(found) >= MAX_STEPS:
                    return found
        return found

    def _judge(self, required: Sequence[str], made: Sequence[str]) -> list[Check]:
        asked = [step for step in made if step in set(required)]
        kept = (
            in_order(required, asked)
            if self.options.order == "listed"
            else _present(required, asked)
        )
        done = sum(kept)
        last = max((place for place, one in enumerate(kept) if one), default=-1)
        parts = [
            Check(
                name="step",
                value=float(one),
                label="done" if one else _why(place, required, asked, last),
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
        foreign = [step for step in made if step not in set(required)]
        if foreign and not self.options.extra:
            checks.append(_fault("foreign_step", f"not asked for: {quoted(foreign[0])}"))
        return [*checks, *parts]


def _fault(label: str, why: str) -> Check:
    return Check(name="no_fault", value=0.0, label=label, rule="no fault", explanation=why)


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


def _why(place: int, required: Sequence[str], made: Sequence[str], last: int) -> str:
    if required[place] in made:
        return "out_of_order"
    return "premature_stop" if place > last else "skipped_step"


def _ends(target: Mapping[str, Json], trial: Trial) -> list[Check]:
    """Judge the end of the chain: the state of the world, and what the goal was."""
    checks: list[Check] = []
    wanted = target.get("state")
    if isinstance(wanted, Mapping):
        wrong = "the trial has no world" if trial.state is None else differing(wanted, trial.state)
        value = None if trial.state is None else float(wrong is None)
        label = "right" if wrong is None else "wrong_state"
        rule = "the state at the end"
        checks.append(
            Check(name="state_right", value=value, label=label, rule=rule, explanation=wrong)
        )
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
