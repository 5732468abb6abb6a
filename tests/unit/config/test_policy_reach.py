"""What a policy asks that the samples at hand can never show is said before spending."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError
from decision_project import shares, write_project


def warnings(folder, n, policy):
    """Load a project of two candidates and return its warnings."""
    right = {"a": {"s": shares(n, 0.9)}, "b": {"s": shares(n, 0.9)}}
    path = write_project(folder, right, prices={"a": 1, "b": 1}, policy=policy)
    return load_project(path).warnings


def test_a_floor_that_all_right_would_not_show_is_said(tmp_path):
    # 20 of 20 right: the one-sided 95 % bound is 20 / (20 + 2.706) = .881
    found = warnings(tmp_path, 20, "gates: [{metric: pass_rate, floor: 0.9}]")
    assert any("20 of 20 right" in text and "can never pass" in text for text in found)


def test_a_floor_within_reach_is_no_warning(tmp_path):
    assert warnings(tmp_path, 100, "gates: [{metric: pass_rate, floor: 0.9}]") == ()


def test_a_p95_that_cannot_be_bounded_is_said(tmp_path):
    # .95^58 = .051, .95^59 = .0485: from 59 values on there is an upper bound
    found = warnings(tmp_path, 50, "gates: [{metric: latency_p95, ceiling: 2}]")
    assert any("cannot bound the p95" in text and "59" in text for text in found)


def test_the_first_number_named_is_the_one_that_suffices(tmp_path):
    # Two candidates in one tier: alone at 5 % z = 1.645, n > .7 x 2.706 / .3 = 6.3: 7; together at
    # 2.5 % each z = 1.96, n > .7 x 3.841 / .3 = 8.96: 9.
    gate = "gates: [{metric: pass_rate, floor: 0.7}]"
    (few,) = (text for text in warnings(tmp_path / "6", 6, gate) if "never pass" in text)
    assert "(from 9 samples; 7 suffice alone" in few
    (more,) = (text for text in warnings(tmp_path / "7", 7, gate) if "never pass" in text)
    assert "judged together with all others" in more
    assert "(from 9 samples)" in more
    assert not [text for text in warnings(tmp_path / "9", 9, gate) if "never pass" in text]
    # .95^71 = .0262, .95^72 = .0249: with two candidates an upper bound of p95 takes 72
    (slow,) = warnings(tmp_path / "50", 50, "gates: [{metric: latency_p95, ceiling: 2}]")
    assert "(from 72 samples; 59 suffice alone" in slow


def test_nobody_to_fall_back_to_is_said(tmp_path):
    found = warnings(tmp_path, 40, "fallback_from_other_provider: true")
    assert any("fall back to another provider" in text for text in found)


@pytest.mark.parametrize("key", ["traffic", "margins"])
def test_a_share_or_margin_of_an_unknown_scenario_is_an_error(tmp_path, key):
    with pytest.raises(ProjectError, match="no scenario of this project"):
        warnings(tmp_path, 40, f"{key}: {{nosuch: 0.1}}")


def test_an_unknown_gate_is_told_its_scenario_and_its_metric(tmp_path):
    with pytest.raises(ProjectError) as caught:
        warnings(tmp_path, 20, "gates: [{scenario: sx, metric: pas_rate, floor: 0.9}]")
    told = str(caught.value)
    assert "unknown scenario 'sx'" in told
    assert "unknown metric 'pas_rate'" in told
    assert "did you mean 'pass_rate'?" in told
