from __future__ import annotations

import asyncio
import dataclasses
from decimal import Decimal

import pytest

from befit.core.candidate import Timeouts
from befit.core.completion import Request
from befit.core.failure import Failure
from befit.core.price import Price
from befit.core.sample import Sample, Turn
from befit.core.scenario import Caps
from befit.engine.executor import execute
from befit.engine.progress import Progress
from befit.engine.stop import StopSignal
from befit.errors import StoreError, TargetError
from engine_ground import (
    RUN,
    Answering,
    Samples,
    candidate,
    completion,
    fixed,
    job,
    numbered,
    runtime,
    scenario,
    workspace,
)


def run(one, store, targets, **more):
    async def go():
        async with asyncio.timeout(30):
            return await execute(one, store=store, targets=targets, **more)

    return asyncio.run(go())


def test_every_slot_lands_once_with_its_scores(tmp_path):
    target = Answering(lambda r: "42" if "question 1" in r.messages[-1].text else "43")
    one = job([candidate()], [scenario(numbered(30), repeats=2)], concurrency=7, n_slots=60)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target})
        facts = list(store.facts(RUN))
    assert outcome.status == "complete"
    assert (outcome.ok, outcome.missing, outcome.not_run) == (60, 0, 0)
    assert len({(f.sample_id, f.repeat) for f in facts}) == 60
    # question 1 and 10 to 19: 11 samples, 2 repeats
    assert sum(f.passed for f in facts) == 22
    assert target.most_in_flight == 7


def test_a_second_sitting_calls_only_what_is_new(tmp_path):
    target = Answering()
    first = job([candidate()], [scenario(numbered(10), repeats=2)])
    more = job([candidate(), candidate("b")], [scenario(numbered(12), repeats=3)])
    with workspace(tmp_path, first) as store:
        run(first, store, {"a": target})
        assert len(target.requests) == 20
        outcome = run(more, store, {"a": target, "b": Answering()})
        assert outcome.already == 20
        assert len(target.requests) == 36  # 12 samples x 3 repeats, once each
        assert len(list(store.facts(RUN))) == 72


def test_another_run_reuses_what_was_measured(tmp_path):
    target = Answering()
    first = job([candidate()], [scenario(numbered(10))])
    second = dataclasses.replace(first, run_id="r-second")
    with workspace(tmp_path, first, second) as store:
        run(first, store, {"a": target})
        outcome = run(second, store, {"a": target})
        facts = list(store.facts("r-second"))
    assert len(target.requests) == 10
    assert (outcome.ok, outcome.reused) == (10, 10)
    assert all(fact.reused and fact.passed == 1.0 for fact in facts)


def test_a_label_measures_anew(tmp_path):
    target = Answering()
    first = job([candidate()], [scenario(numbered(3))])
    again = job([candidate()], [scenario(numbered(3))], run_id="r-again", label="again")
    with workspace(tmp_path, first, again) as store:
        run(first, store, {"a": target})
        run(again, store, {"a": target})
    assert len(target.requests) == 6


def test_the_same_question_in_two_scenarios_is_paid_once_and_fills_both(tmp_path):
    target = Answering()
    one = job([candidate()], [scenario(numbered(5)), scenario(numbered(5), name="facts again")])
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target})
        assert len(target.requests) == 5
        assert (outcome.ok, outcome.reused) == (10, 5)
        assert len(list(store.facts(RUN))) == 10
        assert run(one, store, {"a": target}).already == 10


def test_equal_inputs_side_by_side_are_paid_once(tmp_path):
    target = Answering()
    target.delay = 0.01
    twins = fixed(*(Sample(id=f"s{i}", input="same", target="42") for i in range(8)))
    one = job([candidate()], [scenario(twins)], concurrency=8)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target})
        assert len(list(store.facts(RUN))) == 8
    assert len(target.requests) == 1
    assert (outcome.ok, outcome.reused) == (8, 7)


def test_repeats_have_seeds_of_their_own_and_fixed_has_one(tmp_path):
    derived, same = Answering(), Answering()
    one = job([candidate()], [scenario(numbered(2), repeats=3)], seed=7)
    two = job([candidate()], [scenario(numbered(2), repeats=3)], run_id="r-fixed", seed="fixed")
    with workspace(tmp_path, one, two) as store:
        run(one, store, {"a": derived})
        run(two, store, {"a": same})
    assert len({r.seed for r in derived.requests}) == 6
    assert len(same.requests) == 6  # nothing measured with derived seeds stands in
    assert {r.seed for r in same.requests} == {0}


