"""A Python function as a target: what it is given, what it may return, how it may fail."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from befit.core.candidate import Candidate, Limits, Timeouts
from befit.core.completion import Completion, Request, Timing
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.price import Usage
from befit.errors import PluginError, TargetError
from befit.targets.function import FunctionTarget

MODULE = "befit_function_under_test"


@pytest.fixture
def call(monkeypatch):
    """Make a function loadable as module:attribute and answer one request with it."""
    import sys  # noqa: PLC0415 - used here only
    import types  # noqa: PLC0415

    module = types.ModuleType(MODULE)
    monkeypatch.setitem(sys.modules, MODULE, module)

    def answer(function, *, total=5.0, scheduled=None, concurrency=None):
        module.function = function
        candidate = Candidate(
            name="f",
            target="function",
            model=f"{MODULE}:function",
            limits=Limits(concurrency=concurrency),
        )
        request = Request(
            messages=(
                Message(role="system", content="sys"),
                Message(role="user", content="first"),
                Message(role="assistant", content="hm"),
                Message(role="user", content="last words"),
            ),
            timeouts=Timeouts(total=total),
            scheduled=scheduled,
        )

        async def once():
            target = FunctionTarget(candidate)
            try:
                return await target.generate(request)
            finally:
                await target.aclose()

        return asyncio.run(once())

    return answer


def failure_of(call, function, **more):
    with pytest.raises(TargetError) as caught:
        call(function, **more)
    return caught.value.failure


def test_a_plain_function_runs_in_a_thread_and_gets_the_request(call):
    def answer(request):
        assert threading.current_thread() is not threading.main_thread()
        return request.messages[0].text

    completion = call(answer)
    assert (completion.text, completion.finish_reason) == ("sys", "stop")
    assert completion.timing.first_token is None
    assert completion.timing.end > 0


def test_an_async_function_is_awaited(call):
    async def answer(request):
        await asyncio.sleep(0)
        return request.messages[-1].text

    assert call(answer).text == "last words"


def test_an_object_with_an_async_call_is_awaited(call):
    class Agent:
        async def __call__(self, request):
            return request.messages[-1].text

    assert call(Agent()).text == "last words"


def test_one_parameter_named_prompt_or_text_gets_the_last_user_text(call):
    assert call(lambda prompt: prompt.upper()).text == "LAST WORDS"
    assert call(lambda text, shout=False: text + str(shout)).text == "last wordsFalse"


def test_one_parameter_annotated_str_gets_the_last_user_text(call):
    def answer(question: str) -> str:
        return question

    assert call(answer).text == "last words"


def test_a_dict_may_carry_usage_reasoning_and_tool_calls(call):
    completion = call(
        lambda request: {  # noqa: ARG005 - its name decides what it is given
            "text": "x",
            "reasoning": "hm",
            "finish_reason": "length",
            "served_model": "mine",
            "usage": {"uncached_input": 5, "text_output": 2},
            "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}],
        }
    )
    assert completion.usage == Usage(uncached_input=5, text_output=2)
    assert (completion.reasoning, completion.finish_reason) == ("hm", "length")
    assert completion.tool_calls[0].name == "f"


def test_arguments_of_a_tool_call_may_be_a_mapping(call):
    made = {"id": "c", "name": "f", "arguments": {"city": "Köln", "days": 2}}
    completion = call(lambda _request: {"text": "", "tool_calls": [made]})
    assert completion.tool_calls[0].arguments == '{"city":"Köln","days":2}'


def test_a_completion_keeps_its_own_times_and_else_gets_the_measured_ones(call):
    timed = Completion(text="x", timing=Timing(sent=0.0, first_token=0.1, end=0.2))
    assert call(lambda request: timed).timing.first_token == 0.1  # noqa: ARG005
    assert call(lambda request: Completion(text="x")).timing.end > 0  # noqa: ARG005


def test_latency_counts_from_the_scheduled_moment(call):
    completion = call(lambda prompt: prompt, scheduled=time.monotonic() - 10)
    assert completion.timing.sent >= 10
    assert completion.timing.end >= completion.timing.sent


def test_an_exception_is_a_target_error_with_its_type_and_message(call):
    def answer(_request):
        raise ValueError("no\ngood " + "x" * 1000)

    failure = failure_of(call, answer)
    assert (failure.kind, failure.blame) == ("target_error", "infrastructure")
    assert failure.message.startswith("ValueError: no good x")
    assert len(failure.message) == 500


def test_a_key_in_an_exception_is_taken_out(call):
    def answer(_request):
        raise RuntimeError("401 for key sk-abcdefghijklmnop")

    assert "abcdefgh" not in failure_of(call, answer).message


def test_a_function_may_raise_a_classified_failure_itself(call):
    def answer(_request):
        raise TargetError(Failure(kind="rate_limited", message="slow", retry_after=3))

    failure = failure_of(call, answer)
    assert (failure.kind, failure.retry_after) == ("rate_limited", 3)


def test_a_timeout_of_its_own_is_no_timeout_of_ours(call):
    def answer(_request):
        raise TimeoutError("database")

    assert failure_of(call, answer).message == "TimeoutError: database"


def test_too_slow_is_a_timeout(call):
    async def answer(_request):
        await asyncio.sleep(30)

    assert failure_of(call, answer, total=0.05).kind == "timeout_total"


@pytest.mark.parametrize(
    "returned",
    [7, None, {"answer": "x"}, {"text": "x", "usge": {}}, {"text": "x", "usage": {"a": 1}}],
)
def test_what_is_no_answer_is_said_to_be_none(call, returned):
    failure = failure_of(call, lambda _request: returned)
    assert failure.kind == "target_error"


def test_a_tool_call_that_is_none_is_said_in_plain_words(call):
    with pytest.raises(TargetError) as caught:
        call(lambda _request: {"text": "", "tool_calls": [{"name": "f", "arguments": 5}]})
    said = caught.value.failure.message
    assert said.startswith("a tool call of the function's dict does not fit: id: Field required")
    assert "arguments: Input should be a valid string" in said
    assert "pydantic" not in said


def test_an_unknown_key_of_usage_is_named_with_those_that_are_known(call):
    failure = failure_of(call, lambda _request: {"text": "4", "usage": {"input": 3}})
    assert "usage has unknown keys ['input']; known: audio_input" in failure.message
    assert "uncached_input" in failure.message
    assert "__init__" not in failure.message


def test_as_many_threads_run_as_the_limits_allow(call):
    seen = []

    def answer(prompt):
        seen.append(prompt)
        return prompt

    assert call(answer, concurrency=1).text == "last words"
    assert seen == ["last words"]


@pytest.mark.parametrize("path", ["no_such_module_at_all:f", "nothing", "os:no_such_thing"])
def test_a_path_that_names_nothing_is_refused_at_once(path):
    with pytest.raises(PluginError):
        FunctionTarget(Candidate(name="f", target="function", model=path))
