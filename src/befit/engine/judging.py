"""Judges as the engine sees them: their questions are samples, their replies are trials.

A question's key follows from the judge's fingerprint and the words of the question
alone, so the same answer is never judged twice for money, a resumed run goes on
where it was, and scoring a run again reads the verdicts from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.fingerprint import fingerprint
from befit.core.protocols import Scorer
from befit.core.run import ManifestCandidate, RunSettings
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.core.trial import Trial, TrialKey
from befit.engine.job import pair
from befit.scorers.judge_options import BASELINE

AGAIN = 20
"""Questions of each scenario that are asked a second time, for the judges' self-agreement."""


@runtime_checkable
class Asking(Protocol):
    """A scorer that asks a model: what the protocol `Judge` adds to a scorer."""

    def ask(self, sample: Sample, trial: Trial, /) -> Sequence[Request]: ...  # noqa: D102

    def read(  # noqa: D102
        self, sample: Sample, trial: Trial, completions: Sequence[Completion], /
    ) -> Sequence[Score]: ...


class Answers(Protocol):
    """Finished trials by their key id, as every store gives them."""

    def trials(self, key_ids: Sequence[str], /) -> Mapping[str, Trial]: ...  # noqa: D102


def judging_spec(scenario: str, *, repeats: int = 1) -> ScenarioSpec:
    """Return the scenario under which questions about `scenario` are asked."""
    return ScenarioSpec(
        name=scenario, dimension="judging", scorers=(), repeats=repeats, success="a verdict"
    )


def questions(scorer: Asking, sample: Sample, trial: Trial) -> Iterator[Sample]:
    """Yield the questions about a trial as samples; equal questions have equal ids."""
    for request in scorer.ask(sample, trial):
        messages = tuple(request.messages)
        words = [[message.role, message.text] for message in messages]
        yield Sample(id=fingerprint(words), input=messages)


def judge_settings(settings: RunSettings) -> RunSettings:
    """Return the settings of judging: the label of the judged run sets no verdicts apart."""
    return settings.model_copy(update={"label": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The judges of a scenario, and where their replies are."""

    judges: tuple[Candidate, ...]
    settings: RunSettings
    answers: Answers
    rivals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name of each candidate of the run -> its fingerprint and execution fingerprint."""

    def opposed(self, scorer: object, sample: Sample, trial: Trial) -> Sample:
        """Return the sample with the rival's answer, where the scorer sets one against another.

        The rival's trial has the same input, variant and repeat. Where it is the judged
        trial itself, or has no answer, the sample stays as it is and nothing is asked.
        """
        found = self.rivals.get(str(getattr(scorer, "against", None)))
        if found is None or trial.key.candidate == found[0]:
            return sample
        key = trial.key._replace(candidate=found[0], execution=found[1]).id
        rival = self.answers.trials([key]).get(key)
        if rival is None or rival.status != "ok":
            return sample
        return sample.model_copy(update={"vars": {**sample.vars, BASELINE: rival.output}})

    def keys(self, judge: Candidate, asked: Sequence[Sample]) -> list[TrialKey]:
        """Return the keys of a judge's replies to questions."""
        entry = ManifestCandidate(
            candidate=judge, fingerprint=judge.fingerprint, price=None, price_snapshot=None
        )
        pairing = pair(entry, judging_spec("judging"), judge_settings(self.settings))
        return [
            pairing.slot(one, input_fingerprint=one.input_fingerprint, repeat=0).key
            for one in asked
        ]


class Judged:
    """A judge's scorer that reads the stored replies; unscored while one is missing."""

    def __init__(self, scorer: Scorer, bench: Bench) -> None:
        self._scorer = scorer
        self._bench = bench
        self.name = scorer.name
        self.primary = scorer.primary
        self.needs_target = scorer.needs_target
        prints = "+".join(judge.fingerprint[:8] for judge in bench.judges)
        self.version = f"{scorer.version}+{prints}"

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return what the judges have said of this trial."""
        scorer = self._scorer
        if not isinstance(scorer, Asking):
            return scorer.score(sample, trial)
        sample = self._bench.opposed(scorer, sample, trial)
        asked = list(questions(scorer, sample, trial))
        keys = [key.id for judge in self._bench.judges for key in self._bench.keys(judge, asked)]
        found = self._bench.answers.trials(keys)
        if any(key not in found for key in keys):
            scores = scorer.score(sample, trial)
        else:
            scores = scorer.read(sample, trial, [_reply(found[key]) for key in keys])
        return [replace(score, version=self.version) for score in scores]


def _reply(trial: Trial) -> Completion:
    """Return a judge's reply; one that failed by its own fault said nothing."""
    if trial.failure is not None or not trial.completions:
        return Completion(text="")
    return trial.completions[-1]
