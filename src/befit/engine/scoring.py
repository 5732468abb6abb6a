"""Scoring: a trial becomes scores, without any call, as often as one likes.

The rules of right, wrong and unscored are kept here and nowhere else:

- a missing trial gets no score at all;
- a candidate's own failure gets 0 in every scorer's primary score;
- a scorer that breaks leaves the trial unscored (None), never lost, never 0;
- `pass` is 1 when every primary score is 1, 0 when one is below, else None.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from befit.core.fingerprint import canonical_json
from befit.core.protocols import Scorer
from befit.core.record import Json
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.core.trial import Trial
from befit.engine.building import brief, build_scorer, build_scorers
from befit.errors import BefitError

OWN = "befit"
OWN_VERSION = "1"
PASS = "pass"  # noqa: S105  # the name of a score, not a password
CONVERSATION = "conversation"
TOO_LATE = "too_late"
_CACHE_SIZE = 256


class Scoring:
    """The scorers of one scenario, with those of single samples built when they come."""

    def __init__(self, spec: ScenarioSpec, scorers: Sequence[Scorer]) -> None:
        self._spec = spec
        self._scorers = tuple(scorers)
        self._built: OrderedDict[str, Scorer | str] = OrderedDict()

    @classmethod
    def of(cls, spec: ScenarioSpec) -> Scoring:
        """Build the scorers of `spec`; raises as `build_scorers` does."""
        return cls(spec, build_scorers(spec.scorers, where=f"scenario '{spec.name}'"))

    def score(self, sample: Sample, trial: Trial) -> tuple[Score, ...]:
        """Return all scores of `trial`, the derived `pass` last."""
        extra: list[Score] = []
        scorers = self._scorers
        if sample.checks:
            built, broken = self._checks(sample.checks)
            scorers, extra = (*scorers, *built), broken
        if any(turn.checks for turn in sample.turns):
            extra += self._turns(sample, trial)
        return score_trial(sample, trial, scorers, self._spec, extra=extra)

    def _checks(self, specs: Sequence[ScorerSpec]) -> tuple[list[Scorer], list[Score]]:
        built: list[Scorer] = []
        broken: list[Score] = []
        for spec in specs:
            found = self._cached(spec)
            if isinstance(found, str):
                broken.append(_unscored(spec.name, "", spec.name, found))
            else:
                built.append(found)
        return built, broken

    def _cached(self, spec: ScorerSpec) -> Scorer | str:
        key = canonical_json([spec.name, spec.options])
        if key in self._built:
            self._built.move_to_end(key)
            return self._built[key]
        try:
            found: Scorer | str = build_scorer(spec, where="a sample's checks")
        except BefitError as error:
            found = str(error)
        self._built[key] = found
        if len(self._built) > _CACHE_SIZE:
            self._built.popitem(last=False)
        return found

    def _turns(self, sample: Sample, trial: Trial) -> list[Score]:
        """Score each scripted turn by its own checks, and their mean as `conversation`."""
        if trial.status == "missing":
            return []
        details: list[Score] = []
        values: list[float | None] = []
        reached = _whole_answers(trial)
        for index, turn in enumerate(sample.turns):
            if not turn.checks:
                continue
            part = f"turn {index + 1}"
            if index >= reached:
                values.append(0.0)
                details.append(_own(CONVERSATION, 0.0, label="not_reached", part=part))
                continue
            until = replace(trial, completions=trial.completions[: index + 1], failure=None)
            built, broken = self._checks(turn.checks)
            scores = [*_run(built, sample, until), *broken]
            value = _verdict(_primaries(scores, built, broken))
            values.append(value)
            details += [replace(score, part=_part(part, score.part)) for score in scores]
            details.append(_own(CONVERSATION, value, part=part))
        known = [value for value in values if value is not None]
        mean = sum(known) / len(values) if len(known) == len(values) and values else None
        return [*details, _own(CONVERSATION, mean)]


def score_trial(
    sample: Sample,
    trial: Trial,
    scorers: Sequence[Scorer],
    spec: ScenarioSpec,
    *,
    extra: Sequence[Score] = (),
) -> tuple[Score, ...]:
    """Return the scores of `trial` by `scorers`, and the derived `pass`.

    `extra` are scores made elsewhere (a sample's broken checks, its turns); those
    about the whole answer count for `pass` like a primary score.
    """
    if trial.status == "missing":
        return ()
    whole = [score for score in extra if score.part is None]
    if trial.failure is not None:
        kind = trial.failure.kind
        scores = [
            Score(
                scorer=scorer.name,
                version=scorer.version,
                name=scorer.primary,
                value=0.0,
                label=kind,
            )
            for scorer in scorers
        ]
        derived = _own(PASS, 0.0, label=kind, answer=_normalised(trial))
        return (*_numbered(scores), *extra, derived)
    scores = _run(scorers, sample, trial)
    primaries = _primaries(scores, scorers, whole)
    value = _verdict(primaries)
    answer = primaries[0].answer if scorers and primaries else None
    if answer is None:
        answer = _normalised(trial)
    label = None
    latency, limit = trial.latency, spec.accept.latency
    if limit is not None and latency is not None and latency > limit:
        value, label = 0.0, TOO_LATE
    derived = _own(PASS, value, label=label, answer=answer)
    return (*_numbered(scores), *extra, derived)


def _run(scorers: Sequence[Scorer], sample: Sample, trial: Trial) -> list[Score]:
    scores: list[Score] = []
    for scorer in scorers:
        try:
            scores += [_checked(score) for score in scorer.score(sample, trial)]
        except Exception as error:  # noqa: BLE001  # a scorer's bug must not lose the trial
            scores.append(_unscored(scorer.name, scorer.version, scorer.primary, brief(error)))
    return scores


def _checked(score: Score) -> Score:
    value = score.value
    if value is None or 0.0 <= value <= 1.0:
        return score
    return replace(
        score, value=None, label="scorer_error", explanation=f"value {value} is outside 0..1"
    )


def _primaries(
    scores: Sequence[Score], scorers: Sequence[Scorer], whole: Sequence[Score]
) -> list[Score]:
    """Return each scorer's primary score (an unscored one where it gave none), then `whole`."""
    left = [score for score in scores if score.part is None]
    found: list[Score] = []
    for scorer in scorers:
        name, primary = scorer.name, scorer.primary
        for score in left:
            if score.name == primary and score.scorer == name:
                found.append(score)
                left.remove(score)
                break
        else:
            found.append(_unscored(name, scorer.version, primary, "no primary score"))
    return [*found, *whole]


def _verdict(primaries: Sequence[Score]) -> float | None:
    values = [score.value for score in primaries]
    if any(value is not None and value < 1.0 for value in values):
        return 0.0
    return 1.0 if values and None not in values else None


def _numbered(scores: list[Score]) -> list[Score]:
    """Tell apart scores of two scorers of one kind: the second becomes `match#2`."""
    if len(scores) < 2:  # noqa: PLR2004  # one alone collides with nothing
        return scores
    seen: dict[tuple[str, str, str | None], int] = {}
    told: list[Score] = []
    for score in scores:
        mark = (score.scorer, score.name, score.part)
        seen[mark] = count = seen.get(mark, 0) + 1
        told.append(score if count == 1 else replace(score, scorer=f"{score.scorer}#{count}"))
    return told


def _whole_answers(trial: Trial) -> int:
    """Return the number of answers that are whole; one that failed on the way is not."""
    count = len(trial.completions)
    if trial.failure is None or not count:
        return count
    last = trial.completions[-1]
    cut = last.finish_reason == trial.failure.kind or not last.text
    return count - 1 if cut else count


def _own(
    name: str,
    value: float | None,
    *,
    label: str | None = None,
    part: str | None = None,
    answer: Json = None,
) -> Score:
    return Score(
        scorer=OWN,
        version=OWN_VERSION,
        name=name,
        value=value,
        label=label,
        part=part,
        answer=answer,
    )


def _unscored(scorer: str, version: str, name: str, why: str) -> Score:
    return Score(
        scorer=scorer,
        version=version,
        name=name,
        value=None,
        label="scorer_error",
        explanation=why[:500],
    )


def _part(turn: str, inner: str | None) -> str:
    return turn if inner is None else f"{turn}: {inner}"


def _normalised(trial: Trial) -> str:
    return " ".join(trial.output.split())
