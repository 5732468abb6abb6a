from __future__ import annotations

import itertools
import json

import pytest

from befit.core.completion import Completion
from befit.core.message import ToolCall
from befit.core.trial import Trial, TrialKey
from befit.interop.bfcl import read_bfcl
from befit.scorers.tool_calls import ToolCalls, ToolCallsOptions
from shared_data import shared

SETS = {
    "simple_python": 400,
    "simple_java": 100,
    "multiple": 200,
    "parallel": 200,
    "live_simple": 258,
    "irrelevance": 240,
}
SCORER = ToolCalls(ToolCallsOptions())


def samples(name):
    answers = None
    if name != "irrelevance":
        answers = shared(f"bfcl/possible_answer/BFCL_v4_{name}.json")
    return list(read_bfcl(shared(f"bfcl/BFCL_v4_{name}.json"), answers))


def called(calls, text=""):
    made = tuple(
        ToolCall(id=str(n), name=name, arguments=arguments)
        for n, (name, arguments) in enumerate(
            (name, given if isinstance(given, str) else json.dumps(given)) for name, given in calls
        )
    )
    return Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(),
        completions=(Completion(text=text, tool_calls=made),),
    )


def verdict(sample, calls, text=""):
    return SCORER.score(sample, called(calls, text))[0]


def plain(node):
    """One accepted value as a model would write it: the first alternative everywhere."""
    if isinstance(node, dict) and "accepted" in node:
        return plain(node["accepted"][0])
    if isinstance(node, dict):
        return {key: plain(inner) for key, inner in node.items() if not left_out(inner)}
    if isinstance(node, list):
        return [plain(item) for item in node]
    return node


def required(sample, name):
    return next(t.parameters["required"] for t in sample.tools if t.name == name)


def left_out(node):
    return isinstance(node, dict) and node.get("accepted") == [""]


def perfect(sample):
    """The target's calls with the first accepted value of every parameter; "" is left out."""
    calls = []
    for call in sample.target["calls"]:
        given = {}
        for name, node in call["arguments"].items():
            values = [value for value in node["accepted"] if value != ""]
            if values:
                given[name] = plain(values[0])
        calls.append((call["name"], given))
    return calls


@pytest.mark.parametrize(("name", "count"), SETS.items())
def test_a_perfect_answer_file_scores_every_case(name, count):
    found = samples(name)
    assert len(found) == count
    wrong = [s.id for s in found if verdict(s, perfect(s)).value != 1.0]
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in SETS if name != "irrelevance"])
def test_every_accepted_alternative_of_every_parameter_is_accepted(name):
    tried = 0
    for sample in samples(name):
        base = perfect(sample)
        for number, call in enumerate(sample.target["calls"]):
            for parameter, node in call["arguments"].items():
                for value in node["accepted"]:
                    calls = [(n, dict(given)) for n, given in base]
                    if value != "":
                        calls[number][1][parameter] = plain(value)
                    elif parameter in required(sample, call["name"]):
                        continue  # "may be left out" contradicts the schema, which goes first
                    else:
                        calls[number][1].pop(parameter, None)
                    assert verdict(sample, calls).value == 1.0, (sample.id, parameter, value)
                    tried += 1
    assert tried > 200


def test_parallel_calls_are_accepted_in_any_order():
    for sample in samples("parallel"):
        for order in itertools.islice(itertools.permutations(perfect(sample)), 6):
            assert verdict(sample, order).value == 1.0


def test_any_call_is_wrong_where_none_is_due():
    for sample in samples("irrelevance"):
        tool = sample.tools[0]
        found = verdict(sample, [(tool.name, {})])
        assert (found.value, found.label) == (0.0, "needless_call")


def first_required(sample, kind):
    tool = sample.tools[0].parameters
    return next((p for p in tool["required"] if tool["properties"][p].get("type") == kind), None)


def plant(fault, sample):  # noqa: C901 - one branch per planted fault
    """The perfect calls of a simple case with one fault planted; None where it has no place."""
    (name, given), *_ = calls = perfect(sample)
    target = sample.target["calls"][0]["arguments"]
    needed = required(sample, name)
    if fault == "unknown_function":
        return [(f"{name}_v2", given)]
    if fault == "invalid_arguments":
        return [(name, json.dumps(given)[:-1])]
    if fault == "missing_parameter":
        lost = next((p for p in needed if p in given), None)
        return lost and [(name, {k: v for k, v in given.items() if k != lost})]
    if fault == "missing_optional":
        lost = next((p for p in given if p not in needed and not target[p].get("optional")), None)
        return lost and [(name, {k: v for k, v in given.items() if k != lost})]
    if fault == "unexpected_parameter":
        return [(name, {**given, "verbosity_x": 1})]
    if fault == "wrong_type":
        at = first_required(sample, "integer")
        numbers = at in given and all(isinstance(v, int | float) for v in target[at]["accepted"])
        return [(name, {**given, at: str(given[at])})] if numbers else None
    if fault == "wrong_value":
        at = first_required(sample, "string")
        return [(name, {**given, at: "zzz-nowhere"})] if at in given else None
    if fault == "not_called":
        return []
    if fault == "repeated_call":
        return [calls[0], calls[0]]
    if fault == "extra_call":
        return [calls[0], (name, {"other": 1})]
    raise AssertionError(fault)


SIMPLE_FAULTS = (
    "unknown_function",
    "invalid_arguments",
    "missing_parameter",
    "missing_optional",
    "unexpected_parameter",
    "wrong_type",
    "wrong_value",
    "not_called",
    "repeated_call",
    "extra_call",
)


@pytest.mark.parametrize("fault", SIMPLE_FAULTS)
def test_a_planted_fault_is_caught_and_named(fault):
    planted = 0
    for sample in samples("simple_python"):
        calls = plant(fault, sample)
        if calls is None:
            continue
        planted += 1
        found = verdict(sample, calls)
        assert (found.value, found.label) == (0.0, fault), sample.id
    assert planted >= (1 if fault == "missing_optional" else 50)


def test_a_call_of_another_offered_function_is_the_wrong_function():
    for sample in samples("multiple"):
        wanted = sample.target["calls"][0]["name"]
        other = next(tool.name for tool in sample.tools if tool.name != wanted)
        found = verdict(sample, [(other, perfect(sample)[0][1])])
        assert (found.value, found.label) == (0.0, "wrong_function")


def test_one_of_several_parallel_calls_left_out_is_a_missing_call():
    for sample in samples("parallel"):
        found = verdict(sample, perfect(sample)[1:])
        assert (found.value, found.label) == (0.0, "missing_call")


def test_written_python_calls_score_like_the_protocols_own():
    for sample in samples("simple_python"):
        ((name, given),) = perfect(sample)
        text = f"[{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})]"
        assert verdict(sample, [], text).value == 1.0, text
