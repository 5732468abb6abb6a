"""The contract of a scorer, for plug-in authors.

class TestMine(ScorerContract):
    def scorer(self): return Mine(Mine.Options(...))
    def sample(self): return Sample(id="1", input="2 + 2", target="4")
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson
import pytest
from pydantic import ValidationError

from befit.core.completion import Completion
from befit.core.message import Message
from befit.core.protocols import Scorer
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial, TrialKey

HOSTILE = (
    "",
    " \n\t",
    "42",
    '{"a": 1}',
    '{"a": 1, "a": 2}',
    '```json\n{"a": 1}',
    "```" * 400,
    "[" * 20_000,
    '{"a":' * 5_000,
    "a" * 50_000,
    "((((" * 2_000 + "!",
    "1" * 5_000,
    "1e999999",
    "NaN Infinity -0",
    "| a | b |\n|---|\n| 1 |",
    "\ud800 lone surrogate \udfff",
    "nul \x00 escape \x1b[2J bell \x07",
    "\u202eright to left\u202c ﬁ İ ß",
    "<script>alert(1)</script>{{ 7 * 7 }}",
    "\\boxed{" * 1_000,
)
"""Model output is hostile text: none of these may make a scorer raise or hang."""


def trial_of(output: str) -> Trial:
    """Return a finished trial with this output."""
    return Trial(
        key=TrialKey(candidate="c", execution="e", input="i", variant="", repeat=0),
        transcript=(
            Message(role="user", content="contract"),
            Message(role="assistant", content=output),
        ),
        completions=(Completion(text=output, finish_reason="stop"),),
    )


class ScorerContract:
    """What every scorer keeps to. Subclass it as a pytest class; give `scorer` and `sample`."""

    def scorer(self) -> Scorer:
        """Return a fresh scorer."""
        raise TypeError("a subclass of ScorerContract has to define scorer()")

    def sample(self) -> Sample:
        """Return a sample the scorer can judge answers to."""
        raise TypeError("a subclass of ScorerContract has to define sample()")

    def test_it_is_a_scorer_that_says_what_it_is(self) -> None:
        """Name, version and primary are there before anything is scored."""
        scorer = self.scorer()
        assert isinstance(scorer, Scorer)
        assert scorer.name
        assert scorer.version
        assert scorer.primary
        assert isinstance(scorer.needs_target, bool)

    def test_its_options_refuse_unknown_keys(self) -> None:
        """So that a typo in a project file is an error."""
        options = getattr(type(self.scorer()), "Options", None)
        assert options is not None
        with pytest.raises(ValidationError):
            options.model_validate({"no_such_option_of_any_scorer": 1})

    def test_any_output_gets_sound_scores(self) -> None:
        """One primary score of the whole; values None or 0..1; evidence that can be kept."""
        scorer, sample = self.scorer(), self.sample()
        for output in HOSTILE:
            _check(scorer, output, scorer.score(sample, trial_of(output)))

    def test_the_same_trial_always_gets_the_same_scores(self) -> None:
        """Pure: no state, no clock, no chance."""
        one, two, sample = self.scorer(), self.scorer(), self.sample()
        trials = [trial_of(output) for output in HOSTILE]
        forwards = [list(one.score(sample, trial)) for trial in trials]
        backwards = [list(two.score(sample, trial)) for trial in reversed(trials)]
        assert forwards == backwards[::-1]
        assert one.version == two.version

    def test_without_a_target_a_scorer_that_needs_one_leaves_the_trial_unscored(self) -> None:
        """Unscored is None; 0 would say that the answer is wrong."""
        scorer = self.scorer()
        bare = self.sample().model_copy(update={"target": None})
        scores = scorer.score(bare, trial_of("an answer"))
        whole = [s for s in scores if s.name == scorer.primary and s.part is None]
        assert len(whole) == 1
        if scorer.needs_target:
            assert whole[0].value is None


def _check(scorer: Scorer, output: str, scores: Sequence[Score]) -> None:
    whole = [score for score in scores if score.name == scorer.primary and score.part is None]
    assert len(whole) == 1, output[:50]
    for score in scores:
        assert score.scorer == scorer.name
        assert score.version == scorer.version
        assert score.value is None or 0.0 <= score.value <= 1.0
        evidence = (score.answer, score.label, score.part, score.rule, score.explanation)
        orjson.dumps(evidence)  # what cannot be encoded cannot be stored
        if score.span is not None:
            start, end = score.span
            assert 0 <= start <= end <= len(output)
