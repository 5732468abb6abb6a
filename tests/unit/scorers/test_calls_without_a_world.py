"""Calls written as text reach no tool: what is asked of the world is not held against them."""

from __future__ import annotations

import json
from dataclasses import replace

from befit.core.completion import Completion
from befit.core.message import ToolCall
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.probes.pack import generate
from befit.probes.tools import PACK
from befit.scorers.chain import Chain
from befit.scorers.tool_calls import ToolCalls
from scorer_ground import answered

CALL = '{"name": "close", "arguments": {"order": "o1"}}'
CALLS = [{"name": "close", "arguments": {"order": "o1"}}]
CLOSED = {"orders": {"o1": {"status": "closed"}}}
OPEN = {"orders": {"o1": {"status": "open"}}}


def judged(target, trial):
    sample = Sample(id="s", input="?", target=target)
    found = ToolCalls(ToolCalls.Options()).score(sample, trial)
    return {score.name: score for score in found if score.part is None}


def test_right_calls_in_a_text_are_right_though_the_world_never_saw_them():
    target = {"calls": CALLS, "state": CLOSED}
    found = judged(target, replace(answered(CALL), state=OPEN))
    assert (found["task_complete"].value, found["task_complete"].label) == (1.0, "right")
    assert "written as text" in found["task_complete"].explanation
    assert (found["state_right"].value, found["state_right"].label) == (None, "written_calls")
    wrong = judged(target, replace(answered(CALL.replace("o1", "o2")), state=OPEN))
    assert (wrong["task_complete"].value, wrong["task_complete"].label) == (0.0, "wrong_value")


def test_where_only_the_state_is_asked_calls_in_a_text_are_unscored_and_no_call_is_wrong():
    found = judged({"state": CLOSED}, replace(answered(CALL), state=OPEN))
    assert (found["task_complete"].value, found["task_complete"].label) == (None, "written_calls")
    idle = judged({"state": CLOSED}, replace(answered("It is closed."), state=OPEN))
    assert (idle["task_complete"].value, idle["task_complete"].label) == (0.0, "wrong_state")


def test_calls_of_the_protocol_answer_for_the_state():
    native = Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(),
        completions=(
            Completion(
                text="", tool_calls=(ToolCall(id="1", name="close", arguments='{"order": "o1"}'),)
            ),
        ),
        state=OPEN,
    )
    found = judged({"calls": CALLS, "state": CLOSED}, native)
    assert (found["task_complete"].value, found["task_complete"].label) == (0.0, "wrong_state")


def test_a_model_without_a_tool_interface_can_pass_the_tools_pack():
    for sample in generate(PACK, seed=3, n=6, knobs={"kind": "parallel"}):
        text = "\n".join(json.dumps(call) for call in sample.target["calls"])
        options = ToolCalls.Options.model_validate(sample.checks[0].options)
        trial = replace(answered(text), state=sample.world.state)
        assert ToolCalls(options).score(sample, trial)[0].value == 1.0, sample.id


def test_steps_written_as_lines_are_judged_without_the_world():
    sample = Sample(id="s", input="?", target={"steps": ["pick", "pack"], "state": CLOSED})
    scorer = Chain(Chain.Options())
    done = scorer.score(sample, replace(answered("1. pick\n2. pack"), state=OPEN))
    assert (done[0].value, done[0].label) == (1.0, "right")
    half = scorer.score(sample, replace(answered("1. pick"), state=OPEN))
    assert (half[0].value, half[0].label) == (0.0, "premature_stop")
    none = scorer.score(sample, replace(answered("All done."), state=OPEN))
    assert (none[0].value, none[0].label) == (0.0, "premature_stop")
