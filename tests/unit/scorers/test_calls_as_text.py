from __future__ import annotations

import pytest

from befit.scorers.calls_read import written_calls

F = '{"name": "f", "arguments": {"x": 1}}'
G = '{"name": "g", "arguments": {"y": 2}}'
BOTH = [("f", {"x": 1}), ("g", {"y": 2})]


def read(text):
    return [(call.name, call.arguments) for call in written_calls(text)]


@pytest.mark.parametrize(
    "text",
    [
        f"{F}\n{G}",
        f"{F} {G}",
        f"```json\n{F}\n{G}\n```",
        f"```json\n{F}\n```\n```json\n{G}\n```",
        f"<tool_call>\n{F}\n</tool_call>\n<tool_call>\n{G}\n</tool_call>",
        f"First I look it up: {F}\nThen I need the other: {G} That is all.",
        f"I call {F}\n```\n{F}\n```\nand\n```\n{G}\n```",
        f"[{F}, {G}]",
        f'{{"tool_calls": [{F}, {G}]}}',
        f"[TOOL_CALLS] [{F}, {G}]",
        f"See [1]. {F}\n{G}",
        "[f(x=1), g(y=2)]",
        "f(x=1)\ng(y=2)",
        "I will call two tools.\nf(x=1)\nNote (below)\n- `g(y=2)`",
        "```python\nf(x=1)\ng(\n    y=2,\n)\n```",
        "<tool_call>f(x=1)</tool_call><tool_call>g(y=2)</tool_call>",
    ],
)
def test_all_calls_written_in_a_text_are_read_each_once(text):
    assert read(text) == BOTH


def test_what_stands_inside_of_a_call_is_no_call():
    assert read(f'{{"name": "f", "arguments": {{"x": {G}}}}}') == [
        ("f", {"x": {"name": "g", "arguments": {"y": 2}}})
    ]
    assert read('f(x={"name": "g"})') == [("f", {"x": {"name": "g"}})]
    assert read("Then\nf(x={'name': 'g'})") == [("f", {"x": {"name": "g"}})]


def test_a_call_written_twice_is_two_calls_and_prose_is_none():
    assert read(f"{F}\n{F}") == [("f", {"x": 1})] * 2
    assert read("I looked it up (see above) and found nothing.\nNote(s)\n{not json") == []
    assert read("```\nsome notes\n```\n" + F) == [("f", {"x": 1})]


def test_a_text_of_openers_costs_a_few_readings_only():
    assert read("[" * 100_000) == []
    assert len(read(F * 1_000)) == 200


@pytest.mark.parametrize(
    "beside",
    ['{"name": "f", "result": 1}', '{"name": "Ada", "age": 3}', '{"name": "f", "error": "no"}'],
)
def test_another_object_with_a_name_is_no_call(beside):
    assert read(f"{F}\nResult: {beside}") == BOTH[:1]
    assert read(beside) == []
    assert read('{"name": "now"}') == [("now", {})]
