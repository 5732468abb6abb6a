"""What a level of load says of a promise: no share of none, no verdict that chance could turn."""

from __future__ import annotations

import pytest

from befit.analysis.load import LoadLevel, ServiceLevel, analyse_level
from befit.analysis.load_search import judge
from befit.analysis.load_timeline import timeline
from befit.charts.numbers import MISSING, estimate_text
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from load_ground import SimulatedServer, run_level

PROMISE = ServiceLevel(latency=3.0)


def level(n: int, *, takes: float, failed: int = 0, promise: ServiceLevel = PROMISE) -> LoadLevel:
    """One call every 2 s, n in all; the last `failed` of them fail."""
    calls = [
        Call(scheduled=2.0 * i, sent=2.0 * i, end=2.0 * i + takes,
             failure="server" if i >= n - failed else None)
        for i in range(n)
    ]  # fmt: skip
    run = LevelRun(
        shape=LoadShape(kind="constant", rate=0.5, duration=2.0 * n), log=CallLog.of(calls),
        offered=n, stopped="", most_in_flight=2, waited_for_place=0, in_flight=((1.0, 1),),
    )  # fmt: skip
    return analyse_level(run, promise)


def test_one_of_five_calls_that_ends_after_the_level_is_no_queue() -> None:
    # Each takes 2.5 s: 4 of 5 end within the 10 s, though all of them keep the promise.
    found = level(5, takes=2.5)
    assert found.achieved == pytest.approx(0.8)
    # Wilson of 5 of 5: 5 / (5 + 3.84) = .566
    assert (found.attainment.value, round(found.attainment.low or 0, 2)) == (1.0, 0.57)
    verdict, why = judge(found, PROMISE)
    assert verdict == "cannot_tell"
    assert "80 % of the calls due were ended, and so few calls" in why


def test_few_calls_that_all_kept_it_settle_nothing_and_it_is_said_so() -> None:
    verdict, why = judge(level(5, takes=1.0), PROMISE)
    assert verdict == "cannot_tell"
    assert why == "100.0 % of the calls kept the service level, and 5 of them do not settle 95 %"


def test_a_queue_that_grows_is_missed() -> None:
    # 140 a second where ten places of 0.1 s bear 100: 800 of 2,800 calls wait at the end of 20 s.
    run = run_level(
        SimulatedServer(places=10, service=lambda _: 0.1),
        LoadShape(kind="constant", rate=140, duration=20),
    )
    verdict, why = judge(analyse_level(run, PROMISE), PROMISE)
    assert verdict == "missed"
    assert "the queue grew: 71 % of the calls due" in why


def test_where_nothing_was_promised_nothing_is_attained() -> None:
    nothing = ServiceLevel()
    found = level(100, takes=1.0, promise=nothing)
    assert found.attainment.value is None
    assert found.attainment.method == "nothing was promised"
    assert estimate_text(found.attainment, "percent") == MISSING
    # A search without a promise asks for answers: 100 of 100 (from .963 on), 50 of 100.
    assert judge(found, nothing) == ("kept", "")
    lost = level(100, takes=1.0, failed=50, promise=nothing)
    assert judge(lost, nothing) == ("missed", "50.0 % of the calls were answered")


@pytest.mark.parametrize(
    ("rate", "growing"),
    [
        # 8 places of 0.34 s bear 23.5 a second. At 20 a queue comes and goes: with these seeds
        # calls in flight and latency both have a slope that seems significant.
        (20.0, (False, False, False)),
        (32.0, (True, True, True)),
    ],
)
def test_a_queue_that_comes_and_goes_is_not_said_to_grow(
    rate: float, growing: tuple[bool, ...]
) -> None:
    def grew(seed: int) -> bool:
        server = SimulatedServer(places=8, service=lambda rng: rng.uniform(0.2, 0.48), seed=seed)
        shape = LoadShape(kind="poisson", rate=rate, duration=30, warm_up=6, seed=seed)
        return timeline(run_level(server, shape)).growing

    assert tuple(map(grew, (21, 29, 57))) == growing


@pytest.mark.parametrize("n", [2, 20, 21])  # the last one ends what is counted
def test_a_level_cut_short_after_few_calls_has_no_rate_and_is_not_to_be_used(n: int) -> None:
    calls = [Call(scheduled=0.01 * i, sent=0.01 * i, end=0.01 * i + 0.005) for i in range(n)]
    run = LevelRun(
        shape=LoadShape(kind="closed", concurrency=2, duration=30), log=CallLog.of(calls),
        offered=n, stopped="interrupted", most_in_flight=2, waited_for_place=0,
        in_flight=((0.1, 2),),
    )  # fmt: skip
    found = analyse_level(run)
    told = [found.requests_per_second.value, found.goodput.value]
    assert (None in told, bool(found.invalid)) == (n <= 20, n <= 20)
    if found.invalid:
        assert told == [None, None]
        assert "too few to tell a rate" in found.invalid[0]
        assert found.requests_per_second.method == found.invalid[0]
