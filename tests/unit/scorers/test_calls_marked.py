"""Calls of models that have no tool interface: thoughts, plans and marks of their own."""

from __future__ import annotations

import json

import pytest

from befit.core.message import Tool
from befit.core.sample import Sample
from befit.scorers.calls_read import written_calls
from befit.scorers.tool_calls import ToolCalls
from scorer_ground import answered

F = '{"name": "f", "arguments": {"x": 1}}'
G = '{"name": "g", "arguments": {"y": 2}}'
H = '{"name": "h", "arguments": {}}'


def names(text):
    return [call.name for call in written_calls(text)]


def given(text):
    return [(call.name, call.arguments) for call in written_calls(text)]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"I need two calls: {F} and {G}\n\nSo my answer is:\n{F}\n{G}", "fg"),
        (f"The user asks for this: {F}. Written as a call that is {F}", "f"),
        (f"First the stock: {F}\nThen comes the price: {G}\nBoth in one list: [{F}, {G}]", "fg"),
        ("1. f(x=1)\n2. g(y=2)\n\nNow both of them:\nf(x=1)\ng(y=2)", "fg"),
        (f"I look at it by {H} now.\n<tool_call>\n{H}\n</tool_call>", "h"),
        (f"```\n[{F}, {G}]\n```\nor one by one:\n```\n{F}\n```\n```\n{G}\n```", "fg"),
        (f"Zuerst kommt {F}, danach folgt {G}.\nDie Aufrufe sind also:\n{F}\n{G}", "fg"),
    ],
)
def test_a_plan_that_is_written_out_again_below_is_made_once(text, made):
    assert names(text) == list(made)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"{F}\n{F}", "ff"),
        (f"[{F}, {F}]", "ff"),
        (f"I call {F} and to be sure I run it again: {F}", "ff"),
        (f"Tool call 1: {F}\nTool call 2: {F}", "ff"),
        (f"First I look: {F}\nThen I change it: {G}\nAt the end I look: {F}", "fgf"),
        (f"The order is {F} then {G} and then {H}", "fgh"),
    ],
)
def test_a_call_made_twice_on_purpose_counts_twice(text, made):
    assert names(text) == list(made)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"<think>Maybe {F}? No.</think>{G}", "g"),
        (f"Maybe {F}?\n</think>\n{G}", "g"),
        ("<thinking>\nf(x=1)\n</thinking>\ng(y=2)", "g"),
        (f"<think>I would call {F}", ""),
        ('{"name": "f", "arguments": {"x": "<think>"}}', "f"),
        (f"Reasoning: (think) {F}", "f"),
    ],
)
def test_what_is_only_thought_of_is_no_call(text, made):
    assert names(text) == list(made)


def test_calls_by_function_tags_and_by_action_lines_are_read():
    assert given('<function=f>{"x": 1}</function> <function=g>{"y": 2}</function>') == [
        ("f", {"x": 1}),
        ("g", {"y": 2}),
    ]
    react = 'Thought: look\nAction: f\nAction Input: {"x": 1}\nObservation: 3\nAction: `g`\n'
    assert given(react + 'Action Input:\n```json\n{"y": 2}\n```\nFinal Answer: 3') == [
        ("f", {"x": 1}),
        ("g", {"y": 2}),
    ]
    assert given("Action: f\nAction Input: Graz") == [("f", None)]
    assert written_calls("Action: f\nAction Input: Graz")[0].why


@pytest.mark.parametrize(
    "text",
    [
        "Action: none\nAction Input: none",
        "Action: Finish\nAction Input: It is 3.",
        'Action required: name the city.\nInput: {"x": 1}',
        "Action items:\n- call Bob",
        "<function>f</function>",
    ],
)
def test_the_words_of_a_mark_alone_make_no_call(text):
    assert names(text) == []


def test_a_question_that_is_only_thought_asks_nobody():
    tool = Tool(name="assign", parameters={"properties": {"person": {"type": "string"}}})
    sample = Sample(id="s", input="?", target={"ask": ["person"]}, tools=(tool,))

    def asked(text):
        found = ToolCalls(ToolCalls.Options()).score(sample, answered(text))
        return next(score for score in found if score.name == "asked_back")

    assert asked("<think>Who should get it?</think>It is assigned.").label == "did_not_ask"
    heard = asked("<think>Nobody named.</think>Who should get it?")
    assert heard.label == "asked"
    assert heard.span == (28, 46)  # as in the answer itself: 7 + 13 + 8 letters of thought


def test_long_texts_of_marks_cost_a_few_readings_only():
    call = json.dumps({"name": "f", "arguments": {}})
    for text in ("<function=f>" * 5_000, "<tool_call>" * 9_000, "Action: f\n" * 9_000):
        assert len(written_calls(text)) <= 5_000
    assert names(" " * 60_000 + "f(") == []
    assert len(written_calls(f"<tool_call>{call}" * 300)) == 300
