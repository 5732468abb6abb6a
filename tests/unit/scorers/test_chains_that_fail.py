from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.failure import Failure
from befit.core.message import Message, ToolCall
from befit.core.sample import Sample
from befit.core.scenario import ScenarioSpec
from befit.core.trial import Trial, TrialKey
from befit.engine.scoring import Scoring
from befit.probes.chains import PACK as CHAINS
from befit.probes.faults import failure_modes
from befit.probes.pack import generate
from befit.scorers.chain import Chain

STEPS = ["login", "search", "pay", "logout"]
DONE, REFUSED = '{"ok": true}', '{"error": "not yet"}'


def trial(*made, failure=None):
    """Return a trial that calls one tool at a time; a name with a `-` is answered by an error."""
    transcript, completions = [Message(role="user", content="?")], []
    for name in made:
        call = ToolCall(id="1", name=name.strip("-"), arguments="{}")
        completions.append(Completion(text="", tool_calls=(call,)))
        answer = REFUSED if name.endswith("-") else DONE
        transcript += [
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", content=answer, tool_call_id="1"),
        ]
    return Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=tuple(transcript),
        completions=tuple(completions),
        failure=failure,
    )


def scores(done, **options):
    scorer = Chain(Chain.Options.model_validate(options))
    return scorer.score(Sample(id="s", input="?", target=STEPS), done)


@pytest.mark.parametrize(
    ("made", "share", "label"),
    [
        (["login-", "search-", "pay-", "logout-"], 0.0, "failed_step"),
        (["login", "search-", "search", "pay", "logout"], 1.0, "right"),
        (["login", "search", "pay-", "logout"], 0.75, "failed_step"),
        (["login", "pay-", "logout-"], 0.25, "skipped_step"),
        (["login", "pay-", "search", "logout-"], 0.5, "out_of_order"),
        (["login", "pay-", "search", "pay", "logout"], 1.0, "out_of_order"),
        (["login", "search"], 0.5, "premature_stop"),
    ],
)
def test_a_step_whose_call_was_answered_with_an_error_is_not_done(made, share, label):
    found = {score.name: score for score in scores(trial(*made)) if score.part is None}
    assert found["steps_done"].value == share
    assert (found["chain"].value, found["chain"].label) == (float(label == "right"), label)


def all_at_once(*names):
    calls = tuple(ToolCall(id=name, name=name, arguments="{}") for name in names)
    answers = (Completion(text="", tool_calls=calls), Completion(text="Done."))
    return Trial(key=TrialKey("c", "e", "i", "", 0), transcript=(), completions=answers)


def test_several_calls_in_one_answer_are_a_fault_only_where_one_at_a_time_is_asked_for():
    made = all_at_once(*STEPS)
    assert scores(made)[0].value == 1.0
    found = scores(made, one_at_a_time=True)
    assert (found[0].value, found[0].label) == (0.0, "several_at_once")
    assert found[0].explanation.startswith("answer 1 makes 4 calls at once: 'login'")
    assert next(s.value for s in found if s.name == "steps_done") == 1.0
    assert scores(trial(*STEPS), one_at_a_time=True)[0].value == 1.0


@pytest.mark.parametrize("told", ["list", "rules"])
def test_the_chains_pack_asks_for_one_call_at_a_time_and_looks(told):
    (sample,) = generate(CHAINS, seed=2, n=1, knobs={"steps": 3, "told": told})
    assert "call one at a time" in sample.input
    options = Chain.Options.model_validate(sample.checks[0].options)
    found = Chain(options).score(sample, all_at_once(*sample.target["steps"]))
    assert "several_at_once" in [score.label for score in found]
    assert "several at once" in [mode.name for mode in failure_modes("chains")]


def test_a_scenario_may_say_that_a_refused_call_is_a_step_all_the_same():
    first = scores(trial("login-", "search", "pay", "logout"), errors=True)[0]
    assert (first.value, first.label) == (1.0, "right")


def test_a_chain_that_loops_until_the_cap_is_broken_at_the_step_it_did_not_reach():
    spec = ScenarioSpec(name="t", dimension="task-chain", success="x", scorers=({"name": "chain"},))
    loop = trial(*["login"] * 5, failure=Failure(kind="cap_reached", message="5 calls"))
    found = Scoring.of(spec).score(Sample(id="s", input="?", target=STEPS), loop)
    whole = {(score.scorer, score.name): score for score in found if score.part is None}
    assert set(whole) == {("chain", "chain"), ("befit", "pass")}
    assert {(one.value, one.label) for one in whole.values()} == {(0.0, "cap_reached")}
    steps = [(score.part, score.value) for score in found if score.name == "step"]
    assert steps == [
        ("step 1: login", 1.0),
        ("step 2: search", 0.0),
        ("step 3: pay", 0.0),
        ("step 4: logout", 0.0),
    ]
