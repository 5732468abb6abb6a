"""The load generator against simulated servers: arrivals, caps, lag, stalls."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import numpy as np
import pytest
from pydantic import ValidationError

from befit.analysis.load import ServiceLevel, analyse_level, columns
from befit.analysis.load_naive import naive_closed_loop
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import Bound, Caps, LoadGenerator, Purse, Sent
from befit.engine.load_shape import Arrival, LoadShape, due_times
from befit.pipeline.saturation import SearchSettings, search
from load_ground import SimulatedServer, fly, run_level


def steady(seconds, places=10_000, **more):
    return SimulatedServer(places=places, service=lambda _: seconds, **more)


def test_constant_arrivals_are_due_at_equal_steps_whatever_the_server_does():
    run = run_level(steady(5.0), LoadShape(kind="constant", rate=10, duration=2))
    due = sorted(run.log.column("scheduled"))
    assert due == pytest.approx([i / 10 for i in range(20)])


def test_poisson_gaps_have_the_mean_and_spread_of_an_exponential():
    times = np.array(list(due_times(LoadShape(kind="poisson", rate=50, duration=400, seed=3))))
    gaps = np.diff(times)
    # 20,000 gaps: mean 0.02 with standard error 0.02 / sqrt(20000) = 0.00014.
    assert gaps.mean() == pytest.approx(0.02, abs=0.0006)
    assert gaps.std() / gaps.mean() == pytest.approx(1.0, abs=0.03)


def test_the_same_seed_gives_the_same_arrivals_and_another_does_not():
    first, again, other = (
        list(due_times(LoadShape(rate=5, duration=20, seed=seed))) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_ramp_brings_the_mean_rate_and_three_times_as_many_calls_in_its_second_half():
    # 0..10/s would begin at nothing; from 2/s to 18/s the halves hold 60 and 140 of 200 calls.
    times = np.array(list(due_times(LoadShape(kind="ramp", rate=2, rate_to=18, duration=20))))
    expected = np.array([60, 140])
    found = np.array([(times < 10).sum(), (times >= 10).sum()])
    assert (np.abs(found - expected) < 4 * np.sqrt(expected)).all()


def test_a_replayed_trace_keeps_its_times_divided_by_the_speed():
    trace = (Arrival(at=0.5), Arrival(at=1.0), Arrival(at=4.0))
    times = due_times(LoadShape(kind="replay", speed=2, duration=1.5), trace)
    assert list(times) == [0.25, 0.5]


def test_a_closed_loop_never_has_more_in_flight_and_keeps_all_places_busy():
    run = run_level(steady(0.1), LoadShape(kind="closed", concurrency=7, duration=10))
    assert run.most_in_flight == 7
    # 7 places of 0.1 s for 10 s are 700 calls, less the staggered start of at most half a second.
    assert 650 <= run.log.n <= 707


def test_calls_of_warm_up_and_cool_down_are_made_but_not_counted():
    shape = LoadShape(kind="constant", rate=10, duration=10, warm_up=2, cool_down=3)
    run = run_level(steady(0.05), shape)
    assert run.log.n == 100
    assert run.offered == analyse_level(run).calls == 50


def test_more_in_flight_than_allowed_wait_and_the_level_says_so():
    shape = LoadShape(kind="constant", rate=10, duration=5, most_in_flight=2)
    run = run_level(steady(1.0), shape)
    level = analyse_level(run)
    assert run.most_in_flight == 2
    assert "calls waited because 2 were in flight" in level.invalid[0]
    # Two places of a second: the last of 50 calls ends after 25 s, twenty after it was due.
    assert level.times["latency"].p99.value == pytest.approx(20.0, abs=1.2)
    assert level.times["service"].p99.value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("caps", "stopped", "calls"),
    [
        (Caps(requests=7), "requests", 7),
        # Ten tokens a call: the sixth could break 55.
        (Caps(tokens=55), "tokens", 5),
    ],
)
def test_a_cap_stops_the_level_before_it_is_passed(caps, stopped, calls):
    shape = LoadShape(kind="constant", rate=10, duration=10)
    run = run_level(steady(0.01), shape, purse=Purse(caps=caps))
    assert (run.stopped, run.log.n) == (stopped, calls)


def test_the_spend_cap_counts_what_calls_in_flight_could_cost():
    class Dear:
        def bound(self, _index, /):
            return Bound(usd=Decimal("0.30"))

        async def send(self, _index, _due, /):
            return Sent(call=Call(scheduled=0, sent=0, end=0), usd=Decimal("0.10"))

    purse = Purse(caps=Caps(usd=Decimal("1.00")))
    run = run_level(Dear(), LoadShape(kind="constant", rate=10, duration=10), purse=purse)
    # After n calls 0.1 n is spent; another is made while 0.1 n + 0.3 <= 1: eight calls.
    assert (run.stopped, run.log.n, purse.usd) == ("spend", 8, Decimal("0.80"))


def test_a_broken_sender_ends_the_level_with_its_error():
    class Broken:
        def bound(self, _index, /):
            return Bound()

        async def send(self, _index, _due, /):
            raise RuntimeError("bug")

    with pytest.raises(RuntimeError, match="bug"):
        run_level(Broken(), LoadShape(kind="constant", rate=10, duration=10))


def test_stop_makes_no_more_calls_and_waits_for_those_in_flight():
    generator = LoadGenerator(steady(1.0), LoadShape(kind="constant", rate=10, duration=100))

    async def work():
        asyncio.get_running_loop().call_later(2.05, generator.stop)
        return await generator.run()

    run = fly(work())
    assert (run.stopped, run.log.n) == ("interrupted", 21)
    assert max(run.log.column("end")) == pytest.approx(3.0)


def test_a_stall_is_seen_from_the_scheduled_time_and_a_waiting_client_would_have_missed_it():
    """100 calls a second for 20 s of a server that answers in 5 ms but stands still for 2 s."""
    run = run_level(
        steady(0.005, stall=(8.0, 10.0)), LoadShape(kind="constant", rate=100, duration=20)
    )
    calls = columns(run.log)
    told = naive_closed_loop(calls)
    # 200 of 2,000 calls fall into the stall and wait 2.0 to 0.01 s: the slowest 1 % are the first
    # twenty of them, so that p99 is about 2.0 - 20 x 0.01 = 1.8 s.
    assert told.scheduled.p99.value == pytest.approx(1.8, abs=0.03)
    # The waiting client makes one slow call of 1,801: its p99 is 5 ms.
    assert told.naive.p99.value == pytest.approx(0.005, abs=1e-6)
    assert 198 <= told.calls_left_out <= 200
    assert "p99 of 0.005 s instead of 1.81 s" in told.note


def test_without_a_stall_there_is_nothing_to_note():
    run = run_level(steady(0.005), LoadShape(kind="constant", rate=100, duration=20))
    assert naive_closed_loop(columns(run.log)).note == ""


def test_a_generator_that_is_late_invalidates_its_level():
    calls = [Call(scheduled=i / 10, sent=i / 10 + 0.02, end=i / 10 + 0.2) for i in range(100)]
    run = run_level(steady(0.2), LoadShape(kind="constant", rate=10, duration=10))
    assert analyse_level(run).invalid == ()
    late = type(run)(
        shape=run.shape,
        log=CallLog.of(calls),
        offered=100,
        stopped="",
        most_in_flight=2,
        waited_for_place=0,
        in_flight=(),
    )
    assert "20.0 ms late" in analyse_level(late).invalid[0]


def test_failures_stay_in_the_denominator_of_attainment_and_out_of_the_times():
    calls = [Call(scheduled=i / 10, sent=i / 10, end=i / 10 + 0.1) for i in range(80)]
    calls += [
        Call(scheduled=i / 10, sent=i / 10, end=i / 10 + 0.001, failure="rate_limited")
        for i in range(80, 100)
    ]
    run = run_level(steady(0.1), LoadShape(kind="constant", rate=10, duration=10))
    given = type(run)(
        shape=run.shape,
        log=CallLog.of(calls),
        offered=100,
        stopped="",
        most_in_flight=2,
        waited_for_place=0,
        in_flight=(),
    )
    level = analyse_level(given, ServiceLevel(latency=0.5))
    assert level.attainment.value == pytest.approx(0.8)
    assert level.error_rate.value == pytest.approx(0.2)
    assert level.failures == {"rate_limited": 20}
    assert level.times["latency"].p50.value == pytest.approx(0.1)
    assert level.times["latency"].p50.n_missing == 20
    assert level.goodput.value == pytest.approx(8.0)


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "poisson"},
        {"kind": "closed"},
        {"kind": "ramp", "rate": 1},
        {"rate": 1, "duration": 5, "warm_up": 3, "cool_down": 2},
    ],
)
def test_a_level_that_is_not_complete_is_refused(fields):
    with pytest.raises(ValidationError):
        LoadShape(**fields)


def test_a_log_that_outgrows_its_room_keeps_every_call():
    log = CallLog(expected=2)
    for i in range(5):
        log.add(Call(scheduled=i, sent=i, end=i + 1, failure="server" if i == 4 else None))
    assert list(log.column("scheduled")) == [0, 1, 2, 3, 4]
    assert [call.failure for call in log] == [None, None, None, None, "server"]


def test_a_level_whose_queue_runs_over_is_given_up_and_nothing_due_is_forgotten():
    # One call a second is answered where 50 are due: with 20 waiting beside 5 in flight it ends.
    shape = LoadShape(kind="constant", rate=50, duration=600, most_in_flight=5, most_waiting=20)
    purse = Purse()
    run = run_level(steady(1.0), shape, purse=purse)
    assert run.stopped == "overrun"
    assert run.log.n == run.offered == purse.requests < 100
    level = analyse_level(run)
    assert level.failures["not_sent"] == 20
    assert level.invalid
    # What was never sent has used no tokens.
    assert purse.tokens == 10 * (run.log.n - 20)


def test_a_search_calls_a_load_whose_queue_runs_over_missed_and_goes_on():
    async def level(shape):
        server = SimulatedServer(places=1, service=lambda _: 0.1)
        small = shape.model_copy(update={"most_in_flight": 5, "most_waiting": 10})
        return await LoadGenerator(server, small).run()

    plan = SearchSettings(start=40, least_calls=200)
    found = fly(search(level, ServiceLevel(latency=2.0), plan))
    over = [one for one in found.tried if "calls waiting" in one.why]
    assert over
    assert all(one.verdict == "missed" for one in over)
    assert found.bearable < 10


def test_a_search_on_a_machine_that_is_too_busy_says_so_and_does_not_blame_the_server():
    class Late:
        """A generator that is a second late, before a server that answers at once."""

        def bound(self, _index, /):
            return Bound()

        async def send(self, _index, _due, /):
            await asyncio.sleep(1.1)
            return Sent(call=Call(scheduled=0, sent=1.0, end=1.1))

    async def level(shape):
        return await LoadGenerator(Late(), shape).run()

    plan = SearchSettings(start=40, least_calls=100)
    found = fly(search(level, ServiceLevel(latency=5.0), plan))
    assert found.bearable is None
    assert len(found.tried) == 3
    assert "this machine is too busy" in found.ended_by


def test_a_search_ends_where_lower_loads_could_not_make_enough_calls():
    async def level(shape):
        server = SimulatedServer(places=1, service=lambda _: 100.0)
        return await LoadGenerator(server, shape).run()

    plan = SearchSettings(start=8, least_calls=50, most_seconds=10)
    found = fly(search(level, ServiceLevel(latency=0.1), plan))
    assert [one.load for one in found.tried] == [8, 4, 2]
    assert "too few for levels of 10 s" in found.ended_by


def searched(service, promise, **settings):
    """Search a server of 20 places; the service time of a call is `service` s."""
    number = iter(range(100))

    async def level(shape):
        server = SimulatedServer(places=20, service=service, seed=next(number))
        return await LoadGenerator(server, shape).run()

    return fly(search(level, promise, SearchSettings(**settings)))


def test_a_search_that_has_too_few_calls_to_tell_goes_up_and_not_down():
    # 20 places of 1 s bear 20 a second; in 20 s, 4 of them warm-up, 2 a second are 32 calls, and
    # 3.84 x 0.95 / 0.05 = 73 are needed to tell 95 %.
    found = searched(lambda _: 1.0, ServiceLevel(latency=3.0), start=2, most_seconds=20)
    loads = [one.load for one in found.tried]
    assert loads[:4] == [2, 4, 8, 16]
    assert min(loads) == 2
    assert [one.few for one in found.tried[:2]] == [True, True]
    assert found.tried[2].verdict == "kept"
    assert 8 <= found.bearable <= 22
    # Levels that the longest time cuts are not made once more: the same would tell no more.
    assert len(found.levels) == len(found.tried)


def test_a_search_that_cannot_tell_any_load_says_why():
    limited = searched(lambda _: 1.0, ServiceLevel(latency=3.0), start=2, most=4, most_seconds=10)
    assert (limited.bearable, [one.load for one in limited.tried]) == (None, [2, 4])
    assert limited.ended_by == (
        "the stated limit of 4 is reached, and levels of 10 s make too few calls to tell"
    )
    # 7 % of the calls are late at any load: some 60 calls do not tell that from 5 %.
    found = searched(
        lambda rng: 1.0 if rng.random() < 0.93 else 9.0, ServiceLevel(latency=5.0),
        start=8, most_seconds=10,
    )  # fmt: skip
    assert found.bearable is None
    assert min(one.load for one in found.tried) == 8
    assert "too few for levels of 10 s" in found.ended_by


def test_a_late_generator_alone_is_not_told_as_calls_left_out():
    calls = CallLog.of(Call(scheduled=i, sent=i + 0.05, end=i + 0.06) for i in range(400))
    told = naive_closed_loop(columns(calls))
    assert told.calls_left_out == 0
    assert told.scheduled.p99.value > 5 * told.naive.p99.value
    assert told.note == ""
