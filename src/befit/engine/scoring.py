"""Scoring: a trial becomes scores, without any call, as often as one likes.

The rules of right, wrong and unscored are kept here and nowhere else:

- a missing trial gets no score at all;
- a candidate's own failure gets 0 in every scorer's primary score, with the parts of the
  scorers that can say how far it got (`Reaching`);
- a scorer that breaks leaves the trial unscored (None), never lost, never 0;
- `pass` is 1 when every primary score is 1, 0 when one is below, else None.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from befit.core.fingerprint import canonical_json
from befit.core.protocols import Scorer
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import ScenarioSpec
from befit.core.score import Score
from befit.core.trial import Trial
from befit.engine.building import build_scorer, build_scorers
from befit.engine.job import merge_tools
from befit.engine.judging import Asking, Bench, Judged
from befit.engine.turns import CONVERSATION, has_turn_checks, turn_scores
from befit.engine.verdicts import Patience, how_far, own, primaries, run_scorers, unscored, verdict
from befit.errors import BefitError

PASS = "pass"  # noqa: S105  # the name of a score, not a password
TOO_LATE = "too_late"
_CACHE_SIZE = 256


class Scoring:
    """The scorers of one scenario, with those of single samples built when they come."""

    def __init__(
        self, spec: ScenarioSpec, scorers: Sequence[Scorer], *, bench: Bench | None = None
    ) -> None:
        self._spec = spec
        self._bench = bench if bench is not None and bench.judges else None
        self._scorers = tuple(self._judging(scorer) for scorer in scorers)
        self._built: OrderedDict[str, Scorer | str] = OrderedDict()
        self._patience = Patience()
        self._foreign = any(map(is_foreign, self._scorers)) or any(
            self._foreign_spec(check) for check in spec.every_turn
        )

    @classmethod
    def of(cls, spec: ScenarioSpec, *, bench: Bench | None = None) -> Scoring:
        """Build the scorers of `spec`; raises as `build_scorers` does.

        With a `bench`, scorers that ask judges read their stored replies.
        """
        scorers = build_scorers(spec.scorers, where=f"scenario '{spec.name}'")
        return cls(spec, scorers, bench=bench)

    def _judging(self, scorer: Scorer) -> Scorer:
        if self._bench is None or isinstance(scorer, Judged) or not isinstance(scorer, Asking):
            return scorer
        return Judged(scorer, self._bench)

    def twin(self) -> Scoring:
        """Return the same scorers for another thread, with a cache and counts of its own."""
        return Scoring(self._spec, self._scorers, bench=self._bench)

    def is_foreign(self, sample: Sample, trial: Trial) -> bool:
        """Tell whether code that is not befit's has to judge `trial`."""
        if trial.failure is not None:
            return False
        if self._foreign:
            return True
        if not (sample.checks or sample.turns):
            return False
        specs = [*sample.checks]
        for turn in sample.turns:
            specs += (*turn.checks, *turn.constraints.values())
        return any(self._foreign_spec(spec) for spec in specs)

    def _foreign_spec(self, spec: ScorerSpec) -> bool:
        found = self._cached(spec)
        return not isinstance(found, str) and is_foreign(found)

    def score(self, sample: Sample, trial: Trial) -> tuple[Score, ...]:
        """Return all scores of `trial`, the derived `pass` last."""
        extra: list[Score] = []
        scorers = self._scorers
        if sample.checks:
            built, broken = self._checks(sample.checks)
            if sample.target is None:
                # Judged by its own checks: what compares with a target has nothing to say.
                scorers = tuple(scorer for scorer in scorers if not scorer.needs_target)
            scorers, extra = (*scorers, *built), broken
        if self._spec.tools:
            # Scorers see the tools the candidate was offered, the scenario's among them.
            offered = merge_tools(self._spec.tools, sample.tools)
            sample = sample.model_copy(update={"tools": offered})
        if has_turn_checks(sample, self._spec):
            extra += turn_scores(sample, trial, self._spec, self._checks)
        return score_trial(sample, trial, scorers, self._spec, extra=extra, patience=self._patience)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say which scorers could not judge because a pattern took too long."""
        return self._patience.warnings

    def turn_fails(self, sample: Sample, trial: Trial) -> bool:
        """Tell whether the last answer of an unfinished conversation fails its turn's checks."""
        turns = sample.turns[: len(trial.turn_ends)]
        so_far = sample.model_copy(update={"turns": turns})
        if not has_turn_checks(so_far, self._spec):
            return False
        name = f"turn {len(trial.turn_ends)}"
        scores = turn_scores(so_far, trial, self._spec, self._checks)
        return any(s.name == CONVERSATION and s.part == name and s.value == 0.0 for s in scores)

    def _checks(self, specs: Sequence[ScorerSpec]) -> tuple[list[Scorer], list[Score]]:
        built: list[Scorer] = []
        broken: list[Score] = []
        for spec in specs:
            found = self._cached(spec)
            if isinstance(found, str):
                broken.append(unscored(spec.name, "", spec.name, found))
            else:
                built.append(found)
        return built, broken

    def _cached(self, spec: ScorerSpec) -> Scorer | str:
        key = canonical_json([spec.name, spec.options])
        if key in self._built:
            self._built.move_to_end(key)
            return self._built[key]
        try:
            made = build_scorer(spec, where="a sample's checks")
            found: Scorer | str = self._judging(made)
        except BefitError as error:
            found = str(error)
        self._built[key] = found
        if len(self._built) > _CACHE_SIZE:
            self._built.popitem(last=False)
        return found


def is_foreign(scorer: Scorer) -> bool:
    """Tell whether a scorer runs code that is not befit's: it may be slow, or never return."""
    kind = type(scorer)
    return getattr(kind, "runs_user_code", False) or not kind.__module__.startswith("befit.")


def score_trial(
    sample: Sample,
    trial: Trial,
    scorers: Sequence[Scorer],
    spec: ScenarioSpec,
    *,
    extra: Sequence[Score] = (),
    patience: Patience | None = None,
) -> tuple[Score, ...]:
    """Return the scores of `trial` by `scorers`, and the derived `pass`.

    `extra` are scores made elsewhere (a sample's broken checks, its turns); those
    about the whole answer count for `pass` like a primary score.
    """
    if trial.status == "missing":
        return ()
    whole = [score for score in extra if score.part is None] if extra else ()
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
        scores += how_far(scorers, sample, trial)
        derived = own(PASS, 0.0, label=kind, answer=_normalised(trial))
        return (*_numbered(scores), *extra, derived)
    scores = run_scorers(scorers, sample, trial, patience)
    firsts = primaries(scores, scorers, whole)
    value = verdict(firsts)
    answer = firsts[0].answer if scorers and firsts else None
    if answer is None:
        answer = _normalised(trial)
    label = None
    limit = spec.accept.latency
    if limit is not None and (latency := trial.latency) is not None and latency > limit:
        value, label = 0.0, TOO_LATE
    derived = own(PASS, value, label=label, answer=answer)
    return (*_numbered(scores), *extra, derived)


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


def _normalised(trial: Trial) -> str:
    return " ".join(trial.output.split())
