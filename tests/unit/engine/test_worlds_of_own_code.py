"""A world in Python that gives what is no JSON: its author's mistake, and no candidate's."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from befit.core.message import Tool, ToolCall
from befit.core.sample import Sample, ScorerSpec
from befit.core.world import World
from befit.engine.executor import execute
from engine_ground import RUN, Answering, candidate, completion, fixed, job, scenario, workspace

TARGET = ({"name": "look"},)


def gives_a_set(_name, _given, _state):
    return {"open": {1, 2}}


def gives_number_keys(_name, _given, _state):
    return {1: "one"}


def spoils_the_state(_name, _given, state):
    state["seen"] = {object()}
    return "ok"


def gives_json(_name, _given, state):
    state["seen"] = [*state.get("seen", []), len(state)]
    return {"at": datetime(2026, 1, 1, tzinfo=UTC), "open": [1, 2]}


def calls(request):
    """Look once, then answer."""
    if any(message.role == "tool" for message in request.messages):
        return completion("done")
    asked = ToolCall(id="c", name="look", arguments="{}")
    return replace(completion(""), tool_calls=(asked,), finish_reason="tool_calls")


def held(tmp_path, function, *, n=3):
    world = World(python=f"{__name__}:{function.__name__}", state={"a": 1})
    samples = [
        Sample(id=f"s{i}", input=f"go {i}", world=world, tools=(Tool(name="look"),), target=TARGET)
        for i in range(n)
    ]
    scorers = (ScorerSpec(name="tool_calls"),)
    one = job([candidate()], [scenario(fixed(*samples), scorers=scorers)])
    with workspace(tmp_path, one) as store:
        run = execute(one, store=store, targets={"a": Answering(calls)})
        outcome = asyncio.run(asyncio.wait_for(run, 20))
        facts = list(store.facts(RUN))
        trials = [store.trial(fact.key_id) for fact in facts]
        return outcome, trials, list(store.scores(RUN))


@pytest.mark.parametrize(
    ("function", "did"),
    [
        (gives_a_set, "returned what is no JSON, called as 'look': Type is not JSON"),
        (gives_number_keys, "returned what is no JSON, called as 'look': Dict key must be str"),
        (spoils_the_state, "left in the state what is no JSON, called as 'look'"),
    ],
)
def test_what_is_no_json_is_told_once_and_no_candidate_is_blamed(tmp_path, function, did):
    outcome, trials, scores = held(tmp_path, function)
    (told,) = outcome.warnings
    assert told.startswith(f"a mistake of the project, of no candidate: {__name__}:")
    assert did in told
    assert (outcome.missing, outcome.candidate_failures, outcome.ok) == (3, 0, 0)
    assert scores == []
    for trial in trials:
        assert trial.failure.kind == "scripted_turn"
        assert trial.failure.blame == "configuration"
        assert trial.state == {"a": 1}


def test_what_can_be_sent_as_json_is_answered_and_its_state_kept(tmp_path):
    outcome, trials, _ = held(tmp_path, gives_json, n=1)
    assert (outcome.ok, outcome.warnings) == (1, ())
    (answer,) = [message for message in trials[0].transcript if message.role == "tool"]
    assert answer.content == '{"at":"2026-01-01T00:00:00+00:00","open":[1,2]}'
    assert trials[0].state == {"a": 1, "seen": [1]}
