from __future__ import annotations

import asyncio

import pytest

from befit.core.candidate import Limits
from befit.core.failure import Failure
from befit.engine.limiter import COOL_DOWN, Limiter
from befit.engine.rate_headers import exhausted_for
from befit.engine.stop import Abandoned, Drain
from engine_ground import FlyingClock

BUSY = Failure(kind="rate_limited", message="slow down", status=429)


def limiter(clock: FlyingClock, *, concurrency: int = 100, **limits: int) -> Limiter:
    return Limiter(concurrency=concurrency, clock=clock, drain=Drain(), limits=Limits(**limits))


def within(go):
    async def bounded():
        async with asyncio.timeout(5):
            return await go

    return asyncio.run(bounded())


def test_it_starts_at_the_stated_number():
    async def go():
        one = limiter(FlyingClock(), concurrency=3)
        for _ in range(3):
            await one.acquire()
        fourth = asyncio.create_task(one.acquire())
        await asyncio.sleep(0)
        assert not fourth.done()
        one.release()
        await fourth
        return one.in_use

    assert within(go()) == 3


def test_one_burst_of_429s_is_one_episode():
    async def go():
        clock = FlyingClock()
        one = limiter(clock)
        for _ in range(50):
            one.failed(BUSY, started=clock.now)
        return one.limit

    assert within(go()) == 80  # 100 x 0.8, once


def test_calls_sent_before_the_cut_do_not_cut_again():
    async def go():
        clock = FlyingClock()
        one = limiter(clock)
        sent = clock.now
        clock.now += 1
        one.failed(BUSY, started=sent)
        clock.now += COOL_DOWN + 1
        one.failed(BUSY, started=sent)  # a straggler of the same burst
        before = one.limit
        one.failed(BUSY, started=clock.now)
        return before, one.limit

    assert within(go()) == (80, 64)


def test_it_grows_back_by_one_for_each_round_after_a_quiet_time_up_to_the_stated_number():
    async def go():
        clock = FlyingClock()
        one = limiter(clock, concurrency=10)
        one.failed(BUSY, started=clock.now)
        one_round = [one.limit]
        for _ in range(100):
            one.answered({})
        one_round.append(one.limit)  # still cooling down
        clock.now += COOL_DOWN
        one.answered({})
        one_round.append(one.limit)
        for _ in range(200):
            one.answered({})
        return [*one_round, one.limit]

    assert within(go()) == [8, 8, 9, 10]


def test_it_never_falls_below_one():
    async def go():
        clock = FlyingClock()
        one = limiter(clock, concurrency=2)
        for _ in range(20):
            clock.now += COOL_DOWN
            one.failed(BUSY, started=clock.now)
        await one.acquire()
        return one.limit

    assert within(go()) == 1


def test_an_error_of_the_server_is_no_reason_to_slow_down():
    async def go():
        clock = FlyingClock()
        one = limiter(clock)
        one.failed(Failure(kind="server", message="500", status=500), started=clock.now)
        return one.limit

    assert within(go()) == 100


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (3600.0, 120.0), (-5.0, 0.0)])
def test_retry_after_pauses_the_whole_endpoint_up_to_two_minutes(asked, waited):
    async def go():
        clock = FlyingClock()
        one = limiter(clock)
        begun = clock.now
        one.failed(Failure(kind="rate_limited", message="", retry_after=asked), started=clock.now)
        await one.admit(0)
        return clock.now - begun

    assert within(go()) == waited


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}, 90.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "250ms"}, 0.25),
        ({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "1m30s"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "60", "x-ratelimit-reset-tokens": "12"}, 12.0),
        ({"x-ratelimit-remaining-tokens": "600", "x-ratelimit-reset-tokens": "12"}, 0.0),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:20Z",
            },
            20.0,
        ),
        ({"x-ratelimit-remaining-requests": "none", "x-ratelimit-reset-requests": "1s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0"}, 0.0),
    ],
)
def test_headers_say_when_there_is_something_left_again(headers, seconds):
    # 2026-01-01T00:00:00Z is 1767225600 seconds after the epoch
    assert exhausted_for(headers, wall=1_767_225_600.0, needed_tokens=100) == seconds


def test_an_answer_that_used_up_the_quota_pauses_the_next_call():
    async def go():
        clock = FlyingClock()
        one = limiter(clock)
        begun = clock.now
        one.answered({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6s"})
        await one.admit(0)
        return clock.now - begun

    assert within(go()) == 6


def test_requests_per_minute_are_handed_out_evenly():
    async def go():
        clock = FlyingClock()
        one = limiter(clock, requests_per_minute=120)
        begun = clock.now
        times = []
        for _ in range(10):
            await one.admit(0)
            times.append(clock.now - begun)
        return times

    # 2 a second: one second's worth (2) and the first at once, then one each half second.
    assert within(go()) == pytest.approx([0, 0, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])


def test_tokens_not_used_are_given_back():
    async def go(used):
        clock = FlyingClock()
        one = limiter(clock, tokens_per_minute=6000)
        begun = clock.now
        for _ in range(5):
            await one.admit(1000)
            one.used(admitted=1000, tokens=used)
        return clock.now - begun

    # 100 tokens a second; the fifth waits for the four before it, less one second's worth.
    assert within(go(1000)) == pytest.approx(39)
    assert within(go(100)) == pytest.approx(3)


def test_a_drained_limiter_sends_waiters_away():
    async def go():
        one = limiter(FlyingClock(), concurrency=1)
        await one.acquire()
        waiting = asyncio.create_task(one.acquire())
        await asyncio.sleep(0)
        one.abandon_waiters()
        with pytest.raises(Abandoned):
            await waiting
        return one.in_use

    assert within(go()) == 1


def test_a_cancelled_waiter_leaves_no_place_taken():
    async def go():
        one = limiter(FlyingClock(), concurrency=1)
        await one.acquire()
        waiting = asyncio.create_task(one.acquire())
        await asyncio.sleep(0)
        one.release()  # hands the place over ...
        waiting.cancel()  # ... to one who no longer wants it
        await asyncio.gather(waiting, return_exceptions=True)
        await one.acquire()
        return one.in_use

    assert within(go()) == 1
