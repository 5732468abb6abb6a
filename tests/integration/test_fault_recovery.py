from __future__ import annotations

import asyncio
from collections import Counter
from decimal import Decimal

import pytest

from befit.core.candidate import Limits, Timeouts
from befit.core.price import Price
from befit.core.sample import Sample
from befit.engine.executor import execute
from befit.engine.opening import open_targets
from befit.testing.provider import FakeProvider, refused_url
from befit.testing.script import Delay, Script
from engine_ground import RUN, candidate, fixed, job, numbered, scenario, workspace


def run(one, store, *, seconds=60, **more):
    async def go():
        async with (
            asyncio.timeout(seconds),
            open_targets(entry.candidate for entry in one.candidates) as targets,
        ):
            return await execute(one, store=store, targets=targets, **more)

    return asyncio.run(go())


def test_random_rate_limits_errors_and_cut_streams_are_all_recovered(tmp_path):
    script = Script(answer="42", rates={"429": 0.06, "500": 0.05, "cut": 0.05}, seed=11)
    with FakeProvider(script) as provider:
        one = job(
            [candidate(base_url=provider.base_url)],
            [scenario(numbered(400))],
            concurrency=50,
            n_slots=400,
            retries=6,
        )
        with workspace(tmp_path, one) as store:
            outcome = run(one, store)
            facts = list(store.facts(RUN))
        faults = Counter(r.fault for r in provider.requests if r.fault)
    assert faults["429"] > 5
    assert faults["500"] > 5
    assert faults["cut"] > 5
    assert (outcome.status, outcome.ok, outcome.missing) == ("complete", 400, 0)
    assert outcome.retries == sum(faults.values()) == sum(f.attempts for f in facts)
    assert all(fact.passed == 1.0 for fact in facts)


def test_permanent_failures_stay_missing_with_their_cause(tmp_path):
    def samples():
        for i in range(1000):
            mark = "[[fault:500]] " if i % 40 == 7 else ""
            yield Sample(id=f"s{i}", input=f"{mark}question {i}", target="42")

    with FakeProvider(Script(answer="42")) as provider:
        one = job(
            [candidate(base_url=provider.base_url)],
            [scenario(fixed(*samples()))],
            concurrency=50,
            n_slots=1000,
            retries=1,
        )
        with workspace(tmp_path, one) as store:
            outcome = run(one, store)
            facts = list(store.facts(RUN))
    assert outcome.status == "partial"
    assert (outcome.ok, outcome.missing) == (975, 25)
    assert outcome.failures == {"server": 25}
    missing = [fact for fact in facts if fact.status == "missing"]
    assert len(missing) == 25
    assert {fact.failure for fact in missing} == {"server"}
    assert all(fact.passed is None and fact.attempts == 1 for fact in missing)


def test_more_than_the_provider_takes_is_adapted_to(tmp_path):
    script = Script(
        answer="42", max_concurrent=8, first_token=Delay(seconds=0.01), retry_after=0.02
    )
    with FakeProvider(script) as provider:
        one = job(
            [candidate(base_url=provider.base_url)],
            [scenario(numbered(150))],
            concurrency=20,
            retries=20,
        )
        with workspace(tmp_path, one) as store:
            outcome = run(one, store)
    assert (outcome.status, outcome.ok) == ("complete", 150)


def test_a_wrong_key_and_a_dead_address_stop_early_and_the_rest_finishes(tmp_path):
    with (
        FakeProvider(Script(answer="42", permanent={"": "401"})) as locked,
        FakeProvider(Script(answer="42")) as fine,
    ):
        one = job(
            [
                candidate("locked", base_url=locked.base_url),
                candidate("dead", base_url=refused_url()),
                candidate("fine", base_url=fine.base_url),
            ],
            [scenario(numbered(200))],
            concurrency=10,
            n_slots=600,
            retries=0,
        )
        with workspace(tmp_path, one) as store:
            outcome = run(one, store)
        asked = len(locked.requests)
    assert outcome.status == "partial"
    assert outcome.ok == 200
    assert asked <= 15
    assert {s.candidate: s.cause.kind for s in outcome.stopped} == {
        "locked": "auth",
        "dead": "connect",
    }
    assert outcome.not_run == 400 - outcome.missing == sum(s.not_run for s in outcome.stopped)


def test_a_stalled_stream_does_not_hang_the_run(tmp_path):
    samples = [Sample(id=f"s{i}", input=f"question {i}", target="42") for i in range(10)]
    samples[3] = Sample(id="s3", input="[[fault:stall]] question", target="42")
    samples[5] = Sample(id="s5", input="[[fault:stall_after:1]] question", target="42")
    with FakeProvider(Script(answer="4 2")) as provider:
        one = job(
            [
                candidate(
                    base_url=provider.base_url,
                    timeouts=Timeouts(first_token=0.4, idle=0.4, total=2),
                )
            ],
            [scenario(fixed(*samples))],
            n_slots=10,
            retries=1,
        )
        with workspace(tmp_path, one) as store:
            outcome = run(one, store, seconds=30)
    assert (outcome.ok, outcome.missing) == (8, 2)
    assert outcome.failures == {"timeout_first_token": 1, "timeout_idle": 1}


def test_the_spend_cap_ends_the_run_below_it_and_a_higher_one_resumes_it(tmp_path):
    price = Price(input=Decimal(1000), output=Decimal(1000))
    with FakeProvider(Script(answer="42")) as provider:
        entry = candidate(base_url=provider.base_url, price=price)
        capped = job([entry], [scenario(numbered(300))], n_slots=300, max_cost=0.5, concurrency=10)
        free = job([entry], [scenario(numbered(300))], n_slots=300, max_cost=400.0)
        with workspace(tmp_path, capped) as store:
            first = run(capped, store)
            facts = list(store.facts(RUN))
            second = run(free, store)
    assert first.status == "capped"
    assert 0 < first.ok < 300
    assert first.not_run == 300 - first.ok
    assert sum(fact.cost for fact in facts) == pytest.approx(float(first.spent))
    assert first.spent + first.uncertain <= Decimal("0.5")
    assert (second.status, second.already) == ("complete", first.ok)


def test_requests_per_minute_are_kept(tmp_path):
    with FakeProvider(Script(answer="42")) as provider:
        entry = candidate(base_url=provider.base_url, limits=Limits(requests_per_minute=1200))
        one = job([entry], [scenario(numbered(60))], concurrency=30)
        with workspace(tmp_path, one) as store:
            assert run(one, store).ok == 60
        times = sorted(request.at for request in provider.requests)
    # 20 per second with one second's worth at once: 60 calls take 2 s, not less.
    assert times[-1] - times[0] > 1.8