def test_a_targets_bug_is_a_missing_trial_and_its_neighbours_live(tmp_path):
    def answer(request: Request) -> str:
        if "question 3" in request.messages[-1].text:
            raise ZeroDivisionError("oops")
        if "question 4" in request.messages[-1].text:
            raise asyncio.CancelledError
        return "42"

    one = job([candidate()], [scenario(numbered(6))], n_slots=6)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": Answering(answer)})
        facts = {f.sample_id: f for f in store.facts(RUN)}
    assert outcome.status == "partial"
    assert (outcome.ok, outcome.missing) == (4, 2)
    assert outcome.failures == {"target_error": 2}
    assert facts["s3"].status == "missing"
    assert facts["s3"].passed is None


def test_a_target_that_ignores_its_time_limit_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("befit.engine.calls.GRACE", 0.0)
    monkeypatch.setattr("befit.engine.calls.WATCH", 0.02)
    target = Answering()

    async def deaf(request: Request):
        if "question 1" in request.messages[-1].text:
            await asyncio.Event().wait()
        return completion("42")

    target.generate = deaf
    entry = candidate(timeouts=Timeouts(total=0.05))
    one = job([entry], [scenario(numbered(3))], retries=1, n_slots=3)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target})
    assert (outcome.ok, outcome.missing, outcome.retries) == (2, 1, 1)
    assert outcome.failures == {"timeout_total": 1}


def test_missing_trials_are_tried_again_by_the_next_sitting(tmp_path):
    broken = [True]

    def answer(_: Request) -> str:
        if broken[0]:
            raise TargetError(Failure(kind="server", message="down", status=500))
        return "42"

    one = job([candidate()], [scenario(numbered(3))], retries=0)
    with workspace(tmp_path, one) as store:
        assert run(one, store, {"a": Answering(answer)}).missing == 3
        broken[0] = False
        outcome = run(one, store, {"a": Answering(answer)})
        assert (outcome.status, outcome.ok) == ("complete", 3)
        assert [f.status for f in store.facts(RUN)] == ["ok"] * 3


def test_the_candidates_own_failure_scores_zero(tmp_path):
    def answer(_: Request) -> str:
        raise TargetError(Failure(kind="empty", message="no text"))

    one = job([candidate()], [scenario(numbered(2))])
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": Answering(answer)})
        facts = list(store.facts(RUN))
    assert (outcome.status, outcome.candidate_failures) == ("complete", 2)
    assert [f.passed for f in facts] == [0.0, 0.0]


def test_what_was_said_before_a_filter_cut_in_is_kept_and_its_cost_counted(tmp_path):
    part = completion("I would rath", tokens=(1000, 100))

    def answer(request: Request) -> str:
        kind = "content_filter" if "question 0" in request.messages[-1].text else "server"
        raise TargetError(Failure(kind=kind, message="cut"), partial=part)

    entry = candidate(price=Price(input=1, output=10))
    one = job([entry], [scenario(numbered(2))], retries=0)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": Answering(answer)})
        facts = {f.sample_id: f for f in store.facts(RUN)}
        filtered, cut = (store.trial(facts[i].key_id) for i in ("s0", "s1"))
    assert outcome.spent == Decimal("0.004")  # 2 x (1000 x 1 + 100 x 10) / 1,000,000
    assert filtered.output == "I would rath"
    assert filtered.cost == cut.cost == Decimal("0.002")
    assert facts["s0"].passed == 0.0
    assert cut.completions == ()


def test_a_conversation_ends_at_its_caps_as_the_candidates_own_failure(tmp_path):
    talk = Sample(id="t", turns=tuple(Turn(user=f"turn {i}") for i in range(5)))
    one = job([candidate()], [scenario(fixed(talk), caps=Caps(tokens=24))])
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": Answering()})  # 12 tokens a turn
        (fact,) = store.facts(RUN)
        trial = store.trial(fact.key_id)
    assert outcome.failures == {"cap_reached": 1}
    assert (outcome.candidate_failures, fact.passed) == (1, 0.0)
    assert len(trial.completions) == 2


def test_stopping_once_finishes_what_is_in_flight(tmp_path):
    stop = StopSignal()

    def answer(_: Request) -> str:
        if len(target.requests) >= 10 and not stop.requests:
            stop.request()
        return "42"

    target = Answering(answer)
    target.delay = 0.005
    one = job([candidate()], [scenario(numbered(500))], concurrency=5, n_slots=500)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target}, stop=stop)
        assert len(list(store.facts(RUN))) == len(target.requests) == outcome.ok
        assert outcome.status == "interrupted"
        assert outcome.not_run == 500 - outcome.ok
        assert outcome.ok < 30
        target.answer = lambda _: "42"
        assert run(one, store, {"a": target}).status == "complete"
        assert len(target.requests) == 500


