from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from befit.core.completion import Completion
from befit.core.failure import Failure
from befit.core.message import ImagePart, Message, TextPart
from befit.core.price import Price
from befit.engine.bill import Bill
from befit.engine.budget import Budget, upper_bound
from befit.engine.executor import execute
from befit.engine.stop import Drain
from befit.engine.tokens import PER_IMAGE, PER_MESSAGE, input_bound
from befit.errors import SpendCapError, TargetError
from engine_ground import Answering, candidate, completion, job, numbered, scenario, workspace

PRICE = Price(input=Decimal(100), output=Decimal(500))


@settings(max_examples=60, deadline=None)
@given(
    cap=st.integers(1, 60),
    calls=st.lists(
        st.tuples(st.integers(1, 20), st.floats(0, 1), st.booleans(), st.integers(0, 3)),
        max_size=40,
    ),
)
def test_what_is_spent_and_may_be_billed_never_passes_the_cap(cap, calls):
    async def go():
        budget = Budget(cap=Decimal(cap), drain=Drain())

        async def call(bound, share, fails, pauses):
            if not await budget.reserve(Decimal(bound)):
                return
            for _ in range(pauses):
                await asyncio.sleep(0)
            if fails:
                budget.settle_failed(Decimal(bound), kind="stream_interrupted")
            else:
                budget.settle(Decimal(bound), cost=Decimal(bound) * Decimal(share))
            assert budget.spent + budget.uncertain + budget.reserved <= cap

        async with asyncio.timeout(10):
            await asyncio.gather(*(call(*one) for one in calls))
        assert budget.reserved == 0

    asyncio.run(go())


def test_a_call_waits_for_those_in_flight_where_only_they_stand_in_the_way():
    async def go():
        budget = Budget(cap=Decimal(10), drain=Drain())
        assert await budget.reserve(Decimal(8))
        second = asyncio.create_task(budget.reserve(Decimal(8)))
        await asyncio.sleep(0)
        assert not second.done()
        budget.settle(Decimal(8), cost=Decimal(1))
        assert await second
        assert not await asyncio.wait_for(full(budget), 1)

    async def full(budget):
        budget.settle(Decimal(8), cost=Decimal(8))
        return await budget.reserve(Decimal(8))

    asyncio.run(go())


def test_a_call_that_was_refused_is_not_billed_and_a_cut_one_may_be():
    async def go():
        budget = Budget(cap=Decimal(10), drain=Drain())
        await budget.reserve(Decimal(3))
        budget.settle_failed(Decimal(3), kind="rate_limited")
        await budget.reserve(Decimal(4))
        budget.settle_failed(Decimal(4), kind="timeout_total")
        return budget.spent, budget.uncertain, budget.reserved

    assert asyncio.run(go()) == (0, 4, 0)


def test_the_upper_bound_takes_the_dearest_rate_of_each_side():
    price = Price(input=1, output=2, cache_write_1h=5, reasoning=7, per_request=Decimal("0.5"))
    # (1,000,000 x 5 + 2,000,000 x 7) / 1,000,000 + 0.5
    assert upper_bound(price, input_tokens=1_000_000, output_tokens=2_000_000) == Decimal("19.5")


def test_bytes_are_the_upper_bound_of_tokens():
    text = Message(role="user", content="naïve 漢字")  # 6 + 1 and 6 bytes
    assert input_bound([text]) == len("naïve 漢字".encode()) + PER_MESSAGE == 13 + PER_MESSAGE
    image = Message(
        role="user",
        content=(TextPart(text="see"), ImagePart(url="data:image/png;base64,AAAA")),
    )
    assert input_bound([image], static=10) == 3 + 10 + PER_MESSAGE + PER_IMAGE


def capped(tmp_path, answer, cap, *, price=PRICE, count=200):
    entry = candidate(price=price)
    one = job(
        [entry], [scenario(numbered(count))], n_slots=count, max_cost=cap, concurrency=10, retries=2
    )
    target = Answering(answer)
    target.delay = 0.001
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": target}))
    return outcome, target


def test_a_run_ends_at_its_cap_and_not_beyond(tmp_path):
    # bound per call: (11..13 + 16) x 100 + 20 x 500 = ~0.0129; real: 10 x 100 + 2 x 500 = 0.002
    outcome, target = capped(tmp_path, lambda _: "42", 0.1)
    assert outcome.status == "capped"
    assert outcome.spent == Decimal("0.002") * outcome.ok
    assert Decimal("0.085") < outcome.spent <= Decimal("0.1")
    assert outcome.ok == len(target.requests) == 200 - outcome.not_run


def test_answers_of_unknown_usage_count_at_their_bound(tmp_path):
    outcome, _ = capped(tmp_path, lambda _: Completion(text="42"), 0.1)
    assert outcome.status == "capped"
    assert outcome.spent == 0
    assert outcome.uncertain <= Decimal("0.1")
    assert outcome.ok == 7  # 0.1 / 0.0127


def test_cut_calls_count_at_their_bound(tmp_path):
    def answer(_):
        raise TargetError(Failure(kind="stream_interrupted", message="cut"))

    outcome, target = capped(tmp_path, answer, 0.05)
    assert outcome.status == "capped"
    assert outcome.uncertain <= Decimal("0.05")
    assert len(target.requests) == 3


def test_earlier_sittings_count_for_the_cap(tmp_path):
    entry = candidate(price=PRICE)
    one = job([entry], [scenario(numbered(5))], n_slots=5, max_cost=1.0)
    one = replace(one, before=Bill(spent=Decimal("0.9"), uncertain=Decimal("0.099")))
    target = Answering()
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": target}))
    assert (outcome.status, len(target.requests)) == ("capped", 0)


def test_an_unknown_price_under_a_cap_is_refused_unless_allowed(tmp_path):
    refused = job([candidate()], [scenario(numbered(3))], max_cost=1.0, allow_unknown_cost=False)
    allowed = job([candidate()], [scenario(numbered(3))], max_cost=1.0, allow_unknown_cost=True)
    target = Answering()
    with workspace(tmp_path, refused) as store:
        with pytest.raises(SpendCapError, match="no price is known for: a"):
            asyncio.run(execute(refused, store=store, targets={"a": target}))
        assert target.requests == []
        outcome = asyncio.run(execute(allowed, store=store, targets={"a": target}))
    assert (outcome.status, outcome.ok) == ("complete", 3)


def test_costs_are_known_only_where_price_and_usage_are(tmp_path):
    free = job([candidate(price=PRICE)], [scenario(numbered(1))])
    with workspace(tmp_path, free) as store:
        asyncio.run(
            execute(
                free,
                store=store,
                targets={"a": Answering(lambda _: completion("42", tokens=(1000, 100)))},
            )
        )
        (fact,) = store.facts(free.run_id)
    assert fact.cost == pytest.approx((1000 * 100 + 100 * 500) / 1e6)
