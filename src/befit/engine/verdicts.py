"""How scores of several scorers become one verdict: the rules that scoring and turns share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from befit.core.protocols import Reaching, Scorer
from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.engine.building import brief
from befit.plugins import OwnCode, contained
from befit.scorers.patterns import SlowPatternError

OWN = "befit"
OWN_VERSION = "2"
SLOW_PATTERN = "pattern_timeout"
GIVE_UP = 20
"""Answers on which a scorer's pattern may run out of time before the scorer is given up."""


class Patience:
    """What has been seen of patterns that take too long, so that not every answer waits for them.

    A scorer whose patterns ran out of time on 20 answers is not asked again: the
    rest of the run's answers stay unscored by it, and the pattern is named.
    """

    def __init__(self) -> None:
        self._stopped: dict[tuple[str, str], int] = {}
        self._why: dict[tuple[str, str], str] = {}

    def lost(self, scorer: Scorer) -> str | None:
        """Return why this scorer is given up, None where it is not."""
        if not self._stopped:
            return None
        key = scorer.name, scorer.version
        return self._why[key] if self._stopped.get(key, 0) >= GIVE_UP else None

    def note(self, scorer: Scorer, error: SlowPatternError) -> None:
        """Count an answer on which a pattern ran out of time."""
        key = scorer.name, scorer.version
        self._stopped[key] = self._stopped.get(key, 0) + 1
        self._why[key] = str(error)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for each scorer that was stopped."""
        return tuple(
            f"{name}: answers are unscored because {why}" for (name, _), why in self._why.items()
        )


def run_scorers(
    scorers: Sequence[Scorer], sample: Sample, trial: Trial, patience: Patience | None = None
) -> list[Score]:
    """Return the scores of all scorers; one that breaks leaves the trial unscored by it."""
    scores: list[Score] = []
    for scorer in scorers:
        given_up = None if patience is None else patience.lost(scorer)
        if given_up is not None:
            scores.append(_too_slow(scorer, f"given up after {GIVE_UP} answers: {given_up}"))
            continue
        try:
            scores += [_checked(score) for score in scorer.score(sample, trial)]
        except SlowPatternError as error:
            if patience is not None:
                patience.note(scorer, error)
            scores.append(_too_slow(scorer, str(error)))
        except BaseException as error:
            bug = contained(error)  # a scorer's bug must not lose the trial
            if bug is None:
                raise
            scores.append(unscored(scorer.name, scorer.version, scorer.primary, brief(bug)))
    return scores


def how_far(scorers: Sequence[Scorer], sample: Sample, trial: Trial) -> list[Score]:
    """Return the parts of an answer that the candidate itself broke off, where a scorer has any."""
    scores: list[Score] = []
    for scorer in scorers:
        if isinstance(scorer, Reaching):
            with suppress(Exception), OwnCode():  # a scorer's bug must not lose the trial
                scores += [_checked(score) for score in scorer.reached(sample, trial)]
    return scores


def _too_slow(scorer: Scorer, why: str) -> Score:
    found = unscored(scorer.name, scorer.version, scorer.primary, why)
    return replace(found, label=SLOW_PATTERN)


def _checked(score: Score) -> Score:
    value = score.value
    if value is None or 0.0 <= value <= 1.0:
        return score
    return replace(
        score, value=None, label="scorer_error", explanation=f"value {value} is outside 0..1"
    )


def primaries(
    scores: Sequence[Score], scorers: Sequence[Scorer], whole: Sequence[Score]
) -> list[Score]:
    """Return each scorer's primary score (an unscored one where it gave none), then `whole`."""
    if len(scorers) == len(scores) == 1 and not whole:
        (score,), (scorer,) = scores, scorers
        if score.part is None and score.name == scorer.primary and score.scorer == scorer.name:
            return [score]
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
            found.append(unscored(name, scorer.version, primary, "no primary score"))
    return [*found, *whole]


def verdict(found: Sequence[Score]) -> float | None:
    """Return 0 where one is below 1, 1 where all are 1, else None."""
    passed = bool(found)
    for score in found:
        value = score.value
        if value is None:
            passed = False
        elif value < 1.0:
            return 0.0
    return 1.0 if passed else None


def own(
    name: str,
    value: float | None,
    *,
    label: str | None = None,
    part: str | None = None,
    answer: Json = None,
    explanation: str | None = None,
) -> Score:
    """Return a score that befit derives itself."""
    return Score(
        scorer=OWN,
        version=OWN_VERSION,
        name=name,
        value=value,
        label=label,
        part=part,
        answer=answer,
        explanation=explanation,
    )


def unscored(scorer: str, version: str, name: str, why: str) -> Score:
    """Return the score of a scorer that could not judge."""
    return Score(
        scorer=scorer,
        version=version,
        name=name,
        value=None,
        label="scorer_error",
        explanation=why[:500],
    )