def test_stopping_twice_does_not_wait_for_answers(tmp_path):
    stop = StopSignal()
    target = Answering()

    async def never(_: Request):
        stop.request()
        stop.request()
        await asyncio.Event().wait()

    target.generate = never
    one = job([candidate()], [scenario(numbered(20))], concurrency=5, n_slots=20)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": target}, stop=stop)
        assert list(store.facts(RUN)) == []
    assert (outcome.status, outcome.not_run) == ("interrupted", 20)


def test_a_stop_cuts_the_wait_before_a_retry(tmp_path):
    stop = StopSignal()

    def answer(_: Request) -> str:
        asyncio.get_running_loop().call_later(0.05, stop.request)
        raise TargetError(Failure(kind="rate_limited", message="wait", retry_after=100.0))

    one = job([candidate()], [scenario(numbered(4))], concurrency=2, n_slots=4)
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"a": Answering(answer)}, stop=stop)
        assert list(store.facts(RUN)) == []
    assert outcome.status == "interrupted"


@pytest.mark.parametrize("kind", ["auth", "not_found", "connect"])
def test_a_candidate_that_cannot_work_is_stopped_and_the_others_go_on(tmp_path, kind):
    def answer(_: Request) -> str:
        raise TargetError(Failure(kind=kind, message="no"))

    bad, good = Answering(answer), Answering()
    one = job(
        [candidate("bad", base_url="http://b"), candidate("good", base_url="http://g")],
        [scenario(numbered(400))],
        concurrency=4,
        n_slots=800,
        retries=0,
    )
    with workspace(tmp_path, one) as store:
        outcome = run(one, store, {"bad": bad, "good": good})
    assert outcome.status == "partial"
    assert outcome.ok == 400
    assert len(bad.requests) <= 5 + 4
    (stopped,) = outcome.stopped
    assert (stopped.candidate, stopped.cause.kind) == ("bad", kind)
    assert stopped.not_run == 400 - len(bad.requests) == outcome.not_run


def test_scripted_turns_are_said_in_order_in_one_trial(tmp_path):
    target = Answering(lambda r: f"answer {len(r.messages)}")
    talk = Sample(id="t", turns=(Turn(user="one"), Turn(user="two"), Turn(user="three")))
    one = job([candidate()], [scenario(fixed(talk), template="Task: {input}")])
    with workspace(tmp_path, one) as store:
        run(one, store, {"a": target})
        (fact,) = store.facts(RUN)
        trial = store.trial(fact.key_id)
    assert [len(r.messages) for r in target.requests] == [1, 3, 5]
    assert [m.text for m in trial.transcript] == [
        "Task: one", "answer 1", "two", "answer 3", "three", "answer 5",
    ]  # fmt: skip
    assert len(trial.completions) == 3


def test_a_store_that_fails_ends_the_run_with_its_error(tmp_path):
    one = job([candidate()], [scenario(numbered(50))])
    with workspace(tmp_path) as store, pytest.raises(StoreError, match="no run"):
        run(one, store, {"a": Answering()})


def test_progress_tells_counts_and_ends(tmp_path):
    seen: list[Progress] = []
    one = job([candidate()], [scenario(numbered(20))], n_slots=20)
    with workspace(tmp_path, one) as store:
        run(one, store, {"a": Answering()}, progress=seen.append, runtime=runtime())
    assert seen[-1].finished
    assert (seen[-1].done, seen[-1].total, seen[-1].ok, seen[-1].in_flight) == (20, 20, 20, 0)
    assert seen[-1].first_token_p50 == 0.01


def test_samples_are_streamed_never_held(tmp_path):
    alive = 0
    most = 0

    class Counted(Sample):
        def __del__(self):
            nonlocal alive
            alive -= 1

    def make():
        nonlocal alive, most
        for i in range(3000):
            alive += 1
            most = max(most, alive)
            yield Counted(id=f"s{i}", input=f"q{i}", target="42")

    one = job([candidate()], [scenario(Samples(make))], concurrency=10)
    with workspace(tmp_path, one) as store:
        assert run(one, store, {"a": Answering()}).ok == 3000
    assert most < 1100  # two chunks, what is queued and in flight
