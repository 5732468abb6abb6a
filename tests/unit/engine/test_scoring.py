from __future__ import annotations

import pytest

from befit.core.completion import Completion, Timing
from befit.core.failure import Failure
from befit.core.record import Record
from befit.core.sample import Sample, ScorerSpec, Turn
from befit.core.scenario import Accept, ScenarioSpec
from befit.core.score import Score
from befit.core.trial import Trial, TrialKey
from befit.engine.building import build_scorers
from befit.engine.scoring import Scoring, score_trial
from befit.errors import ConfigError, PluginError

KEY = TrialKey("c", "e", "i", "", 0)
SAMPLE = Sample(id="s", input="q", target="42")
SPEC = ScenarioSpec(name="s", dimension="knowledge")


class Saying:
    """A scorer that gives the value it was made with."""

    class Options(Record):
        pass

    version = "1"
    needs_target = False

    def __init__(self, name, value, *, answer=None, more=()):
        self.name = self.primary = name
        self.value = value
        self.answer = answer
        self.more = more

    def score(self, _sample, _trial):
        if isinstance(self.value, Exception):
            raise self.value
        own = Score(
            scorer=self.name, version="1", name=self.name, value=self.value, answer=self.answer
        )
        return [own, *self.more]


def trial(text="42", *, failure=None, seconds=1.0, answers=None):
    texts = answers if answers is not None else [text]
    return Trial(
        key=KEY,
        transcript=(),
        completions=tuple(Completion(text=t, timing=Timing(end=seconds)) for t in texts),
        failure=failure,
    )


def passed(*scorers, spec=SPEC, of=None):
    scores = score_trial(SAMPLE, trial() if of is None else of, scorers, spec)
    return next(s for s in scores if s.scorer == "befit" and s.name == "pass")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 1.0], 1.0),
        ([1.0, 0.0], 0.0),
        ([1.0, 0.9], 0.0),
        ([1.0, None], None),
        ([0.0, None], 0.0),
        ([None], None),
        ([], None),
    ],
)
def test_a_trial_passes_when_every_primary_score_is_one(values, expected):
    scorers = [Saying(f"x{i}", value) for i, value in enumerate(values)]
    assert passed(*scorers).value == expected


def test_a_missing_trial_gets_no_score_at_all():
    lost = trial(answers=[], failure=Failure(kind="server", message="500"))
    assert score_trial(SAMPLE, lost, [Saying("x", 1.0)], SPEC) == ()


def test_the_candidates_own_failure_is_zero_in_every_scorer_without_asking_it():
    failed = trial(answers=[], failure=Failure(kind="empty", message="no text"))
    scorers = [Saying("x", AssertionError("asked")), Saying("y", 1.0)]
    scores = score_trial(SAMPLE, failed, scorers, SPEC)
    assert [(s.name, s.value, s.label) for s in scores] == [
        ("x", 0.0, "empty"),
        ("y", 0.0, "empty"),
        ("pass", 0.0, "empty"),
    ]


def test_a_scorer_that_breaks_leaves_the_trial_unscored_and_says_why():
    scores = score_trial(SAMPLE, trial(), [Saying("x", ValueError("oops")), Saying("y", 1.0)], SPEC)
    assert [(s.name, s.value) for s in scores] == [("x", None), ("y", 1.0), ("pass", None)]
    assert scores[0].explanation == "ValueError: oops"


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), float("inf")])
def test_a_value_outside_zero_to_one_is_no_score(value):
    scores = score_trial(SAMPLE, trial(), [Saying("x", value)], SPEC)
    assert [s.value for s in scores] == [None, None]


def test_the_answer_is_the_first_scorers_else_the_output_with_even_spaces():
    assert passed(Saying("x", 1.0, answer=42), Saying("y", 1.0, answer=7)).answer == 42
    assert passed(Saying("x", 1.0), of=trial("  4\n 2 ")).answer == "4 2"
    assert passed().answer == "42"


