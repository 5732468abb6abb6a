"""BFCL's multi-turn cases: a perfect agent is right in every turn, planted faults are found."""

from __future__ import annotations

import asyncio
import json

import pytest

from befit.core.completion import Completion
from befit.core.message import ToolCall
from befit.core.scenario import Caps
from befit.engine.executor import execute
from befit.errors import DataError
from befit.interop.bfcl_turns import read_bfcl_turns
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace
from shared_data import shared


def samples():
    return list(
        read_bfcl_turns(
            shared("bfcl/BFCL_v4_multi_turn_base.json"),
            shared("bfcl/possible_answer/BFCL_v4_multi_turn_base.json"),
        )
    )


def agent(known, spoil):
    """Makes the calls of each turn at once, then says so; `spoil` may change them."""

    def answer(request):
        sample = known[request.metadata["sample"]]
        turn = sum(message.role == "user" for message in request.messages) - 1
        if request.messages[-1].role == "tool":
            return "Done."
        wanted = sample.turns[turn].checks[0].options["target"]["calls"]
        calls = spoil(sample, turn, [dict(call) for call in wanted])
        if not calls:
            return "Nothing to do."
        made = tuple(
            ToolCall(id=f"{turn}-{n}", name=c["name"], arguments=json.dumps(c["arguments"]))
            for n, c in enumerate(calls)
        )
        return Completion(text="", tool_calls=made, finish_reason="tool_calls")

    return Answering(answer)


def passed(tmp_path, found, spoil):
    known = {one.id: one for one in found}
    spec = {"scorers": (), "caps": Caps(steps=40)}
    one = job([candidate()], [scenario(fixed(*found), **spec)])
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": agent(known, spoil)}))
        assert outcome.ok == len(found)
        return {fact.sample_id: fact.passed for fact in store.facts(RUN)}


def test_all_cases_load_with_their_turns_and_tools():
    found = samples()
    assert len(found) == 200
    first = found[0]
    assert [len(turn.checks[0].options["target"]["calls"]) for turn in first.turns] == [3, 2, 1, 4]
    # sort('final_report.pdf') is by place; elsewhere the file names the parameter.
    (call,) = first.turns[2].checks[0].options["target"]["calls"]
    assert call == {"name": "sort", "arguments": {"file_name": "final_report.pdf"}}
    assert "cp" not in {tool.name for tool in first.tools}


def test_a_perfect_agent_is_right_everywhere_and_a_lost_call_is_found(tmp_path):
    found = samples()[:24]
    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    right = passed(tmp_path / "right", found, lambda _, __, calls: calls)
    assert set(right.values()) == {1.0}

    def lose(sample, turn, calls):
        return calls[1:] if int(sample.id.rpartition("_")[2]) % 4 == 0 and turn == 0 else calls

    wrong = passed(tmp_path / "wrong", found, lose)
    lost = {sample for sample, value in wrong.items() if value == 0.0}
    assert lost == {one.id for one in found if int(one.id.rpartition("_")[2]) % 4 == 0}


def test_what_is_no_call_is_refused(tmp_path):
    (tmp_path / "c.json").write_text("")
    (tmp_path / "a.json").write_text('{"id": "x", "ground_truth": [["import os"]]}')
    with pytest.raises(DataError, match="is no call"):
        list(read_bfcl_turns(tmp_path / "c.json", tmp_path / "a.json"))
