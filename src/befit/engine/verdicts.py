"""How scores of several scorers become one verdict: the rules that scoring and turns share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from befit.core.protocols import Scorer
from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.engine.building import brief

OWN = "befit"
OWN_VERSION = "2"


def run_scorers(scorers: Sequence[Scorer], sample: Sample, trial: Trial) -> list[Score]:
    """Return the scores of all scorers; one that breaks leaves the trial unscored by it."""
    scores: list[Score] = []
    for scorer in scorers:
        try:
            scores += [_checked(score) for score in scorer.score(sample, trial)]
        except Exception as error:  # noqa: BLE001  # a scorer's bug must not lose the trial
            scores.append(unscored(scorer.name, scorer.version, scorer.primary, brief(error)))
    return scores


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
    values = [score.value for score in found]
    if any(value is not None and value < 1.0 for value in values):
        return 0.0
    return 1.0 if values and None not in values else None


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