def test_an_answer_later_than_accepted_fails_as_too_late():
    slow = ScenarioSpec(name="s", dimension="knowledge", accept=Accept(latency=2.0))
    assert passed(Saying("x", 1.0), spec=slow, of=trial(seconds=2.0)).value == 1.0
    late = passed(Saying("x", 1.0), spec=slow, of=trial(seconds=2.1))
    assert (late.value, late.label) == (0.0, "too_late")


def test_details_do_not_decide_and_primaries_do():
    detail = Score(scorer="x", version="1", name="x", value=0.0, part="field")
    assert passed(Saying("x", 1.0, more=[detail])).value == 1.0


def test_two_scorers_of_one_kind_are_told_apart_and_both_count():
    scores = score_trial(SAMPLE, trial(), [Saying("x", 1.0), Saying("x", 0.0)], SPEC)
    assert [(s.scorer, s.value) for s in scores] == [("x", 1.0), ("x#2", 0.0), ("befit", 0.0)]


def test_a_samples_own_checks_are_further_scorers():
    check = ScorerSpec(name="match", options={"accepted": ["41"]})
    checked = SAMPLE.model_copy(update={"checks": (check,)})
    spec = ScenarioSpec(name="s", dimension="knowledge", scorers=(ScorerSpec(name="match"),))
    scores = Scoring.of(spec).score(checked, trial())
    assert [(s.scorer, s.name, s.value) for s in scores] == [
        ("match", "match", 1.0),
        ("match#2", "match", 0.0),
        ("befit", "pass", 0.0),
    ]


def test_a_check_that_cannot_be_built_leaves_the_trial_unscored():
    checked = SAMPLE.model_copy(update={"checks": (ScorerSpec(name="metch"),)})
    scores = Scoring(SPEC, [Saying("x", 1.0)]).score(checked, trial())
    assert [(s.scorer, s.value) for s in scores] == [("x", 1.0), ("metch", None), ("befit", None)]
    assert "did you mean 'match'" in scores[1].explanation


def test_turns_are_judged_by_their_own_checks_on_their_own_answers():
    def check(text):
        return (ScorerSpec(name="match", options={"accepted": [text]}),)

    talk = Sample(
        id="t",
        turns=(
            Turn(user="one", checks=check("a")),
            Turn(user="two"),
            Turn(user="three", checks=check("b")),
        ),
    )
    scores = Scoring(SPEC, ()).score(talk, trial(answers=["a", "-", "wrong"]))
    own = {(s.name, s.part): s.value for s in scores if s.scorer == "befit"}
    assert own == {
        ("conversation", "turn 1"): 1.0,
        ("conversation", "turn 3"): 0.0,
        ("conversation", None): 0.5,
        ("pass", None): 0.0,
    }


def test_turns_that_were_not_reached_are_failed():
    talk = Sample(
        id="t",
        turns=(Turn(user="1", checks=(ScorerSpec(name="match", options={"accepted": ["a"]}),)),),
    )
    failed = trial(answers=[], failure=Failure(kind="content_filter", message=""))
    scores = Scoring(SPEC, ()).score(talk, failed)
    assert [(s.name, s.part, s.value, s.label) for s in scores] == [
        ("conversation", "turn 1", 0.0, "not_reached"),
        ("conversation", None, 0.0, None),
        ("pass", None, 0.0, "content_filter"),
    ]


def test_unknown_scorers_and_options_are_one_clear_line():
    with pytest.raises(PluginError, match="unknown scorer 'metch'"):
        build_scorers([ScorerSpec(name="metch")], where="x.yaml:3")
    with pytest.raises(ConfigError, match="scorer 'match' does not take these options") as told:
        build_scorers([ScorerSpec(name="match", options={"numerik": True})], where="x.yaml:3")
    assert told.value.where == "x.yaml:3"
    assert "did you mean 'numeric'" in told.value.why
