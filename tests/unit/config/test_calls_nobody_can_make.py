"""A call that is wanted of a tool nobody is offered is told before a call is paid."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError

PROJECT = """\
project: desk
candidates:
  - {name: a, target: TARGET, model: m}
  - {name: b, target: openai, model: n}
scenarios:
  - name: desk
    dimension: tool-calling
    scorers: [{tool_calls: {read: READ}}]
    samples:
      - {id: one, input: Look up 7., target: [{name: look_up}]}
      - {id: two, input: Look up 8., target: [{name: look_up}]}
      - {id: none, input: Hello., target: []}
"""
UNOFFERED = "samples of 'desk' want calls of 'look_up', but no tool is offered"


def load(folder, *, target="openai", read="auto", text=PROJECT):
    project = text.replace("READ", read).replace("TARGET", target)
    (folder / "befit.yaml").write_text(project, "utf-8")
    return load_project(folder, environment={})


def told(project):
    return [line for line in project.warnings if "look_up" in line]


def test_calls_of_the_protocol_without_any_tool_are_refused(tmp_path):
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, read="calls")
    first, second = caught.value.problems
    assert first.what == "the target wants a call of 'look_up', which is not offered"
    assert first.do == "offered: none; add tools"
    assert "samples[0]" in first.where
    assert "samples[1]" in second.where


@pytest.mark.parametrize(
    ("target", "read", "warned"),
    [
        ("openai", "auto", True),
        # An agent behind a plugin may have tools of its own.
        ("echo", "calls", True),
        # Calls that are written in the answer are described in the prompt.
        ("openai", "text", False),
    ],
)
def test_where_a_call_may_be_made_all_the_same_it_is_warned_of_once(tmp_path, target, read, warned):
    if target == "echo":
        (tmp_path / "own.py").write_text("def agent(request):\n    return ''\n", "utf-8")
        project = PROJECT.replace(
            "target: TARGET, model: m", "target: function, model: 'own:agent'"
        )
    else:
        project = PROJECT
    lines = told(load(tmp_path, target=target, read=read, text=project))
    assert len(lines) == int(warned)
    assert all(UNOFFERED in line for line in lines)


def test_a_tool_that_one_candidate_alone_is_offered_is_warned_of_for_the_other(tmp_path):
    text = PROJECT.replace(
        "TARGET, model: m", "openai, model: m, tools: [{name: look_up}]"
    ).replace(
        "{name: b, target: openai, model: n}",
        "{name: b, target: openai, model: n, tools: [{name: x}]}",
    )
    (line,) = told(load(tmp_path, text=text))
    assert "2 samples of 'desk' want a call of 'look_up', which 'b' is not offered" in line


def test_a_call_wanted_in_one_turn_counts_too(tmp_path):
    turn = "checks: [{tool_calls: {target: [{name: look_pu}]}}]"
    text = PROJECT.replace(
        "{id: none, input: Hello., target: []}",
        f"{{id: talk, tools: [{{name: look_up}}], turns: [{{user: Hi, {turn}}}], target: []}}",
    )
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, text=text)
    (problem,) = caught.value.problems
    assert "samples[2]" in problem.where
    assert "turns[0]" in problem.where
    assert problem.do == "did you mean 'look_up'?"


def test_an_offered_tool_is_nothing_to_tell(tmp_path):
    text = PROJECT.replace("    scorers:", "    tools: [{name: look_up}]\n    scorers:")
    assert told(load(tmp_path, text=text)) == []
