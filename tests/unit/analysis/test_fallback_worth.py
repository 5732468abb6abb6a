"""Retention and rescue, paired by sample; and what the cards of both models say."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from befit.analysis.fallback_quality import paired_quality
from befit.analysis.fallback_static import Needs, Side, static_check
from befit.core.candidate import Candidate, Sampling
from befit.core.model_card import ModelCard
from befit.core.price import Price

NAMES = ("main", "spare")


def test_failing_on_just_the_same_items_rescues_nothing_in_spite_of_a_high_pass_rate():
    primary = np.array([1.0] * 80 + [0.0] * 20)
    found = paired_quality(primary, primary.copy(), names=NAMES)
    assert found.pass_fallback.value == pytest.approx(0.80)
    assert found.retention.value == pytest.approx(1.0)
    # 0 of 20: Wilson's upper end is 0.161125 (the oracle of 0/20).
    assert found.rescue.value == 0.0
    assert found.rescue.high == pytest.approx(0.161125, abs=1e-6)
    assert "fails on the same samples" in found.finding


def test_a_worse_fallback_that_fails_elsewhere_rescues_much():
    primary = np.array([1.0] * 80 + [0.0] * 20)
    spare = np.array([1.0] * 50 + [0.0] * 30 + [1.0] * 18 + [0.0] * 2)
    found = paired_quality(primary, spare, names=NAMES)
    assert found.pass_fallback.value == pytest.approx(0.68)
    assert found.retention.value == pytest.approx(0.68 / 0.80)
    assert found.rescue.value == pytest.approx(0.9)
    assert "same samples" not in found.finding


def test_with_repeats_each_failure_of_the_primary_weighs_as_often_as_it_happens():
    # Sample 1 fails in 1 of 2 repeats, sample 2 in both: (0.5 x 1 + 1 x 0.5) / 1.5 = 2/3.
    found = paired_quality(np.array([0.5, 0.0, 1.0]), np.array([1.0, 0.5, 0.0]), names=NAMES)
    assert found.rescue.value == pytest.approx(2 / 3)
    assert found.n_failed == 2


def test_samples_count_by_their_weight_in_every_figure_of_a_fallback():
    primary = np.array([1.0, 1.0, 0.0, 0.0] * 5)
    spare = np.array([1.0, 0.0, 1.0, 0.0] * 5)
    weights = np.array([6.0, 1.0, 2.0, 1.0] * 5)
    found = paired_quality(primary, spare, names=NAMES, weights=weights)
    # of 10 parts the primary holds 6 + 1, the fallback 6 + 2; of the 2 + 1 it fails, 2 are rescued
    assert found.pass_primary.value == pytest.approx(0.7)
    assert found.pass_fallback.value == pytest.approx(0.8)
    assert found.retention.value == pytest.approx(8 / 7)
    assert found.rescue.value == pytest.approx(2 / 3)
    assert all("weighted" in e.method for e in (found.pass_primary, found.retention, found.rescue))
    alike = paired_quality(primary, spare, names=NAMES, weights=np.full(20, 6.0))
    plain = paired_quality(primary, spare, names=NAMES)
    assert (alike.retention, alike.rescue) == (plain.retention, plain.rescue)


def test_a_failure_of_weight_counts_as_often_as_it_happens():
    # weights 4 and 1: (4 x 0.5 x 1 + 1 x 1 x 0.5) / (4 x 0.5 + 1 x 1) = 2.5 / 3
    found = paired_quality(
        np.array([0.5, 0.0, 1.0]),
        np.array([1.0, 0.5, 0.0]),
        names=NAMES,
        weights=np.array([4.0, 1.0, 1.0]),
    )
    assert found.rescue.value == pytest.approx(2.5 / 3)


def test_samples_that_one_of_them_lacks_are_left_out_and_counted():
    found = paired_quality(np.array([1.0, np.nan, 0.0]), np.array([1.0, 1.0, np.nan]), names=NAMES)
    assert found.pass_primary.n_samples == 1
    assert found.pass_primary.n_missing == 2


def test_a_primary_that_never_fails_leaves_the_rescue_rate_unmeasured():
    found = paired_quality(np.ones(30), np.ones(30), names=NAMES)
    assert found.rescue.value is None
    assert "never failed" in found.finding


def test_a_primary_of_which_everything_is_missing_is_not_said_never_to_have_failed():
    found = paired_quality(np.full(10, np.nan), np.ones(10), names=NAMES)
    assert (found.rescue.value, found.rescue.n_missing) == (None, 10)
    assert "never failed" not in found.finding
    assert "the primary has no scored answer on any of 10 samples" in found.finding
    assert "the primary has no scored answer" in found.retention.method


def test_of_a_primary_that_answered_little_it_is_said_on_how_much_it_never_failed():
    primary = np.r_[np.ones(2), np.full(8, np.nan)]
    found = paired_quality(primary, np.ones(10), names=NAMES)
    assert "the primary never failed on the 2 samples that both answered" in found.finding


def side(name, *, target="openai", base_url="http://a.example/v1", price=None, **card):
    candidate = Candidate(
        name=name, target=target, base_url=base_url, sampling=Sampling(temperature=0.0)
    )
    return Side(candidate=candidate, card=ModelCard(**card), price=price)


def whats(primary, fallback, **needs):
    return {f.what: f.weight for f in static_check(primary, fallback, Needs(**needs))}


CHEAP, DEAR = Price(input=1, output=2), Price(input=1, output=Decimal(8))
ABLE = {
    "tools": True, "parallel_tools": True, "json_schema": True, "vision": True, "pdf": True,
    "system_message": True,
}  # fmt: skip


def test_half_the_window_breaks_long_requests_and_differs_for_short_ones():
    main = side("main", provider="x", context_window=128_000, price=CHEAP)
    spare = side("spare", provider="y", context_window=64_000, price=CHEAP)
    assert whats(main, spare, input_tokens=100_000) == {"context_window": "breaks"}
    assert whats(main, spare, input_tokens=1_000) == {"context_window": "differs"}


@pytest.mark.parametrize("flag", list(ABLE))
def test_what_the_fallback_cannot_do_breaks_and_what_nobody_says_is_unknown(flag):
    main = side("main", provider="x", context_window=1, price=CHEAP, **ABLE)
    without = side("spare", provider="y", context_window=1, price=CHEAP, **{**ABLE, flag: False})
    silent = side("spare", provider="y", context_window=1, price=CHEAP, **{**ABLE, flag: None})
    able = side("spare", provider="y", context_window=1, price=CHEAP, **ABLE)
    assert whats(main, without, **{flag: True}) == {flag: "breaks"}
    assert whats(main, silent, **{flag: True}) == {flag: "unknown"}
    assert whats(main, able, **{flag: True}) == {}
    assert whats(main, without) == {}, "nobody asks for it"


def test_parameters_that_the_fallback_refuses_are_named():
    main = side("main", provider="x", context_window=9, price=CHEAP)
    spare = side(
        "spare", provider="y", context_window=9, price=CHEAP, temperature=False, seed=False
    )
    assert whats(main, spare, seed=True) == {"temperature": "breaks", "seed": "breaks"}


def test_one_provider_for_both_is_one_outage_for_both():
    assert whats(
        side("main", provider="x", context_window=9, price=CHEAP),
        side("spare", provider="x", context_window=9, price=CHEAP),
    ) == {"same_provider": "differs"}
    here = side("main", context_window=9, price=CHEAP)
    assert whats(here, side("spare", context_window=9, price=CHEAP)) == {"same_provider": "differs"}


def test_signed_reasoning_does_not_travel_to_another_provider():
    main = side("main", provider="x", context_window=9, price=CHEAP, signed_reasoning=True)
    spare = side("spare", provider="y", context_window=9, price=CHEAP)
    assert whats(main, spare) == {"signed_reasoning": "breaks"}


def test_a_much_dearer_fallback_and_an_unknown_price_are_said():
    main = side("main", provider="x", context_window=9, price=CHEAP)
    assert whats(main, side("s", provider="y", context_window=9, price=DEAR)) == {
        "price": "differs"
    }
    assert whats(main, side("s", provider="y", context_window=9)) == {"price": "unknown"}
