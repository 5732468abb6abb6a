from __future__ import annotations

import asyncio
import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from befit.core.failure import Failure
from befit.core.price import Price
from befit.engine.executor import execute
from befit.engine.retry import RetryPolicy
from befit.errors import TargetError
from engine_ground import (
    RUN,
    Answering,
    FlyingClock,
    candidate,
    completion,
    job,
    numbered,
    runtime,
    scenario,
)
from engine_ground import workspace as opened

SERVER = Failure(kind="server", message="500", status=500)


def dice(seed: int = 0) -> random.Random:
    return random.Random(seed)  # noqa: S311 (jitter, no secret)


@given(tries=st.integers(1, 40), seed=st.integers(0, 99))
def test_waits_are_jittered_between_zero_and_the_doubled_ceiling(tries, seed):
    policy = RetryPolicy(retries=40, base=0.5, cap=30.0)
    delay = policy.delay(SERVER, tries, dice(seed))
    assert 0 <= delay <= min(30.0, 0.5 * 2 ** (tries - 1))


def test_tries_are_bounded():
    policy = RetryPolicy(retries=2)
    rng = dice()
    assert policy.delay(SERVER, 2, rng) is not None
    assert policy.delay(SERVER, 3, rng) is None


@pytest.mark.parametrize(
    "kind", ["auth", "not_found", "bad_request", "context_length", "content_filter", "empty"]
)
def test_what_cannot_help_is_not_tried_again(kind):
    failure = Failure(kind=kind, message="")
    assert RetryPolicy(retries=5).delay(failure, 1, dice()) is None


def test_retry_after_is_the_least_wait_and_cut_at_two_minutes():
    policy = RetryPolicy(retries=5, base=1.0)
    for asked, least, most in ((10.0, 10.0, 10.1), (9999.0, 120.0, 120.1)):
        failure = Failure(kind="rate_limited", message="", retry_after=asked)
        assert least <= policy.delay(failure, 1, dice(3)) <= most


def sitting(tmp_path, answer, **settings):
    target, clock = Answering(answer), FlyingClock()
    one = job([candidate()], [scenario(numbered(1))], **settings)
    with opened(tmp_path, one) as store:
        outcome = asyncio.run(
            execute(one, store=store, targets={"a": target}, runtime=runtime(clock))
        )
        (fact,) = store.facts(RUN)
        trial = store.trial(fact.key_id)
    return target, outcome, trial


def test_failed_tries_are_kept_with_the_trial(tmp_path):
    left = [Failure(kind="overloaded", message="529"), SERVER]

    def answer(_):
        if left:
            raise TargetError(left.pop())
        return "42"

    target, outcome, trial = sitting(tmp_path, answer, retries=5)
    assert len(target.requests) == 3
    assert outcome.retries == 2
    assert trial.failure is None
    assert [a.failure.kind for a in trial.attempts] == ["server", "overloaded"]
    assert all(a.waited >= 0 for a in trial.attempts)
    assert len({r.seed for r in target.requests}) == 1


def test_giving_up_makes_exactly_one_call_more_than_retries(tmp_path):
    def answer(_):
        raise TargetError(SERVER)

    target, outcome, trial = sitting(tmp_path, answer, retries=3)
    assert len(target.requests) == 4
    assert trial.failure == SERVER
    assert len(trial.attempts) == 3
    assert outcome.failures == {"server": 1}


def test_what_a_task_waited_is_noted_apart_from_its_latency(tmp_path):
    left = [SERVER, SERVER]

    def answer(_):
        if left:
            raise TargetError(left.pop())
        return "42"

    _, _, trial = sitting(tmp_path, answer, retries=5)
    # On a clock that only moves while somebody waits, the pauses are all there is.
    assert trial.waited == pytest.approx(sum(attempt.waited for attempt in trial.attempts))
    assert trial.waited > 0
    assert trial.latency == pytest.approx(0.02)
    _, _, quick = sitting(tmp_path / "quick", lambda _: "42")
    assert quick.waited == 0.0


def test_what_failed_tries_have_cost_is_part_of_the_cost_and_told_apart(tmp_path):
    left = [TargetError(SERVER, partial=completion("4", tokens=(1_000_000, 0))), None]
    price = Price(input=Decimal(1), output=Decimal(1))

    def answer(_):
        error = left.pop(0)
        if error is not None:
            raise error
        return completion("42", tokens=(2_000_000, 0))

    one = job([candidate(price=price)], [scenario(numbered(1))], retries=5)
    with opened(tmp_path, one) as store:
        target = Answering(answer)
        asyncio.run(
            execute(one, store=store, targets={"a": target}, runtime=runtime(FlyingClock()))
        )
        (fact,) = store.facts(RUN)
    # One million tokens of the failed try and two of the answer, at a dollar a million.
    assert (fact.cost, fact.retry_cost, fact.calls) == (3.0, 1.0, 1)
