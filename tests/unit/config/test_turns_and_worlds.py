"""Conversations, worlds and judges as people write them in a project file."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError

PROJECT = """
project: talks
candidates:
  - {name: a, target: openai, model: m, base_url: "http://127.0.0.1:9/v1"}
scenarios:
  - name: shop
    dimension: tool-calling
    tools:
      - {name: get_order, parameters: {type: object, properties: {id: {type: string}}}}
    world:
      state: {orders: {o1: {status: open}}}
      actions:
        get_order: {op: get, table: orders, key: id}
    every_turn:
      - match: {contains: "Sir"}
    scorers: [tool_calls, {judge: {rubric: It is polite.}}]
    judges:
      - {name: judge, target: openai, model: m, base_url: "http://127.0.0.1:8/v1", api_key: k}
    user:
      candidate: {name: buyer, target: openai, model: m, base_url: "http://127.0.0.1:7/v1"}
      goal: "You want {thing}."
    samples:
      - id: t
        turns:
          - user: Hello
            constraints: {polite: {match: {contains: "please"}}}
          - {user: "You said {last}", fill: true, branches: [{when: "no", user: "Why?"}]}
          - {user: Bye, lifts: [polite], about: retention, checks: [{match: {contains: bye}}]}
        vars: {thing: a chair}
        target: []
"""


def load(tmp_path, text):
    (tmp_path / "befit.yaml").write_text(text)
    return load_project(tmp_path)


def test_short_forms_are_read_wherever_a_check_may_stand(tmp_path):
    (scenario,) = load(tmp_path, PROJECT).scenarios
    (sample,) = scenario.samples.load()
    assert scenario.spec.every_turn[0].options == {"contains": "Sir"}
    assert sample.turns[0].constraints["polite"].name == "match"
    assert sample.turns[1].branches[0].user == "Why?"
    assert scenario.spec.world.actions["get_order"].table == "orders"
    assert scenario.spec.user.candidate.name == "buyer"
    assert scenario.spec.judges[0].api_key.get_secret_value() == "k"
    assert "'k'" not in str(scenario.spec.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("op: get,", "op: gte,", "op"),
        ("key: id}", "}", "key"),
        ('contains: "please"', "contians: x", "contians"),
        ('when: "no"', 'when: "("', "regular expression"),
    ],
)
def test_a_slip_is_one_line_that_names_the_place(tmp_path, old, new, words):
    assert old in PROJECT
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, PROJECT.replace(old, new))
    assert words in str(caught.value)


def test_fields_that_came_later_leave_older_keys_as_they_were(tmp_path):
    plain = load(
        tmp_path,
        """
project: p
candidates: [{name: a, target: openai, model: m, base_url: "http://127.0.0.1:9/v1"}]
scenarios:
  - name: s
    dimension: knowledge
    scorers: [match]
    samples: [{id: x, turns: [one, two], target: a}]
""",
    )
    (scenario,) = plain.scenarios
    (sample,) = scenario.samples.load()
    prompt = plain.candidates[0].prompt
    assert scenario.spec.execution_fingerprint(prompt) == "8c6f74fb829d65d3cbdb1888"
    assert sample.input_fingerprint == "228efda925f35fe0b0ff709f"
    assert sample.content_fingerprint == "4055872e5b1e3abb2cf5a416"


@pytest.mark.parametrize("name", ["thin", "input"])
def test_a_goal_with_a_variable_no_sample_has_is_refused(tmp_path, name):
    path = tmp_path / "befit.yaml"
    path.write_text(PROJECT.replace("want {thing}", f"want {{{name}}}"), encoding="utf-8")
    with pytest.raises(ProjectError) as caught:
        load_project(path, keys_needed=False)
    (problem,) = caught.value.problems
    told = f"the goal of the simulated user asks for {{{name}}}, which no sample has"
    assert told in problem.what
    assert problem.where.endswith("befit.yaml:21 scenarios[0].user.goal")


def test_an_empty_list_of_scorers_is_said_to_be_one(tmp_path):
    path = tmp_path / "befit.yaml"
    path.write_text(EMPTY, encoding="utf-8")
    told = load_project(path, keys_needed=False).warnings
    assert any("'open' has no scorers (its list of scorers is empty)" in one for one in told)


EMPTY = """
project: empty
candidates: [{name: a, target: openai, model: m, base_url: "http://127.0.0.1:9/v1"}]
scenarios:
  - {name: open, dimension: knowledge, scorers: [], samples: [{id: i, input: q}]}
"""
