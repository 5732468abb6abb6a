"""A conversation is shown turn by turn, each answer with the checks that judged it."""

from __future__ import annotations

import json

import pytest

from befit.testing.exchange import Answer, Call
from cli_ground import befit, provided, write_project

PROJECT = """\
project: talk
candidates:
  - {name: good, target: openai, model: m-good, base_url: "${BASE_URL}", api_key: "${API_KEY}",
     prompt: {system: A secret system prompt.}}
scenarios:
  - {name: talk, dimension: multi-turn, repeats: 1, samples: talk.jsonl}
  - {name: desk, dimension: tool-calling, repeats: 1, samples: desk.jsonl}
  - {name: told, dimension: error-recovery, repeats: 1, samples: {probe: recovery, n: 1}}
"""
CONTAINS = {"match": {"mode": "contains"}}
CAPITALS = {"constraints": {"instructions": [{"kind": "all_uppercase"}]}}
TALK = {
    "id": "t1",
    "turns": [
        {"user": "My number is 4711. Use capitals.", "constraints": {"capitals": CAPITALS}},
        {"user": "What is my number?", "checks": [CONTAINS]},
        {"user": "Bye"},
    ],
    "target": "4711",
}
DESK = {
    "id": "d1",
    "input": "Which room is free?",
    "tools": [{"name": "rooms", "parameters": {"type": "object", "properties": {}}}],
    "world": {"results": {"rooms": [{"result": ["blue"]}]}},
    "target": "blue",
    "checks": [CONTAINS],
}
LONG = "REALLY " * 200
SAID = {
    "My number is 4711. Use capitals.": f"NOTED: {LONG}",
    "What is my number?": "It is 4711",
    "Bye": "GOOD BYE",
}


def talk(ask):
    if ask.tools and not ask.after_tool:
        return Answer(calls=(Call(name="rooms", arguments="{}"),), finish="tool_calls")
    return SAID.get(ask.prompt, "blue is free")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = write_project(tmp_path_factory.mktemp("talk") / "desk", text=PROJECT)
    for name, row in (("talk", TALK), ("desk", DESK)):
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    with provided(folder, answer=talk):
        assert befit("run").code == 0
        return {
            "talk": befit("show", "t1").out,
            "raw": befit("show", "t1", "--raw").out,
            "desk": befit("show", "d1").out,
            "told": befit("show", "recovery-0-001-wrong").out,
        }


def test_every_turn_is_shown_with_what_was_said_and_its_checks(shown):
    lines = [line.strip() for line in shown["talk"].splitlines()]
    first, second, third = (lines.index(next(x for x in lines if x.startswith(f"turn {n}")))
                            for n in (1, 2, 3))  # fmt: skip
    assert lines[first] == "turn 1  pass"
    assert lines[first + 1] == "user: My number is 4711. Use capitals."
    assert lines[first + 2].startswith("assistant: NOTED: REALLY")
    assert lines[second].startswith("turn 2  FAIL  constraint_lost")
    assert lines[second + 1 : second + 3] == ["user: What is my number?", "assistant: It is 4711"]
    judged = lines[second + 3 : third]
    # The words that the check points to stand in this answer, not in the last one.
    assert any("match.match = 1" in one and "matched '4711'" in one for one in judged)
    assert any("constraints.constraints [capitals] = 0" in one for one in judged)
    assert lines[third + 1 : third + 3] == ["user: Bye", "assistant: GOOD BYE"]
    assert "matched ''" not in shown["talk"]
    assert any(one.startswith("befit.constraint_inheritance = 0.5") for one in lines)


def test_long_answers_are_cut_and_shown_whole_with_raw(shown):
    assert LONG.strip() not in shown["talk"]
    assert LONG.strip() in shown["raw"]
    assert "A secret system prompt." not in shown["talk"]
    assert "A secret system prompt." in shown["raw"]


def test_calls_of_tools_and_their_results_stand_in_their_turn(shown):
    lines = [line.strip() for line in shown["desk"].splitlines()]
    at = lines.index("user: Which room is free?")
    assert lines[at + 1] == "assistant: calls rooms({})"
    assert lines[at + 2].startswith("tool")
    assert "blue" in lines[at + 2]
    assert lines[at + 3] == "assistant: blue is free"
    assert any("match.match = 1" in one and "matched 'blue'" in one for one in lines)


def test_a_conversation_that_the_sample_states_is_shown_before_the_answer(shown):
    lines = [line.strip() for line in shown["told"].splitlines()]
    given = lines[lines.index("given") + 1 : lines.index("output")]
    roles = [who for line in given if (who := line.partition(": ")[0]) in {"user", "assistant"}]
    assert roles == ["user", "assistant", "user"]
