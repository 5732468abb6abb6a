"""Scores of the single turns of a conversation, and what they add up to.

Each answer is judged by the checks of its turn, by the constraints in force
(stated then or earlier, not lifted, the latest of a name), and by what the
system prompt demands throughout. Parts are called `turn 1`, `turn 2` ..., from
which the curve over turns is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from befit.core.protocols import Scorer
from befit.core.sample import Sample, ScorerSpec, Turn
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.core.trial import Trial
from befit.engine.verdicts import own, primaries, run_scorers, verdict

CONVERSATION = "conversation"
INHERITED = "constraint_inheritance"
RESOLVED = "conflict_resolution"
SYSTEM = "system_prompt_held"

Build = Callable[[Sequence[ScorerSpec]], "tuple[list[Scorer], list[Score]]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Force:
    """A constraint in force: where it was stated, and whether it overrides an earlier one."""

    spec: ScorerSpec
    since: int
    overrides: bool


@dataclass(slots=True)
class _Sums:
    """Values by metric, over all turns."""

    values: dict[str, list[float | None]] = field(default_factory=dict)

    def add(self, name: str, value: float | None) -> None:
        self.values.setdefault(name, []).append(value)

    def scores(self) -> list[Score]:
        return [own(name, _mean(values)) for name, values in self.values.items()]


def has_turn_checks(sample: Sample, spec: ScenarioSpec) -> bool:
    """Tell whether single turns of this sample are judged."""
    if spec.every_turn:
        return True
    return bool(sample.turns) and any(turn.checks or turn.constraints for turn in sample.turns)


def turn_scores(sample: Sample, trial: Trial, spec: ScenarioSpec, build: Build) -> list[Score]:
    """Return the scores of each turn, then the whole-trial metrics they add up to."""
    if trial.status == "missing":
        return []
    ends = _whole_ends(trial)
    turns: Sequence[Turn | None] = sample.turns or [None] * max(1, len(ends))
    force: dict[str, _Force] = {}
    details: list[Score] = []
    sums = _Sums()
    for index, turn in enumerate(turns):
        if turn is not None:
            _state(force, turn, index)
        part = f"turn {index + 1}"
        if not (turn and turn.checks) and not force and not spec.every_turn:
            continue
        if index >= len(ends):
            details.append(own(CONVERSATION, 0.0, label="not_reached", part=part))
            for name in _touched(turn, force, index, spec):
                sums.add(name, 0.0)
            continue
        first = ends[index - 1] + 1 if index else 0
        until = replace(trial, completions=trial.completions[first : ends[index] + 1], failure=None)
        judge = _Turn(sample, until, part, build)
        details += judge.judged(turn, force, index, spec, sums)
    return [*details, *sums.scores()]


@dataclass(slots=True)
class _Turn:
    """One answer being judged."""

    sample: Sample
    trial: Trial
    part: str
    build: Build
    scores: list[Score] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    label: str | None = None
    why: str | None = None

    def judged(
        self,
        turn: Turn | None,
        force: dict[str, _Force],
        index: int,
        spec: ScenarioSpec,
        sums: _Sums,
    ) -> list[Score]:
        if turn is not None and turn.checks:
            value = self._check(turn.checks, "", label=None)
            if turn.about is not None:
                sums.add(turn.about, value)
        for name, held in force.items():
            lost = "overridden_kept" if held.overrides else "constraint_lost"
            value = self._check((held.spec,), f"{name}: ", label=lost)
            if held.since < index:
                sums.add(INHERITED, value)
            if held.overrides:
                sums.add(RESOLVED, value)
        if spec.every_turn:
            sums.add(SYSTEM, self._check(spec.every_turn, "always: ", label="system_prompt_broken"))
        whole = _all(self.values)
        sums.add(CONVERSATION, whole)
        self.scores.append(
            own(CONVERSATION, whole, label=self.label, part=self.part, explanation=self.why)
        )
        return self.scores

    def _check(
        self, specs: Sequence[ScorerSpec], prefix: str, *, label: str | None
    ) -> float | None:
        built, broken = self.build(specs)
        found = [*run_scorers(built, self.sample, self.trial), *broken]
        firsts = primaries(found, built, broken)
        value = verdict(firsts)
        self.values.append(value)
        if value == 0.0 and self.label is None:
            worst = next(score for score in firsts if score.value is not None and score.value < 1)
            self.label = label or worst.label
            self.why = f"{prefix}{worst.explanation or worst.label or worst.name}"
        for score in found:
            inner = prefix + (score.part or "")
            shown = f"{self.part}: {inner.removesuffix(': ')}" if inner else self.part
            self.scores.append(replace(score, part=shown))
        return value


def _state(force: dict[str, _Force], turn: Turn, index: int) -> None:
    """Bring the constraints in force to the state after the user's words of this turn."""
    for name in turn.lifts:
        force.pop(name, None)
    for name, spec in turn.constraints.items():
        force[name] = _Force(spec=spec, since=index, overrides=name in force)


def _touched(
    turn: Turn | None, force: dict[str, _Force], index: int, spec: ScenarioSpec
) -> list[str]:
    """Return the metrics to which a turn that was not reached would have added."""
    names = [CONVERSATION]
    if turn is not None and turn.checks and turn.about is not None:
        names.append(turn.about)
    names += [INHERITED for held in force.values() if held.since < index]
    names += [RESOLVED for held in force.values() if held.overrides]
    return [*names, SYSTEM] if spec.every_turn else names


def _whole_ends(trial: Trial) -> tuple[int, ...]:
    """Return the completions that end a turn and are whole; one that failed on the way is not."""
    ends = trial.turn_ends
    if trial.failure is None or not trial.completions:
        return ends
    last = trial.completions[-1]
    cut = last.finish_reason == trial.failure.kind or not last.text
    final = len(trial.completions) - 1
    return tuple(end for end in ends if end < final) if cut else ends


def _all(values: Sequence[float | None]) -> float | None:
    if any(value == 0.0 for value in values):
        return 0.0
    return None if None in values else 1.0


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(values) if values and len(known) == len(values) else None
