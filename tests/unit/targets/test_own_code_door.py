"""Own code that ends the process, never ends, or counts nonsense: a failed call, no more."""

from __future__ import annotations

import asyncio
import sys
import threading
import types

import pytest

from befit.core.candidate import Candidate, Timeouts
from befit.core.completion import Completion, Request
from befit.core.message import Message, Tool, ToolCall
from befit.core.price import Usage
from befit.core.sample import Sample
from befit.core.world import World
from befit.engine.world import Workshop
from befit.errors import PluginError, TargetError
from befit.plugins import OwnCode, OwnCodeExitError, load_object
from befit.scorers.python import Python, PythonOptions
from befit.targets.function import FunctionTarget
from befit.targets.threads import DaemonThreads
from scorer_ground import answered

MODULE = "befit_own_code_under_test"


@pytest.fixture
def own(monkeypatch):
    """Give a module whose `function` is loaded as the user's own."""
    module = types.ModuleType(MODULE)
    monkeypatch.setitem(sys.modules, MODULE, module)
    return module


def asked(function, own, *, total=5.0, meanwhile=None):
    own.function = function
    candidate = Candidate(name="f", target="function", model=f"{MODULE}:function")
    request = Request(messages=(Message(role="user", content="q"),), timeouts=Timeouts(total=total))

    async def once():
        target = FunctionTarget(candidate)
        try:
            return await target.generate(request)
        finally:
            if meanwhile is not None:
                meanwhile()
            await target.aclose()

    return asyncio.run(once())


def failure_of(function, own, **more):
    with pytest.raises(TargetError) as caught:
        asked(function, own, **more)
    return caught.value.failure


def leaves(*_):
    raise SystemExit(3)


async def leaves_later(_request):
    raise SystemExit(3)


def stops(*_):
    raise StopIteration


@pytest.mark.parametrize("function", [leaves, leaves_later])
def test_a_function_that_exits_is_a_failed_call(function, own):
    failure = failure_of(function, own)
    assert failure.kind == "target_error"
    assert "SystemExit(3)" in failure.message


def test_a_function_that_stops_an_iteration_fails_at_once(own):
    failure = failure_of(stops, own)
    assert failure.kind == "target_error"
    assert "StopIteration" in failure.message


def test_a_world_that_exits_is_the_tools_error(own):
    own.function = leaves
    workshop = Workshop(World(python=f"{MODULE}:function"), [Tool(name="f")])
    answer = asyncio.run(workshop.answer(ToolCall(id="1", name="f", arguments="{}")))
    assert answer.content == '{"error":"SystemExit(3)"}'


def test_a_scorer_that_exits_leaves_the_answer_unscored(own):
    own.function = lambda _output, _sample: leaves()
    scorer = Python(PythonOptions(function=f"{MODULE}:function"))
    (score,) = scorer.score(Sample(id="i", input="q"), answered("out"))
    assert (score.value, score.label) == (None, "scorer_error")
    assert "SystemExit(3)" in score.explanation


def test_a_module_that_exits_on_import_is_one_error(tmp_path, monkeypatch):
    (tmp_path / "befit_exits_on_import.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=r"SystemExit\(3\)"):
        load_object("befit_exits_on_import:function")


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError, ValueError])
def test_what_stops_befit_and_plain_errors_go_through_the_door_as_they_are(error):
    with pytest.raises(error), OwnCode():
        raise error


def test_an_exit_does_not_go_through_the_door():
    with pytest.raises(OwnCodeExitError), OwnCode():
        sys.exit(4)


def test_a_function_that_hangs_keeps_no_process_alive(own):
    over, seen = threading.Event(), []

    def look():
        found = [t for t in threading.enumerate() if t.name.startswith("befit-function")]
        seen.extend(thread.daemon for thread in found)

    try:
        failure = failure_of(lambda _request: over.wait(60), own, total=0.05, meanwhile=look)
    finally:
        over.set()
    assert failure.kind == "timeout_total"
    assert seen == [True]


def test_threads_take_calls_in_order_and_no_more_than_their_number_at_once():
    threads = DaemonThreads(2, name="befit-under-test")
    gate, running, most = threading.Event(), set(), []

    def work(number):
        running.add(number)
        most.append(len(running))
        gate.wait(30)
        running.discard(number)
        return number

    done = [threads.submit(work, number) for number in range(5)]
    gate.set()
    assert [one.result(timeout=30) for one in done] == [0, 1, 2, 3, 4]
    assert max(most) <= 2
    threads.close()


def test_calls_that_wait_are_cancelled_at_the_end():
    threads = DaemonThreads(1, name="befit-under-test")
    gate, begun = threading.Event(), threading.Event()

    def hold(_given):
        begun.set()
        return gate.wait(30)

    first, second = threads.submit(hold, None), threads.submit(hold, None)
    assert begun.wait(30)
    threads.close()
    gate.set()
    assert first.result(timeout=30) is True
    assert second.cancelled()


@pytest.mark.parametrize("count", [3.0, float("nan"), "3", -5, 10**12, 10**400, True, None])
def test_a_usage_that_counts_no_tokens_names_the_key(count, own):
    failure = failure_of(lambda _r: {"text": "a", "usage": {"text_output": count}}, own)
    assert failure.kind == "target_error"
    assert "usage.text_output" in failure.message


@pytest.mark.parametrize("usage", [[1], "3", {"tokens": 3}])
def test_a_usage_of_another_shape_is_a_failed_call(usage, own):
    assert failure_of(lambda _r: {"text": "a", "usage": usage}, own).kind == "target_error"


def test_the_usage_of_a_completion_is_checked_alike(own):
    wrong = Completion(text="a", finish_reason="stop", usage=Usage(cache_read=-1))
    assert "usage.cache_read is -1" in failure_of(lambda _r: wrong, own).message


def test_counts_of_zero_and_more_are_kept(own):
    completion = asked(
        lambda _r: {"text": "a", "usage": {"text_output": 0, "uncached_input": 10**12 - 1}}, own
    )
    assert completion.usage == Usage(text_output=0, uncached_input=10**12 - 1)
