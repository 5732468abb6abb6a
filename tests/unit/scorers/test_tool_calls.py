from __future__ import annotations

import json
from dataclasses import replace

import pytest

from befit.core.completion import Completion
from befit.core.message import Tool, ToolCall
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.tool_calls import ToolCalls, differing

WEATHER = Tool(
    name="weather",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)


def trial(*calls, text=""):
    made = tuple(
        ToolCall(id=str(n), name=name, arguments=json.dumps(given))
        for n, (name, given) in enumerate(calls)
    )
    return Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(),
        completions=(Completion(text=text, tool_calls=made),),
    )


def scores(target, done, *, tools=(WEATHER,), **options):
    scorer = ToolCalls(ToolCalls.Options.model_validate(options))
    found = scorer.score(Sample(id="s", input="?", target=target, tools=tools), done)
    return {score.name: score for score in found if score.part is None}


def whole(target, done, **options):
    found = scores(target, done, **options)["task_complete"]
    return found.value, found.label


def test_ambiguous_parallel_calls_are_paired_at_best_not_greedily():
    # The first wanted call accepts both cities; taking the first that fits leaves Rome unmatched.
    target = [
        {"name": "weather", "arguments": {"city": {"accepted": ["Rome", "Oslo"]}}},
        {"name": "weather", "arguments": {"city": "Rome"}},
    ]
    made = [("weather", {"city": "Rome"}), ("weather", {"city": "Oslo"})]
    assert whole(target, trial(*made)) == (1.0, "right")
    assert whole(target, trial(*reversed(made))) == (1.0, "right")


def test_dates_and_quotes_compare_without_their_punctuation():
    target = [{"name": "weather", "arguments": {"city": "April 1, 2024"}}]
    assert whole(target, trial(("weather", {"city": "april-1-2024"}))) == (1.0, "right")


def test_an_integer_passes_for_a_number_but_a_text_or_a_boolean_does_not():
    tool = Tool(
        name="f",
        parameters={"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
    )
    target = [{"name": "f", "arguments": {"x": 5.0}}]
    assert whole(target, trial(("f", {"x": 5})), tools=(tool,)) == (1.0, "right")
    assert whole(target, trial(("f", {"x": "5"})), tools=(tool,)) == (0.0, "wrong_type")
    assert whole(target, trial(("f", {"x": True})), tools=(tool,)) == (0.0, "wrong_type")
    one = [{"name": "weather", "arguments": {"city": "A", "days": 1}}]
    assert whole(one, trial(("weather", {"city": "A", "days": True}))) == (0.0, "wrong_type")


def test_an_optional_parameter_may_be_left_out_only_where_the_target_says_so():
    optional = [
        {"name": "weather", "arguments": {"city": "A", "days": {"accepted": [3], "optional": True}}}
    ]
    due = [{"name": "weather", "arguments": {"city": "A", "days": 3}}]
    made = trial(("weather", {"city": "A"}))
    assert whole(optional, made) == (1.0, "right")
    assert whole(due, made) == (0.0, "missing_optional")


def test_lists_keep_their_order_and_objects_their_keys():
    target = [{"name": "g", "arguments": {"to": ["a", "b"], "box": {"w": 1, "h": 2}}}]
    right = {"to": ["a", "b"], "box": {"h": 2, "w": 1}}
    assert whole(target, trial(("g", right)), tools=()) == (1.0, "right")
    assert whole(target, trial(("g", right | {"to": ["b", "a"]})), tools=()) == (0.0, "wrong_value")
    odd = right | {"box": {"w": 1, "h": 2, "d": 3}}
    assert whole(target, trial(("g", odd)), tools=()) == (0.0, "unexpected_parameter")
    lost = right | {"box": {"w": 1}}
    assert whole(target, trial(("g", lost)), tools=()) == (0.0, "missing_parameter")


def test_where_a_parameter_is_missing_the_user_is_to_be_asked():
    target = {"ask": ["city"]}
    assert whole(target, trial(text="For which city?")) == (1.0, "right")
    assert whole(target, trial(text="It is sunny.")) == (0.0, "did_not_ask")
    made = trial(("weather", {"city": "Paris"}), text="?")
    assert whole(target, made) == (0.0, "called_without_parameter")


def test_calls_out_of_order_fail_only_where_order_is_asked():
    calls = [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]
    made = trial(("b", {}), ("a", {}))
    assert whole(calls, made, tools=()) == (1.0, "right")
    assert whole({"calls": calls, "order": "listed"}, made, tools=()) == (0.0, "wrong_order")


def test_tools_that_look_up_may_be_called_where_they_are_allowed():
    target = {"calls": [{"name": "pay", "arguments": {}}], "allowed": ["find"]}
    made = trial(("find", {"q": 1}), ("find", {"q": 1}), ("pay", {}))
    assert whole(target, made, tools=()) == (1.0, "right")
    assert whole(target["calls"], made, tools=()) == (0.0, "repeated_call")
    assert whole(target["calls"], made, tools=(), extra=True) == (1.0, "right")
    assert whole(target["calls"], made, tools=(), allowed=["find"]) == (1.0, "right")


def test_the_share_of_right_calls_is_kept_beside_the_verdict():
    target = [{"name": "weather", "arguments": {"city": c}} for c in ("A", "B", "C", "D")]
    made = trial(*(("weather", {"city": c}) for c in ("D", "B", "A", "X")))
    found = scores(target, made)
    assert found["calls_right"].value == 0.75
    assert (found["task_complete"].value, found["task_complete"].label) == (0.0, "wrong_value")


@pytest.mark.parametrize(
    ("wanted", "state", "wrong"),
    [
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}, "b": 3}, None),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, "a.x is 2, not 1"),
        ({"a": {"z": None}}, {"a": {"x": 1}}, None),
        ({"a": {"x": None}}, {"a": {"x": 1}}, "a.x is still there"),
        ({"a": True}, {"a": 1}, "a is 1, not True"),
    ],
)
def test_the_final_state_holds_this_much(wanted, state, wrong):
    assert differing(wanted, state) == wrong


def test_the_world_decides_and_a_trial_without_one_is_unscored():
    done = trial(("pay", {}))
    target = {"state": {"paid": True}}
    assert whole(target, replace(done, state={"paid": True}), tools=()) == (1.0, "right")
    assert whole(target, replace(done, state={"paid": False}), tools=()) == (0.0, "wrong_state")
    assert whole(target, done, tools=())[0] is None


def test_a_target_that_is_none_of_the_known_forms_leaves_the_trial_unscored():
    assert whole({"call": []}, trial()) == (None, "bad_target")
    assert whole(None, trial()) == (None, "no_target")
