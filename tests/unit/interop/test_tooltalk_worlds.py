"""ToolTalk conversations run against simulated worlds, with the recorded calls as the agent."""

from __future__ import annotations

import asyncio
import json

import pytest

from befit.core.completion import Completion
from befit.core.message import ToolCall
from befit.engine.executor import execute
from befit.interop.tooltalk import read_tooltalk
from engine_ground import RUN, Answering, candidate, completion, fixed, job, scenario, workspace
from shared_data import shared


def conversations(folder):
    files = sorted(shared(f"tooltalk/{folder}").glob("*.json"))
    return {c["name"]: c for c in (json.loads(file.read_bytes()) for file in files)}


def agent(recorded):
    """Makes the recorded calls of each turn, in one completion each, then says the text."""

    def answer(request):
        turns = recorded[request.metadata["sample"]]["conversation"]
        done = sum(1 for m in request.messages if m.role == "user")
        users = [place for place, turn in enumerate(turns) if turn["role"] == "user"]
        place = users[done - 1] + 1
        reply = turns[place] if place < len(turns) else {}
        since = list(request.messages)
        while since and since[0] is not [m for m in request.messages if m.role == "user"][-1]:
            since.pop(0)
        made = sum(1 for m in since if m.role == "tool")
        calls = reply.get("apis") or []
        if made < len(calls):
            ask = calls[made]["request"]
            call = ToolCall(
                id=f"{done}-{made}", name=ask["api_name"], arguments=json.dumps(ask["parameters"])
            )
            return Completion(text="", tool_calls=(call,))
        return completion(reply.get("text") or "Goodbye.")

    return Answering(answer)


@pytest.mark.parametrize(("folder", "count"), [("easy", 28), ("tooltalk", 50)])
def test_every_conversation_loads_and_runs_with_its_recorded_calls(tmp_path, folder, count):
    recorded = conversations(folder)
    samples = list(
        read_tooltalk(shared(f"tooltalk/{folder}"), databases=shared("tooltalk/databases"))
    )
    assert len(samples) == len(recorded) == count
    one = job([candidate()], [scenario(fixed(*samples), scorers=())])
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": agent(recorded)}))
        assert (outcome.ok, outcome.missing) == (count, 0)
        passed = {f.sample_id: f.passed for f in store.facts(RUN)}
        trials = {f.sample_id: store.trial(f.key_id) for f in store.facts(RUN)}
    assert [name for name, value in passed.items() if value != 1.0] == []
    wrong, total = [], 0
    for name, trial in trials.items():
        told = [json.loads(m.content) for m in trial.transcript if m.role == "tool"]
        due = [call for turn in recorded[name]["conversation"] for call in turn.get("apis") or ()]
        for said, call in zip(told, due, strict=True):
            total += 1
            if ("error" in said) != bool(call["exception"]):
                wrong.append((name, call["request"]["api_name"], said))
    assert wrong == []
    assert total == {"easy": 28, "tooltalk": 238}[folder]


def test_the_world_keeps_what_calls_have_changed(tmp_path):
    recorded = conversations("easy")
    samples = read_tooltalk(shared("tooltalk/easy"), databases=shared("tooltalk/databases"))
    (alarm,) = [s for s in samples if s.id == "DeleteAlarm-easy"]
    one = job([candidate()], [scenario(fixed(alarm), scorers=())])
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": agent(recorded)}))
        (fact,) = store.facts(RUN)
        trial = store.trial(fact.key_id)
    user = alarm.world.state["user"]
    before = set(alarm.world.state["databases"]["Alarm"][user])
    assert before - set(trial.state["databases"]["Alarm"][user]) == {"593d-49e9"}
