"""Spread, hours, time per token and verbosity from the rows of a run."""

from __future__ import annotations

import numpy as np
import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering_detail import engineering_details
from befit.analysis.frame import build_frame


def frame_of(facts):
    """The columns of given rows."""
    names = list(dict.fromkeys(row.candidate for row in facts))
    samples = {row.sample_id for row in facts}
    return build_frame(manifest(names, [(spec(repeats=2), len(samples))]), facts, ())


def details(facts):
    """The row over all scenarios of the only candidate."""
    return engineering_details(frame_of(facts))[0]


def rows(latencies, **more):
    return [fact("a", f"s{i}", 1.0, latency=value, **more) for i, value in enumerate(latencies)]


def test_the_spread_is_p95_over_p50_and_one_slow_call_in_ten_shows():
    # 18 calls of 1 s and 2 of 3 s: half lies at 1 s, 95 % at 3 s.
    found = details(rows([1.0] * 18 + [3.0] * 2))
    assert found.latency_spread.value == pytest.approx(3.0)
    assert found.latency_spread.low == pytest.approx(1.0)
    steady = details(rows([2.0] * 20))
    assert (steady.latency_spread.value, steady.latency_spread.high) == (1.0, 1.0)


def test_too_few_calls_have_no_spread():
    assert details(rows([1.0] * 9)).latency_spread.value is None


def test_a_rush_hour_shows_between_hours():
    facts = [
        fact("a", f"s{hour}{i}", 1.0, latency=1.0 + hour, started_at=3600.0 * hour + i)
        for hour in (0, 1)
        for i in range(12)
    ]
    found = details(facts)
    assert found.hours == 2
    assert found.hour_spread.value == pytest.approx(2.0)


def test_one_hour_is_no_comparison():
    assert details(rows([1.0] * 20)).hour_spread.value is None


def test_verbosity_is_length_over_the_shortest_passing_answer_whoever_gave_it():
    facts = [fact("a", f"s{i}", 1.0, output_tokens=30) for i in range(12)]
    facts += [fact("b", f"s{i}", 1.0, output_tokens=10) for i in range(12)]
    # A shorter answer that is wrong sets no standard.
    facts += [fact("b", f"s{i}", 0.0, repeat=1, output_tokens=1) for i in range(12)]
    long, short = engineering_details(frame_of(facts))[:2]
    assert (long.candidate, long.verbosity.value) == ("a", pytest.approx(3.0))
    assert short.verbosity.value == pytest.approx(0.55)


def test_reused_answers_are_no_measurement_and_unseen_token_times_are_not_zero():
    facts = rows([1.0] * 12, per_token=0.01)
    facts += [fact("a", f"r{i}", 1.0, latency=9.0, per_token=9.0, reused=True) for i in range(12)]
    found = details(facts)
    assert found.per_token_p95.value == pytest.approx(0.01)
    assert details(rows([1.0] * 12)).per_token_p50.value is None


def test_tokens_and_cost_are_compared_between_hours_too():
    facts = [
        fact("a", f"s{hour}{i}", 1.0, output_tokens=10 * (hour + 1), cost=0.01 * (hour + 1),
             started_at=3600.0 * hour + i)
        for hour in (0, 1)
        for i in range(12)
    ]  # fmt: skip
    found = details(facts)
    assert found.hour_tokens.value == pytest.approx(2.0)
    assert found.hour_cost.value == pytest.approx(2.0)
    assert found.hour_spread.value == pytest.approx(1.0)


def test_another_run_of_the_same_candidate_is_a_group_of_its_own():
    frame = frame_of(rows([1.0] * 12))
    seconds, tokens, usd = [3.0] * 12, [5.0] * 12, [np.nan] * 12
    earlier = {("a", "task"): [np.array([seconds, tokens, usd]).T]}
    found = engineering_details(frame, earlier)[0]
    assert (found.runs, found.run_spread.value) == (2, pytest.approx(3.0))
    assert found.run_tokens.value == pytest.approx(1.0)
    # Nothing is known of what the other run cost, so there is nothing to compare.
    assert found.run_cost.value is None
    assert engineering_details(frame)[0].run_spread.value is None


def test_chatter_is_what_stands_around_the_answer_proper():
    # "The total is 120 EUR." holds 3 of 22 characters of answer; "120" is nothing else.
    facts = [fact("a", f"s{i}", 1.0, output_chars=22, payload_chars=3) for i in range(6)]
    facts += [fact("a", f"t{i}", 1.0, output_chars=3, payload_chars=3) for i in range(6)]
    assert details(facts).chatter.value == pytest.approx((19 / 22) / 2)
    assert details(rows([1.0] * 12)).chatter.value is None
